#pragma once

#include <glm/vec2.hpp>
#include <map>
#include <span>

#include "renderer/scene/gltf_buffers.h"
#include "renderer/scene/gltf_primitive.h"
#include "renderer/scene/remarks.h"

namespace rayscope {

/// The textures of a glTF file.
class GltfTextures {
public:
    /// `remarks`: gets what cannot be read.
    GltfTextures(const nlohmann::json& root, GltfBuffers& buffers, Remarks& remarks)
        : root_(root), buffers_(buffers), remarks_(remarks) {}

    /// That of a material's reference, {"index": 1, ...}; without a picture if that is null, or
    /// cannot be read.
    Texture texture(const nlohmann::json& reference);
    /// The same, with the blue of the picture times a factor from 0 to 1.
    Texture metal(const nlohmann::json& reference, double factor);

    /// Whether two references put their textures at the same places.
    static bool lieAlike(const nlohmann::json& one, const nlohmann::json& other);

    /// Where the corners of a primitive are in the texture.
    void place(const nlohmann::json& reference, const GltfPrimitive& primitive,
               std::span<glm::vec2> uvs);

private:
    const std::shared_ptr<const Picture8>& picture(long long image);
    Result<Picture8> read(long long image);
    /// The image of a texture; -1: it has none that is read.
    long long imageOf(long long texture);
    void count(const Picture8& picture);

    const nlohmann::json& root_;
    GltfBuffers& buffers_;
    Remarks& remarks_;
    std::map<long long, std::shared_ptr<const Picture8>> pictures_;  ///< by their images
    /// Of metal, by the pictures and the factors of their blue.
    std::map<std::pair<std::shared_ptr<const Picture8>, double>, std::shared_ptr<const Picture8>>
        scaled_;
    std::size_t texels_ = 0;  ///< of all of them
};

}  // namespace rayscope
