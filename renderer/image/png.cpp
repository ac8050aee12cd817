#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstring>

#include "renderer/files.h"
#include "renderer/image/image_files.h"

// libpng reports errors by longjmp, which skips destructors: the functions that call setjmp keep no
// object with a destructor, and everything that outlives them belongs to their callers.

namespace rayscope {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
constexpr png_uint_32 kMaxSide = 1u << 16;

/// The last message of each kind. Warnings matter: that is how libpng tells of a damaged text.
struct Messages {
    char error[256] = {};
    char warning[256] = {};
};

void keep(char (&to)[256], const char* message) {
    std::strncpy(to, message, sizeof(to) - 1);
}

void onError(png_structp png, png_const_charp message) {
    keep(static_cast<Messages*>(png_get_error_ptr(png))->error, message);
    png_longjmp(png, 1);
}

void onWarning(png_structp png, png_const_charp message) {
    keep(static_cast<Messages*>(png_get_error_ptr(png))->warning, message);
}

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

/// The text of the state among those read so far; nullptr where there is none.
const png_text* stateIn(png_structp png, png_infop info) {
    png_textp texts = nullptr;
    int count = 0;
    png_get_text(png, info, &texts, &count);
    for (int i = 0; i < count; ++i) {
        if (std::strcmp(texts[i].key, kStateKeyword) == 0) return &texts[i];
    }
    return nullptr;
}

/// Reads as far as the text of the state: writers other than this one may put it after the picture.
/// It belongs to `info`. nullptr after an error, or where there is none.
const png_text* decode(png_structp png, png_infop info, std::FILE* file) {
    if (setjmp(png_jmpbuf(png))) return nullptr;
    png_init_io(png, file);
    png_set_user_limits(png, kMaxSide, kMaxSide);
    png_set_chunk_malloc_max(png, kMaxTextBytes);
    png_set_chunk_cache_max(png, 100);
    png_read_info(png, info);
    if (const png_text* text = stateIn(png, info)) return text;
    const int passes = png_set_interlace_handling(png);
    const png_uint_32 rows = png_get_image_height(png, info);
    png_start_read_image(png);
    for (int pass = 0; pass < passes; ++pass) {
        for (png_uint_32 y = 0; y < rows; ++y) png_read_row(png, nullptr, nullptr);
    }
    png_read_end(png, info);
    return stateIn(png, info);
}

}  // namespace

std::string writePng(const std::string& path, const Picture& picture,
                     const std::string& stateJson) {
    std::string json = stateJson;
    char keyword[] = "rayscope:state";
    char none[] = "";
    png_text text{};
    text.compression = PNG_ITXT_COMPRESSION_zTXt;
    text.key = keyword;
    text.text = json.data();
    text.itxt_length = json.size();
    text.lang = text.lang_key = none;
    return writeFile(path, [&](std::FILE* file) -> std::string {
        Messages messages;
        png_structp png =
            png_create_write_struct(PNG_LIBPNG_VER_STRING, &messages, onError, onWarning);
        png_infop info = png ? png_create_info_struct(png) : nullptr;
        const bool done = info && encode(png, info, file, picture, json.empty() ? nullptr : &text);
        png_destroy_write_struct(&png, &info);
        // an error of the stream is told by writeFile, with its reason
        if (done || std::ferror(file)) return {};
        return messages.error[0] ? messages.error : "libpng could not be started";
    });
}

std::variant<StateText, std::string> readPngState(const std::string& path) {
    auto bytes = readFile(path, kMaxFileBytes);
    if (const auto* reason = std::get_if<std::string>(&bytes)) return *reason;
    std::string& contents = std::get<FileBytes>(bytes).bytes;
    if (png_sig_cmp(reinterpret_cast<png_const_bytep>(contents.data()), 0,
                    std::min<std::size_t>(contents.size(), 8)) != 0 ||
        contents.size() < 8) {
        return fmt::format("{} is not a PNG file", path);
    }
    std::FILE* file = fmemopen(contents.data(), contents.size(), "rb");
    if (file == nullptr) return fmt::format("cannot read {}: {}", path, std::strerror(errno));
    Messages messages;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &messages, onError, onWarning);
    png_infop info = png ? png_create_info_struct(png) : nullptr;
    const png_text* text = info ? decode(png, info, file) : nullptr;
    std::variant<StateText, std::string> result;
    if (text != nullptr) {
        result = StateText{
            std::string(text->text, text->itxt_length ? text->itxt_length : text->text_length)};
    } else if (messages.error[0]) {
        result = fmt::format("{} is a damaged PNG file: {}", path, messages.error);
    } else if (messages.warning[0]) {
        result = fmt::format("{} carries no readable state: {}", path, messages.warning);
    } else {
        result = fmt::format("{} carries no state: only screenshots of Rayscope do", path);
    }
    png_destroy_read_struct(&png, &info, nullptr);
    std::fclose(file);
    return result;
}

}  // namespace rayscope
