#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <new>
#include <vector>

#include "renderer/base/files.h"
#include "renderer/film/image_files.h"
#include "renderer/film/rows.h"

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

using Bytes = std::vector<unsigned char>;

/// Some rows, compressed apart from the others.
struct Band {
    Bytes bytes;
    uLong adler = 1, length = 0;  ///< of what was compressed
    bool failed = false;
};

/// Compresses rows, each as its differences from the pixel to the left.
void compressBand(const Picture& picture, int begin, int end, int level, Band& band) {
    const std::size_t row = 3 * static_cast<std::size_t>(picture.width);
    Bytes filtered((row + 1) * static_cast<std::size_t>(end - begin));
    unsigned char* to = filtered.data();
    for (int y = begin; y < end; ++y) {
        const std::uint8_t* from = picture.rgb.data() + row * static_cast<std::size_t>(y);
        *to++ = PNG_FILTER_VALUE_SUB;
        for (std::size_t x = 0; x < row; ++x)
            *to++ = static_cast<unsigned char>(from[x] - (x < 3 ? 0 : from[x - 3]));
    }
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_FILTERED) != Z_OK)
        throw std::bad_alloc();
    band.length = filtered.size();
    band.adler = adler32(1, filtered.data(), static_cast<uInt>(filtered.size()));
    band.bytes.resize(deflateBound(&stream, band.length) + 16);
    stream.next_in = filtered.data();
    stream.avail_in = static_cast<uInt>(filtered.size());
    stream.next_out = band.bytes.data();
    stream.avail_out = static_cast<uInt>(band.bytes.size());
    const bool last = end == picture.height;
    deflate(&stream, last ? Z_FINISH : Z_FULL_FLUSH);
    band.bytes.resize(stream.total_out);
    deflateEnd(&stream);
}

/// The zlib stream of a picture, as bands that all cores compress.
std::vector<Band> compress(const Picture& picture) {
    constexpr std::size_t kBandBytes = std::size_t{1} << 21, kLarge = std::size_t{1} << 26;
    const std::size_t row = 3 * static_cast<std::size_t>(picture.width) + 1;
    const int rows = static_cast<int>(std::max<std::size_t>(1, kBandBytes / row));
    const int level = picture.rgb.size() > kLarge ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION;
    std::vector<Band> bands(static_cast<std::size_t>((picture.height + rows - 1) / rows));
    const int count = static_cast<int>(bands.size());
    forRows(picture.width * rows, count, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            try {
                compressBand(picture, i * rows, std::min(picture.height, (i + 1) * rows), level,
                             bands[static_cast<std::size_t>(i)]);
            } catch (const std::bad_alloc&) {
                bands[static_cast<std::size_t>(i)].failed = true;
            }
        }
    });
    if (bands.empty()) return bands;
    uLong adler = 1;
    for (const Band& band : bands) {
        if (band.failed) throw std::bad_alloc();
        adler = adler32_combine(adler, band.adler, static_cast<z_off_t>(band.length));
    }
    bands.front().bytes.insert(bands.front().bytes.begin(), {0x78, 0x01});  // RFC 1950
    for (int shift = 24; shift >= 0; shift -= 8)
        bands.back().bytes.push_back(static_cast<unsigned char>(adler >> shift));
    return bands;
}

/// False after an error.
bool encode(png_structp png, png_infop info, std::FILE* file, const Picture& picture,
            const std::vector<Band>& bands, png_text* text) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_init_io(png, file);
    png_set_user_limits(png, kMaxSide, kMaxSide);
    png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width),
                 static_cast<png_uint_32>(picture.height), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (text != nullptr) png_set_text(png, info, text, 1);
    png_write_info(png, info);
    for (const Band& band : bands)
        png_write_chunk(png, reinterpret_cast<png_const_bytep>("IDAT"), band.bytes.data(),
                        band.bytes.size());
    png_write_chunk(png, reinterpret_cast<png_const_bytep>("IEND"), nullptr, 0);
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
    const std::vector<Band> bands = compress(picture);
    const auto write = [&](std::FILE* file) -> Result<void> {
        Message message;
        png_structp png =
            png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, onError, onWarning);
        png_infop info = png ? png_create_info_struct(png) : nullptr;
        const bool done =
            info && encode(png, info, file, picture, bands, json.empty() ? nullptr : &text);
        png_destroy_write_struct(&png, &info);
        if (done || std::ferror(file)) return {};  // writeFile reports the stream's errors
        return Failure{message.text[0] ? message.text : "libpng could not be started"};
    };
    return writeFile(path, write, existing);
}

}  // namespace rayscope
