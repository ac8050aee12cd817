#pragma once

#include <glm/mat4x4.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "renderer/scene/gltf_nodes.h"

// The pose of a mesh as the file has it: morph targets at their weights, and skins.

namespace rayscope {

/// Whether a primitive has morph targets that have weights.
bool hasMorphs(const nlohmann::json& primitive, const nlohmann::json& weights);

/// Whether one of these moves coordinates in textures or colours, which are not morphed.
bool morphsColours(const nlohmann::json& primitive, const nlohmann::json& weights);

/// Adds the morph targets of a primitive to what its corners have. `attribute`: "POSITION".
/// `weights`: of the targets, as JSON; may be null.
void addMorphs(GltfBuffers& buffers, const nlohmann::json& primitive, const char* attribute,
               const nlohmann::json& weights, std::span<glm::dvec3> values);

/// Where a skin takes the corners of a primitive. The node of a skinned mesh moves nothing.
class SkinnedCorners {
public:
    /// From a corner as it is bound to the scene.
    glm::dmat4 at(std::size_t corner) const;

private:
    friend class GltfSkin;
    struct Set {
        Elements joints, weights;
    };
    const std::vector<glm::dmat4>* joints_ = nullptr;
    std::vector<Set> sets_;
};

/// A skin in the file's pose.
class GltfSkin {
public:
    GltfSkin(const nlohmann::json& root, GltfBuffers& buffers, GltfNodes& nodes, long long skin);

    /// Those of a primitive; `this` outlives it.
    SkinnedCorners corners(GltfBuffers& buffers, const nlohmann::json& attributes,
                           std::size_t count) const;

private:
    std::vector<glm::dmat4> joints_;  ///< from the mesh as it is bound to the scene
};

}  // namespace rayscope
