#include "renderer/base/own_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "renderer/base/files.h"

namespace rayscope {

namespace fs = std::filesystem;

static std::string whyUnsafe(const struct stat& info, const std::string& path) {
    if (info.st_uid != geteuid() && info.st_uid != 0)
        return fmt::format("{} belongs to another user", path);
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return fmt::format("{} can be written by other users", path);
    return {};
}

std::string whyUnsafe(const fs::path& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 ? whyUnsafe(info, path.string()) : std::string();
}

Result<std::string> readOwnFile(const std::string& path, std::size_t limit) {
    const auto own = [&](int descriptor) {
        struct stat info {};
        return fstat(descriptor, &info) == 0 ? whyUnsafe(info, path) : std::strerror(errno);
    };
    return readFile(path, limit, own);
}

Result<void> makeOwnFolder(const fs::path& folder) {
    fs::path made;
    for (const fs::path& part : fs::absolute(folder)) {
        made /= part;
        if (mkdir(made.c_str(), 0700) == 0 || errno == EEXIST) continue;
        std::error_code unknown;
        if (fs::is_directory(made, unknown)) continue;  // of a file system that is only read
        return Failure{fmt::format("{} cannot be made: {}", made.string(), std::strerror(errno))};
    }
    std::error_code unknown;
    if (!fs::is_directory(folder, unknown))
        return Failure{fmt::format("{} is no folder", folder.string())};
    const std::string unsafe = whyUnsafe(folder);
    return unsafe.empty() ? Result<void>() : Failure{unsafe};
}

}  // namespace rayscope
