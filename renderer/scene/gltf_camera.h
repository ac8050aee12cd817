#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "renderer/scene/camera.h"
#include "renderer/scene/gltf_nodes.h"

namespace rayscope {

/// The first camera of a file. Parallel rays come from so far away that they are nearly parallel.
/// `mesh`: the camera turns around its middle.
std::optional<Camera> gltfCamera(const nlohmann::json& root,
                                 std::span<const GltfPlaces::Other> cameras, const Mesh& mesh,
                                 Remarks& remarks);

}  // namespace rayscope
