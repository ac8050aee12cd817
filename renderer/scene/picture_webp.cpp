#include <webp/decode.h>

#include <algorithm>

#include "renderer/scene/picture_formats.h"

namespace rayscope {

namespace {

/// Texels that a file of some hundred bytes may have: libwebp keeps one colour in no bits a pixel.
constexpr std::size_t kMostPlainTexels = std::size_t{1} << 24;

}  // namespace

Result<Picture8> webpPicture(std::string_view bytes) {
    const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    WebPBitstreamFeatures features{};
    const VP8StatusCode status = WebPGetFeatures(data, bytes.size(), &features);
    if (status != VP8_STATUS_OK) return damaged("WebP", "its header is not one");
    if (features.has_animation != 0)
        return Failure{"it is an animated WebP file, which is not read"};
    const std::string wrong = wrongSize(features.width, features.height,
                                        std::max(kMostPlainTexels, kMostUnpacked * bytes.size()));
    if (!wrong.empty()) return Failure{wrong};
    Picture8 picture{features.width, features.height};
    const auto width = static_cast<std::size_t>(picture.width);
    picture.texels.resize(width * static_cast<std::size_t>(picture.height));
    if (WebPDecodeRGBAInto(data, bytes.size(),
                           reinterpret_cast<std::uint8_t*>(picture.texels.data()),
                           4 * picture.texels.size(), static_cast<int>(4 * width)) == nullptr)
        return damaged("WebP", "it is cut off, or its pixels are no WebP");
    return picture;
}

}  // namespace rayscope
