#include "renderer/scene/gltf_textures.h"

#include <fmt/format.h>

#include <cmath>
#include <glm/mat3x3.hpp>

#include "renderer/scene/loose_json.h"

namespace rayscope {

using nlohmann::json;

namespace {

Wrap wrapOf(const json& sampler, const char* axis) {
    switch (countOf(member(sampler, axis))) {
        case 33071:
            return Wrap::clamp;
        case 33648:
            return Wrap::mirror;
        default:
            return Wrap::repeat;
    }
}

const json& transformOf(const json& reference) {
    return member(member(reference, "extensions"), "KHR_texture_transform");
}

/// KHR_texture_transform: scaled, turned counter-clockwise as v points down, and shifted.
glm::dmat3 matrixOf(const json& transform) {
    std::array<double, 2> offset{0, 0}, scale{1, 1};
    readNumbers(member(transform, "offset"), offset);
    readNumbers(member(transform, "scale"), scale);
    const double turn = numberOr(member(transform, "rotation"), 0);
    const double c = std::cos(turn), s = std::sin(turn);
    return {{c * scale[0], -s * scale[0], 0},
            {s * scale[1], c * scale[1], 0},
            {offset[0], offset[1], 1}};
}

/// Which of the coordinates of a primitive's corners, TEXCOORD_0 and so on.
long long setOf(const json& reference) {
    const json& chosen = member(transformOf(reference), "texCoord");
    return std::max(0LL, countOf(chosen.is_null() ? member(reference, "texCoord") : chosen));
}

/// Extensions by which a texture has a picture of another kind, besides a PNG or JPEG or not.
struct OtherPicture {
    const char* extension;
    const char* what;  ///< nothing: it is read
};
constexpr OtherPicture kOthers[] = {
    {"EXT_texture_webp", nullptr},
    {"KHR_texture_basisu", "textures in KTX2 (KHR_texture_basisu) are not read"},
    {"MSFT_texture_dds", "textures in DDS (MSFT_texture_dds) are not read"},
    {"EXT_texture_avif", "textures in AVIF (EXT_texture_avif) are not read"},
};

}  // namespace

Texture GltfTextures::texture(const json& reference) {
    if (reference.is_null()) return {};
    const long long index = countOf(member(reference, "index"));
    const json& texture = elementOf(root_, "textures", index);
    const long long image = imageOf(index);
    if (image < 0) return {};
    const json& sampler = member(texture, "sampler");
    const json& how = sampler.is_null() ? none() : elementOf(root_, "samplers", countOf(sampler));
    return {picture(image), wrapOf(how, "wrapS"), wrapOf(how, "wrapT")};
}

Texture GltfTextures::metal(const json& reference, double factor) {
    Texture texture = this->texture(reference);
    if (!texture.picture || factor == 1) return texture;
    std::shared_ptr<const Picture8>& known = scaled_[{texture.picture, factor}];
    if (!known) {
        count(*texture.picture);
        Picture8 scaled = *texture.picture;
        for (std::uint32_t& texel : scaled.texels) {
            const auto blue = static_cast<std::uint32_t>(std::lround((texel >> 16 & 255) * factor));
            texel = (texel & 0xff00ffffu) | blue << 16;
        }
        known = std::make_shared<const Picture8>(std::move(scaled));
    }
    texture.picture = known;
    return texture;
}

bool GltfTextures::lieAlike(const json& one, const json& other) {
    return setOf(one) == setOf(other) && matrixOf(transformOf(one)) == matrixOf(transformOf(other));
}

void GltfTextures::count(const Picture8& picture) {
    texels_ += picture.texels.size();
    if (texels_ > kMaxTexels) throw GltfProblem{kTooManyTexels};
}

long long GltfTextures::imageOf(long long index) {
    const json& texture = elementOf(root_, "textures", index);
    const std::string where = fmt::format("textures[{}]", index);
    const long long source = countOf(member(texture, "source"));
    for (const OtherPicture& other : kOthers) {
        const json& extension = member(member(texture, "extensions"), other.extension);
        const long long image = countOf(member(extension, "source"));
        if (image < 0) continue;
        if (other.what == nullptr) return image;
        // where there is a PNG or JPEG as well, it shows the same
        if (source < 0)
            remarks_.add(fmt::format("{}: the material's colour is shown", other.what), where);
        return source;
    }
    if (source < 0)
        remarks_.add("a texture has no image that can be read: the material's colour is shown",
                     where);
    return source;
}

Result<Picture8> GltfTextures::read(long long image) {
    try {
        const json& found = elementOf(root_, "images", image);
        const json& view = member(found, "bufferView");
        return pictureFrom(view.is_null() ? buffers_.bytesAt(textOf(member(found, "uri")))
                                          : buffers_.view(countOf(view)));
    } catch (const GltfProblem& problem) {
        return Failure{problem.reason};
    }
}

const std::shared_ptr<const Picture8>& GltfTextures::picture(long long image) {
    const auto [known, fresh] = pictures_.try_emplace(image);
    if (!fresh) return known->second;
    Result<Picture8> picture = read(image);
    if (!picture) {
        remarks_.add(
            fmt::format("a texture is replaced by the material's colour: {}", picture.reason()),
            fmt::format("images[{}]", image));
        return known->second;
    }
    count(*picture);
    known->second = std::make_shared<const Picture8>(*std::move(picture));
    return known->second;
}

void GltfTextures::place(const json& reference, const GltfPrimitive& primitive,
                         std::span<glm::vec2> uvs) {
    const std::optional<Elements> found =
        primitive.attribute(fmt::format("TEXCOORD_{}", setOf(reference)), {"VEC2"});
    if (!found) return remarks_.add("a texture has no coordinates: its texel at (0, 0) is used");
    const Elements& places = *found;
    if (places.count != uvs.size())
        throw GltfProblem{"the numbers of texture coordinates and positions differ"};
    const glm::dmat3 matrix = matrixOf(transformOf(reference));
    for (std::size_t i = 0; i < uvs.size(); ++i) {
        const glm::dvec2 uv(matrix * glm::dvec3(places.number(i, 0), places.number(i, 1), 1));
        if (!isUv(uv)) throw GltfProblem{kNoUv};
        uvs[i] = uv;
    }
}

}  // namespace rayscope
