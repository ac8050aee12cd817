#include "renderer/scene/named_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "renderer/base/text.h"

namespace rayscope {

namespace fs = std::filesystem;

std::optional<NamedFile> readFileName(ObjectReader& members, const char* key,
                                      const std::string& folder,
                                      bool (*fits)(const std::string& path), const char* kinds) {
    constexpr std::size_t kMostPath = 4096;
    std::string name, digest;
    members.text(key, kMostPath, name);
    members.text("digest", 16, digest);
    if (members.failed()) return {};
    const bool below = !folder.empty() && staysBelow(name);
    const bool known = !digest.empty() && fs::path(name).is_absolute();
    if (fits(name) && (below || known))
        return NamedFile{below ? (fs::path(folder) / name).string() : name, digest};
    members.complain(members.pathOf(key), fmt::format("\"{}\"", printable(shortened(name, 100))),
                     fmt::format("{} file in the scene's folder", kinds));
    return {};
}

void checkDigest(ObjectReader& members, const char* key, const NamedFile& file,
                 std::uint64_t digest) {
    if (!file.digest.empty() && file.digest != digestText(digest))
        members.fail(
            fmt::format("{}: {}, or a file that belongs to it, is not the one this was saved with",
                        members.pathOf(key), file.path));
}

std::string digestText(std::uint64_t digest) {
    return fmt::format("{:016x}", digest);
}

bool staysBelow(const std::string& path) {
    const fs::path name = fs::path(path).lexically_normal();
    const bool address = path.starts_with("file:") || path.find("://") != path.npos;
    return !path.empty() && !address && path.find('\0') == path.npos && name.is_relative() &&
           *name.begin() != "..";
}

std::string endingOf(const std::string& path) {
    return smallLetters(fs::path(path).extension().string());
}

std::string absolutePath(const std::string& path) {
    std::error_code error;
    return fs::absolute(path, error).lexically_normal().string();
}

}  // namespace rayscope
