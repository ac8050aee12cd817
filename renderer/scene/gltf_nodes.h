#pragma once

#include <glm/mat4x4.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "renderer/scene/gltf_buffers.h"
#include "renderer/scene/remarks.h"

namespace rayscope {

/// A mesh where a node places it.
struct PlacedMesh {
    long long mesh = 0;
    glm::dmat4 transform{1};
    long long skin = -1;  ///< -1: none
    const nlohmann::json* weights =
        nullptr;  ///< of morph targets, the node's own; null: the mesh's

    /// Whether it has the shape of all other uses of its mesh.
    bool isPlain() const { return skin < 0 && weights == nullptr; }
};

/// What a scene's nodes place, from parents to children in the file's order.
struct GltfPlaces {
    std::vector<PlacedMesh> meshes;
    struct Other {
        long long index;  ///< of the camera or the light
        glm::dmat4 transform;
    };
    std::vector<Other> cameras, lights;
};

/// The nodes of a file.
class GltfNodes {
public:
    explicit GltfNodes(const nlohmann::json& root);

    /// Those of the scene that the file says, of its first, or, without scenes, all of them.
    GltfPlaces placed(GltfBuffers& buffers, Remarks& remarks) const;
    /// From a node to the whole scene.
    glm::dmat4 transformOf(long long node);

private:
    std::vector<long long> roots(Remarks& remarks) const;
    void addMesh(const nlohmann::json& node, const glm::dmat4& transform, GltfBuffers& buffers,
                 GltfPlaces& places) const;

    const nlohmann::json& root_;
    std::vector<long long> parents_;                   ///< -1: none
    std::unordered_map<long long, glm::dmat4> known_;  ///< what transformOf() has found
};

}  // namespace rayscope
