#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "renderer/base/files.h"
#include "renderer/scene/field.h"
#include "renderer/scene/json.h"
#include "renderer/scene/made_meshes.h"
#include "renderer/scene/model.h"
#include "renderer/scene/named_file.h"
#include "renderer/scene/numbered.h"

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

}  // namespace

bool isPath(const std::string& nameOrPath) {
    return nameOrPath.find('/') != std::string::npos || nameOrPath.ends_with(".json") ||
           isModel(nameOrPath);
}

std::vector<std::string> namesIn(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<fs::path> findAssets() {
    std::string tried;
    for (const fs::path& path : candidates()) {
        std::error_code error;
        if (fs::is_directory(path / "scenes", error)) return path;
        tried += (tried.empty() ? "" : ", ") + (path / "scenes").string();
    }
    return Failure{
        fmt::format("the folder of scenes is missing, tried {}: set RAYSCOPE_ASSETS to the folder "
                    "that holds it",
                    tried)};
}

std::vector<std::string> sceneNames() {
    const auto assets = findAssets();
    return assets ? namesIn(*assets / "scenes") : std::vector<std::string>{};
}

std::string sceneTitle(const std::string& name) {
    const auto assets = findAssets();
    if (!assets) return {};
    const auto json = readJson((*assets / "scenes" / (name + ".json")).string(), kMaxSceneBytes);
    if (!json || !json->is_object()) return {};
    const auto title = json->find("title");
    return title != json->end() && title->is_string() ? title->get<std::string>() : std::string();
}

bool isMade(const std::string& name) {
    for (const std::span<const Numbered> some : {numberedFields(), numberedMeshes()}) {
        for (const Numbered& family : some)
            if (numberIn(name, family)) return true;
    }
    return false;
}

std::string noSceneReason(const std::string& path, std::string_view firstBytes) {
    const std::size_t first = firstBytes.find_first_not_of(" \t\r\n");
    const bool json = first != firstBytes.npos && firstBytes[first] == '{';
    if (json || firstBytes.empty() || endingOf(path) == ".json") return {};
    return fmt::format(
        "{} is no file that opens: scenes end in .json, models in {}, and a "
        "screenshot is a .png",
        path, modelEndings());
}

Result<Scene> readScene(const std::string& path) {
    if (isModel(path)) return sceneOfModel(path);
    if (const std::string problem = noSceneReason(path, readStart(path, 64)); !problem.empty())
        return Failure{problem};
    const auto json = readJson(path, kMaxSceneBytes);
    return json ? sceneFromJson(*json, path) : json.failure();
}

/// The scene nbody with another number of bodies, which fill as much of the picture.
static Result<Scene> nbodyScene(int bodies, const fs::path& assets) {
    const std::string path = (assets / "scenes" / "nbody.json").string();
    Result<nlohmann::json> json = readJson(path, kMaxSceneBytes);
    if (!json) return json.failure();
    const auto shipped = sceneFromJson(*json, path);
    if (!shipped) return shipped;
    const auto simulation = json->find("simulation");
    if (simulation == json->end() || !simulation->is_object())
        return Failure{fmt::format("{}: it has no simulation", path)};
    (*json)["name"] = fmt::format("nbody-{}", bodies);
    (*simulation)["bodies"] = bodies;
    (*simulation)["radius"] =
        shipped->simulation->radius * std::cbrt(1. * shipped->simulation->bodies / bodies);
    return sceneFromJson(*json, path);
}

Result<Scene> findScene(const std::string& nameOrPath) {
    if (isPath(nameOrPath)) return readScene(nameOrPath);
    if (const std::optional<int> spheres = fieldCount(nameOrPath)) return fieldScene(*spheres);
    if (const std::optional<int> spheres = gridCount(nameOrPath)) return gridScene(*spheres);
    const Result<SharedMesh> affordable = meshWithinMemory(nameOrPath);
    if (!affordable) return affordable.failure();
    if (std::optional<Scene> made = madeScene(nameOrPath)) return *std::move(made);
    const auto assets = findAssets();
    if (!assets) return assets.failure();
    if (const std::optional<int> bodies = nbodyCount(nameOrPath))
        return nbodyScene(*bodies, *assets);
    std::string known;
    for (const std::string& name : namesIn(*assets / "scenes")) {
        if (name == nameOrPath) return readScene((*assets / "scenes" / (name + ".json")).string());
        known += (known.empty() ? "" : ", ") + name;
    }
    std::string families;
    for (const std::span<const Numbered> some : {numberedFields(), numberedMeshes()}) {
        for (const Numbered& f : some) {
            if (nameOrPath.starts_with(f.prefix))
                return Failure{
                    fmt::format("unknown scene '{}': N in {}N is a number of {} from {} to {}",
                                nameOrPath, f.prefix, f.what, f.fewest, f.most)};
            families += fmt::format(", {}N", f.prefix);
        }
    }
    return Failure{
        fmt::format("unknown scene '{}': the scenes are {}{} with a number for N, or name a "
                    "file that ends in .json, {}",
                    nameOrPath, known, families, modelEndings())};
}

}  // namespace rayscope
