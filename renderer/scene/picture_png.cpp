#include <png.h>

#include "renderer/scene/picture_formats.h"

namespace rayscope {

namespace {

/// The file without its chunks about gamma and colours, by which libpng would change the bytes of
/// texels. glTF 2.0 says to take them as they are.
std::string withoutColorSpace(std::string_view bytes) {
    constexpr std::size_t kSignature = 8, kAround = 12;  // length, type and checksum of a chunk
    std::string kept(bytes.substr(0, kSignature));
    std::size_t at = kept.size();
    while (bytes.size() - at >= kAround) {
        std::size_t size = 0;
        for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(bytes[at + i]);
        const std::string_view type = bytes.substr(at + 4, 4);
        const std::string_view chunk = bytes.substr(at, kAround + size);
        if (type != "gAMA" && type != "cHRM" && type != "sRGB" && type != "iCCP") kept += chunk;
        at += chunk.size();
    }
    return kept += bytes.substr(at);
}

}  // namespace

/// By libpng's simplified interface, which reports errors without longjmp.
Result<Picture8> pngPicture(std::string_view file) {
    const std::string bytes = withoutColorSpace(file);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    const auto failed = [&] {
        const std::string message = image.message;
        png_image_free(&image);
        return damaged("PNG", message);
    };
    if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) return failed();
    const std::string wrong = wrongSize(image.width, image.height, kMostUnpacked * bytes.size());
    if (!wrong.empty()) {
        png_image_free(&image);
        return Failure{wrong};
    }
    image.format = PNG_FORMAT_RGBA;
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    Picture8 picture{static_cast<int>(image.width), static_cast<int>(image.height)};
    picture.texels.resize(std::size_t{1} * image.width * image.height);
    if (!png_image_finish_read(&image, nullptr, picture.texels.data(), 0, nullptr)) return failed();
    return picture;
}

}  // namespace rayscope
