#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "renderer/base/files.h"
#include "renderer/scene/field.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxSceneBytes = std::size_t{64} << 20;

bool isBelow(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

/// Where the assets may be: where they are installed relative to the program, near the program as
/// in a build folder, or in the source tree of a program that is still where it was built.
std::vector<fs::path> candidates() {
    if (const char* chosen = std::getenv("RAYSCOPE_ASSETS")) return {chosen};
    std::vector<fs::path> paths;
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    if (error) return {RAYSCOPE_SOURCE_DIR "/assets"};
    for (const char* near : {"../share/rayscope/assets", "assets", "../assets", "../../assets"}) {
        paths.push_back((program / near).lexically_normal());
    }
    if (isBelow(program, RAYSCOPE_BINARY_DIR)) paths.emplace_back(RAYSCOPE_SOURCE_DIR "/assets");
    return paths;
}

bool isPath(const std::string& nameOrPath) {
    return nameOrPath.find('/') != std::string::npos || nameOrPath.ends_with(".json");
}

std::vector<std::string> namesIn(const fs::path& assets) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(assets / "scenes", error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::variant<fs::path, std::string> findAssets() {
    std::string tried;
    for (const fs::path& path : candidates()) {
        std::error_code error;
        if (fs::is_directory(path / "scenes", error)) return path;
        tried += (tried.empty() ? "" : ", ") + (path / "scenes").string();
    }
    return fmt::format(
        "the folder of scenes is missing, tried {}: set RAYSCOPE_ASSETS to the folder "
        "that holds it",
        tried);
}

std::vector<std::string> sceneNames() {
    const auto assets = findAssets();
    const auto* path = std::get_if<fs::path>(&assets);
    return path ? namesIn(*path) : std::vector<std::string>{};
}

std::variant<Scene, std::string> readScene(const std::string& path) {
    const auto file = readFile(path, kMaxSceneBytes);
    if (const auto* reason = std::get_if<std::string>(&file)) return *reason;
    const auto json = parseJson(std::get<FileBytes>(file).bytes, path);
    if (const auto* reason = std::get_if<std::string>(&json)) return *reason;
    return sceneFromJson(std::get<nlohmann::json>(json), path);
}

std::variant<Scene, std::string> findScene(const std::string& nameOrPath) {
    if (isPath(nameOrPath)) return readScene(nameOrPath);
    if (const std::optional<int> spheres = fieldCount(nameOrPath)) return fieldScene(*spheres);
    if (const std::optional<int> spheres = gridCount(nameOrPath)) return gridScene(*spheres);
    const auto assets = findAssets();
    if (const auto* reason = std::get_if<std::string>(&assets)) return *reason;
    const fs::path& folder = std::get<fs::path>(assets);
    std::string known;
    for (const std::string& name : namesIn(folder)) {
        if (name == nameOrPath) return readScene((folder / "scenes" / (name + ".json")).string());
        known += (known.empty() ? "" : ", ") + name;
    }
    return fmt::format(
        "unknown scene '{}': the scenes are {}, field-N and grid-N with N spheres, or name a "
        "file that ends in .json",
        nameOrPath, known);
}

}  // namespace rayscope
