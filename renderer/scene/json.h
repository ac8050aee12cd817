#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/scene/json_reader.h"
#include "renderer/scene/scene.h"

// Scene files, in the format that assets/scenes/README.md describes. Where reading fails, the
// reason names the file, the key and what was expected.

namespace rayscope {

/// `file` is named in the reason, unless it is empty; its stem is the scene's name if the JSON
/// gives none. Unknown keys, wrong types and numbers out of range are errors.
Result<Scene> sceneFromJson(const nlohmann::json& json, const std::string& file);

/// A valid name for a scene, made from the file's stem.
std::string sceneNameFrom(const std::string& file);

/// The scene of a file: JSON of at most 64 MiB, or a model (model.h).
Result<Scene> readScene(const std::string& path);

/// Of a file that is neither JSON by its ending nor by its first bytes: which files open. Empty if
/// it may be JSON.
std::string noSceneReason(const std::string& path, std::string_view firstBytes);

/// The scene of a name (one of sceneNames(), field-N, grid-N, nbody-N, terrain-N, city-N, blocks-N
/// or forest-N), or of a file, whose path has a slash or ends in ".json" or as a model's.
Result<Scene> findScene(const std::string& nameOrPath);

/// Whether this names a file, not an asset.
bool isPath(const std::string& nameOrPath);

/// The JSON files of a folder without their ending, sorted; none where it is missing.
std::vector<std::string> namesIn(const std::filesystem::path& folder);

/// The scenes in the folder of assets, sorted; empty if the folder is missing.
std::vector<std::string> sceneNames();
/// The line that one of them has about itself; empty where it cannot be read.
std::string sceneTitle(const std::string& name);
/// Whether this is the name of a scene that is made when it is asked for, such as city-1000.
bool isMade(const std::string& name);

/// The folder that holds scenes/ and ladders/, with shaders/ beside it: the environment variable
/// RAYSCOPE_ASSETS, else where the program is installed, else in the source tree of a build. The
/// reason of a failure names the paths tried.
Result<std::filesystem::path> findAssets();

/// Reading it back gives an equal scene.
nlohmann::json toJson(const Scene& scene);
nlohmann::json toJson(const Camera& camera);

/// Reads the members of a camera; those that are absent keep their values.
void readCamera(ObjectReader members, Camera& camera);

}  // namespace rayscope
