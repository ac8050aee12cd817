#include "renderer/scene/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/base/text.h"
#include "renderer/core/picture.h"
#include "renderer/scene/picture_formats.h"

namespace rayscope {

namespace {

RadiancePicture linearised(const Picture8& picture) {
    std::array<float, 256> of{};
    for (int i = 0; i < 256; ++i) of[static_cast<std::size_t>(i)] = static_cast<float>(linearOf(i));
    RadiancePicture result{picture.width, picture.height};
    result.rgb.reserve(3 * picture.texels.size());
    for (const std::uint32_t texel : picture.texels) {
        for (int shift = 0; shift < 24; shift += 8) result.rgb.push_back(of[texel >> shift & 255]);
    }
    return result;
}

}  // namespace

bool Texture::operator==(const Texture& other) const {
    return areEqual(picture, other.picture) && wrapU == other.wrapU && wrapV == other.wrapV;
}

bool hasPicture(const Textures& textures) {
    return textures.albedo.picture || textures.metal.picture || textures.emission.picture;
}

void cutHoles(Textures& textures, double below) {
    if (!textures.albedo.picture || !(below > 0)) return;
    const int limit = static_cast<int>(std::ceil(std::min(below, 256 / 255.) * 255));
    const auto& texels = textures.albedo.picture->texels;
    const auto isHole = [&](std::uint32_t t) { return static_cast<int>(t >> 24) < limit; };
    if (std::ranges::any_of(texels, isHole)) textures.holesBelow = limit;
}

bool isHoleAt(const Textures& textures, double u, double v) {
    if (textures.holesBelow == 0) return false;
    return hasHoleAt<double>(textureRecord(textures.albedo, textures.holesBelow),
                             textures.albedo.picture->texels.data(), {u, v});
}

TextureRecord textureRecord(const Texture& texture, int holesBelow) {
    if (!texture.picture) return {};
    const int wrap = static_cast<int>(texture.wrapU) + 4 * static_cast<int>(texture.wrapV);
    return {0, texture.picture->width, texture.picture->height, wrap + 256 * holesBelow};
}

double linearOf(int byte) {
    const double value = byte / 255.;
    return value <= .04045 ? value / 12.92 : std::pow((value + .055) / 1.055, 2.4);
}

Failure damaged(const char* kind, const std::string& message) {
    const std::string line = message.substr(0, message.find('\n'));
    return Failure{
        fmt::format("it is a damaged {} file: {}", kind, printable(shortened(line, 100)))};
}

std::string wrongSize(long long width, long long height, std::size_t most) {
    if (width < 1 || height < 1 || width > kMaxPictureSide || height > kMaxPictureSide)
        return fmt::format("it has {} x {} pixels: at most {} along a side are read", width, height,
                           kMaxPictureSide);
    if (static_cast<std::size_t>(width * height) > most)
        return fmt::format("it is too short for {} x {} pixels", width, height);
    return {};
}

namespace {

/// What a file is that is not read, by how it begins; empty: it is not known.
std::string_view otherPicture(std::string_view bytes) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kinds{
        {{"GIF8", "a GIF"},
         {"II*", "a TIFF"},
         {"MM", "a TIFF"},
         {"DDS ", "a DDS"},
         {"8BPS", "a Photoshop"},
         {"\xabKTX", "a KTX"},
         {"\x76\x2f\x31\x01", "an EXR"},
         {"#?", "a Radiance HDR"},
         {"<svg", "an SVG"},
         {"<?xml", "an XML"},
         {"%PDF", "a PDF"},
         {"RIFF", "a WebP"}}};
    for (const auto& [start, name] : kinds) {
        if (bytes.starts_with(start)) return name;
    }
    const bool boxes = bytes.size() > 12 && bytes.substr(4, 4) == "ftyp";
    return boxes ? "an AVIF or HEIF" : "";
}

}  // namespace

Result<Picture8> pictureFrom(std::string_view bytes) {
    if (bytes.starts_with("\x89PNG")) return pngPicture(bytes);
    if (bytes.starts_with("\xff\xd8\xff")) return jpegPicture(bytes);
    if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP"))
        return webpPicture(bytes);
    if (bytes.starts_with("BM")) return bmpPicture(bytes);
    const std::string_view other = otherPicture(bytes);
    if (!other.empty())
        return Failure{
            fmt::format("it is {} file, neither a PNG nor a JPEG file, and not TGA or "
                        "BMP, which are read, too",
                        other)};
    if (isTga(bytes)) return tgaPicture(bytes);
    return Failure{"it is neither a PNG nor a JPEG file, and not WebP, TGA or BMP"};
}

Result<RadiancePicture> skyPictureFrom(std::string_view bytes) {
    const bool hdr = bytes.starts_with("#?"), exr = bytes.starts_with("\x76\x2f\x31\x01");
    if (hdr || exr) {
        Result<RadiancePicture> picture = hdr ? hdrPicture(bytes) : exrPicture(bytes);
        if (!picture) return picture;
        for (float& value : picture->rgb)
            value = value > 0 ? std::min(value, kMaxRadiance) : 0;  // NaN, too
        return picture;
    }
    const Result<Picture8> picture = pictureFrom(bytes);
    if (!picture && !bytes.starts_with("\x89PNG") && !bytes.starts_with("\xff\xd8\xff"))
        return Failure{"it is no EXR, HDR, PNG or JPEG file"};
    return picture ? Result<RadiancePicture>(linearised(*picture)) : picture.failure();
}

}  // namespace rayscope
