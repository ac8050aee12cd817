#include <png.h>

#include "renderer/scene/picture_formats.h"

namespace rayscope {

/// By libpng's simplified interface, which reports errors without longjmp.
Result<Picture8> pngPicture(std::string_view bytes) {
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
