#include "renderer/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace rayscope {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    std::string name = fs::temp_directory_path(error) / "rayscope-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
        problem_ = std::strerror(errno);
    else
        path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
}

}  // namespace rayscope
