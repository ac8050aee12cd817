#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/scene/json_reader.h"
#include "renderer/scene/scene.h"

// The meshes of a scene file, and what they share with its spheres.

namespace rayscope {

void readMaterial(ObjectReader members, Material& material);
nlohmann::json toJson(const Material& material);

/// Reads the member "meshes", if it is there. `folder`: of the scene's file; a mesh may be a file
/// in it or below, or any file whose digest is given with it.
void readMeshes(ObjectReader& members, const std::string& folder, std::vector<SceneMesh>& meshes);
nlohmann::json toJson(const SceneMesh& mesh);

}  // namespace rayscope
