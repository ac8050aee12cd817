// TGA and BMP, by stb_image with all its other formats left out.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "renderer/scene/picture_formats.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#include <stb/stb_image.h>

namespace rayscope {

namespace {

/// Bytes of a file make no more pixels than this: in a TGA 2 bytes are a run of 128, in a BMP a bit
/// is a pixel.
constexpr std::size_t kMostOfByte = 64;

Result<Picture8> stbPicture(std::string_view bytes, const char* kind) {
    const auto* const data = reinterpret_cast<const stbi_uc*>(bytes.data());
    if (bytes.size() > std::numeric_limits<int>::max())
        return Failure{fmt::format("it is a {} file of more than 2 GiB", kind)};
    const int size = static_cast<int>(bytes.size());
    int width = 0, height = 0, channels = 0;
    if (stbi_info_from_memory(data, size, &width, &height, &channels) == 0)
        return damaged(kind, stbi_failure_reason());
    const std::string problem = wrongSize(width, height, bytes.size() * kMostOfByte);
    if (!problem.empty()) return Failure{problem};
    const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
        stbi_load_from_memory(data, size, &width, &height, &channels, STBI_rgb_alpha),
        stbi_image_free);
    if (!pixels) return damaged(kind, stbi_failure_reason());
    Picture8 picture{width, height};
    picture.texels.resize(std::size_t{1} * width * height);
    std::memcpy(picture.texels.data(), pixels.get(), 4 * picture.texels.size());
    // where no texel is opaque at all, the fourth byte was never meant
    const auto isClear = [](std::uint32_t texel) { return texel >> 24 == 0; };
    if (std::all_of(picture.texels.begin(), picture.texels.end(), isClear)) {
        for (std::uint32_t& texel : picture.texels) texel |= 0xff000000u;
    }
    return picture;
}

}  // namespace

bool isTga(std::string_view bytes) {
    if (bytes.size() < 18) return false;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const int kind = at(2) & ~8, depth = at(16);
    return at(1) <= 1 && (kind == 1 || kind == 2 || kind == 3) && at(2) < 12 &&
           (depth == 8 || depth == 15 || depth == 16 || depth == 24 || depth == 32) &&
           at(12) + at(13) > 0 && at(14) + at(15) > 0;
}

Result<Picture8> tgaPicture(std::string_view bytes) {
    return stbPicture(bytes, "TGA");
}

Result<Picture8> bmpPicture(std::string_view bytes) {
    return stbPicture(bytes, "BMP");
}

}  // namespace rayscope
