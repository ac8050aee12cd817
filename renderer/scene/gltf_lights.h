#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "renderer/scene/gltf_nodes.h"

namespace rayscope {

/// Adds the lights of KHR_lights_punctual to a mesh: a point becomes a small ball that has the
/// same intensity. What has no such shape becomes a remark.
void addLights(const nlohmann::json& root, std::span<const GltfPlaces::Other> lights, Mesh& mesh,
               Remarks& remarks);

}  // namespace rayscope
