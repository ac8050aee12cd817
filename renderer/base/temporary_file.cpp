#include "renderer/base/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace rayscope {

namespace fs = std::filesystem;

TemporaryFile::TemporaryFile(const std::string& bytes, const std::string& ending) {
    std::error_code error;
    std::string name = fs::temp_directory_path(error) / ("rayscope-XXXXXX" + ending);
    const int file = mkostemps(name.data(), static_cast<int>(ending.size()), O_CLOEXEC);
    if (file < 0) {
        problem_ = std::strerror(errno);
        return;
    }
    path_ = name;
    for (std::size_t done = 0; done < bytes.size() && problem_.empty();) {
        const ssize_t n = write(file, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno != EINTR) problem_ = std::strerror(errno);
        if (n > 0) done += static_cast<std::size_t>(n);
    }
    close(file);
}

TemporaryFile::~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace rayscope
