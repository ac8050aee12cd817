#pragma once

#include <glm/vec2.hpp>
#include <map>
#include <span>

#include "renderer/scene/gltf_buffers.h"

namespace rayscope {

/// The textures of a glTF file.
class GltfTextures {
public:
    GltfTextures(const nlohmann::json& root, GltfBuffers& buffers)
        : root_(root), buffers_(buffers) {}

    /// That of a material's reference, {"index": 1, ...}; without a picture if that is null.
    Texture texture(const nlohmann::json& reference);
    /// The same, with the blue of the picture times a factor from 0 to 1.
    Texture metal(const nlohmann::json& reference, double factor);

    /// Whether two references put their textures at the same places.
    static bool lieAlike(const nlohmann::json& one, const nlohmann::json& other);

    /// Where the corners of a primitive with these attributes are in the texture.
    void place(const nlohmann::json& reference, const nlohmann::json& attributes,
               std::span<glm::vec2> uvs);

private:
    const std::shared_ptr<const Picture8>& picture(long long image);
    void count(const Picture8& picture);

    const nlohmann::json& root_;
    GltfBuffers& buffers_;
    std::map<long long, std::shared_ptr<const Picture8>> pictures_;  ///< by their images
    /// Of metal, by the pictures and the factors of their blue.
    std::map<std::pair<std::shared_ptr<const Picture8>, double>, std::shared_ptr<const Picture8>>
        scaled_;
    std::size_t texels_ = 0;  ///< of all of them
};

}  // namespace rayscope
