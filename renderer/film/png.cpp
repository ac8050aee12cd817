#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "renderer/base/files.h"
#include "renderer/film/image_files.h"

// libpng reports errors by longjmp, which skips destructors: functions that call setjmp have no
// objects with destructors, and what outlives them belongs to their callers.

namespace rayscope {

namespace {

constexpr png_uint_32 kMaxSide = 1u << 16;

struct Message {
    char text[256] = {};
};

void onError(png_structp png, png_const_charp message) {
    auto& to = static_cast<Message*>(png_get_error_ptr(png))->text;
    std::strncpy(to, message, sizeof(to) - 1);
    png_longjmp(png, 1);
}

void onWarning(png_structp, png_const_charp) {}

/// False after an error.
bool encode(png_structp png, png_infop info, std::FILE* file, const Picture& picture,
            png_text* text) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_init_io(png, file);
    png_set_user_limits(png, kMaxSide, kMaxSide);
    png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width),
                 static_cast<png_uint_32>(picture.height), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (text != nullptr) png_set_text(png, info, text, 1);
    png_write_info(png, info);
    const std::size_t row = 3 * static_cast<std::size_t>(picture.width);
    for (int y = 0; y < picture.height; ++y) {
        png_write_row(png, picture.rgb.data() + row * static_cast<std::size_t>(y));
    }
    png_write_end(png, nullptr);
    return true;
}

}  // namespace

Result<void> writePng(const std::string& path, const Picture& picture, const std::string& stateJson,
                      Existing existing) {
    std::string json = stateJson;
    char keyword[] = "rayscope:state";
    char none[] = "";
    png_text text{};
    text.compression = PNG_ITXT_COMPRESSION_zTXt;
    text.key = keyword;
    text.text = json.data();
    text.itxt_length = json.size();
    text.lang = text.lang_key = none;
    const auto write = [&](std::FILE* file) -> Result<void> {
        Message message;
        png_structp png =
            png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, onError, onWarning);
        png_infop info = png ? png_create_info_struct(png) : nullptr;
        const bool done = info && encode(png, info, file, picture, json.empty() ? nullptr : &text);
        png_destroy_write_struct(&png, &info);
        if (done || std::ferror(file)) return {};  // writeFile reports the stream's errors
        return Failure{message.text[0] ? message.text : "libpng could not be started"};
    };
    return writeFile(path, write, existing);
}

}  // namespace rayscope
