#include "renderer/page/jpeg.h"

#include <cstdio>
// it needs FILE
#include <jpeglib.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "renderer/scene/picture.h"

namespace rayscope {

namespace {

constexpr int kQuality = 85;

/// Rows of bytes, red first, averaged in blocks of `factor`.
std::vector<JSAMPLE> averaged(const Picture& picture, int factor, int width, int height) {
    std::vector<JSAMPLE> rgb(std::size_t{3} * width * height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            std::array<unsigned, 3> sums{};
            for (int j = 0; j < factor; ++j) {
                for (int i = 0; i < factor; ++i) {
                    const std::size_t at =
                        std::size_t(y * factor + j) * picture.width + x * factor + i;
                    for (int c = 0; c < 3; ++c) sums[c] += picture.rgb[3 * at + c];
                }
            }
            for (int c = 0; c < 3; ++c)
                rgb[3 * (std::size_t(y) * width + x) + c] =
                    static_cast<JSAMPLE>((sums[c] + factor * factor / 2) / (factor * factor));
        }
    }
    return rgb;
}

}  // namespace

Result<std::string> smallJpeg(std::string_view png, int most) {
    const Result<Picture8> read = pictureFrom(png);
    if (!read) return read.failure();
    Picture picture{read->width, read->height, {}};
    picture.rgb.reserve(3 * read->texels.size());
    for (const std::uint32_t texel : read->texels) {
        for (int c = 0; c < 3; ++c)
            picture.rgb.push_back(static_cast<std::uint8_t>(texel >> (8 * c)));
    }
    return smallJpeg(picture, most);
}

Result<std::string> smallJpeg(const Picture& picture, int most) {
    if (picture.width < 1 || picture.height < 1) return Failure{"there is no picture"};
    const int factor = (picture.width + most - 1) / most;
    const int width = picture.width / factor, height = picture.height / factor;
    if (height < 1) return Failure{"its picture is too flat"};
    std::vector<JSAMPLE> rgb = averaged(picture, factor, width, height);

    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = static_cast<JDIMENSION>(width);
    jpeg.image_height = static_cast<JDIMENSION>(height);
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, kQuality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < height; ++y) {
        JSAMPROW row = &rgb[std::size_t{3} * width * y];
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    std::string result(reinterpret_cast<const char*>(bytes), size);
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
    return result;
}

}  // namespace rayscope
