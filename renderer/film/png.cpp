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

/// What a thread needs to compress bands, as often as it has one.
struct Scratch {
    Bytes row, filtered, packed;
};

/// Rows as their differences from the pixel to the left, after the number of that filter.
void filter(const PictureRows& picture, int begin, int end, Scratch& scratch) {
    const std::size_t row = 3 * static_cast<std::size_t>(picture.width);
    scratch.row.resize(row);
    scratch.filtered.resize((row + 1) * static_cast<std::size_t>(end - begin));
    const unsigned char* const from = scratch.row.data();
    unsigned char* to = scratch.filtered.data();
    for (int y = begin; y < end; ++y) {
        picture.write(y, scratch.row.data());
        *to++ = PNG_FILTER_VALUE_SUB;
        std::copy_n(from, 3, to);
        for (std::size_t x = 3; x < row; ++x)
            to[x] = static_cast<unsigned char>(from[x] - from[x - 3]);
        to += row;
    }
}

/// How hard zlib tries. In differences of noise it finds hardly any repetition but runs: a picture
/// of vt9 with a sample a pixel shrinks to 48 % at its fastest level, in 0.9 s for 100 MB, and to
/// 59 % by Z_RLE in 0.7 s.
struct Effort {
    int level, strategy;
};

void compressBand(const PictureRows& picture, int begin, int end, Effort effort, Scratch& scratch,
                  Band& band) {
    filter(picture, begin, end, scratch);
    Bytes &filtered = scratch.filtered, &packed = scratch.packed;
    z_stream stream{};
    if (deflateInit2(&stream, effort.level, Z_DEFLATED, -MAX_WBITS, 8, effort.strategy) != Z_OK)
        throw std::bad_alloc();
    band.length = filtered.size();
    band.adler = adler32(1, filtered.data(), static_cast<uInt>(filtered.size()));
    packed.resize(deflateBound(&stream, band.length) + 16);
    stream.next_in = filtered.data();
    stream.avail_in = static_cast<uInt>(filtered.size());
    stream.next_out = packed.data();
    stream.avail_out = static_cast<uInt>(packed.size());
    const bool last = end == picture.height;
    deflate(&stream, last ? Z_FINISH : Z_FULL_FLUSH);
    const std::size_t size = stream.total_out;
    deflateEnd(&stream);
    band.bytes.assign(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size));
}

/// The zlib stream of a picture, as bands that all cores compress.
std::vector<Band> compress(const PictureRows& picture) {
    constexpr std::size_t kBandBytes = std::size_t{1} << 21, kLarge = std::size_t{1} << 26;
    const std::size_t row = 3 * static_cast<std::size_t>(picture.width) + 1;
    const int rows = static_cast<int>(std::max<std::size_t>(1, kBandBytes / row));
    const bool large = row * static_cast<std::size_t>(picture.height) > kLarge;
    const Effort effort =
        large ? Effort{Z_BEST_SPEED, Z_RLE} : Effort{Z_DEFAULT_COMPRESSION, Z_FILTERED};
    std::vector<Band> bands(static_cast<std::size_t>((picture.height + rows - 1) / rows));
    const int count = static_cast<int>(bands.size());
    forRows(picture.width * rows, count, [&](int begin, int end) {
        Scratch scratch;
        for (int i = begin; i < end; ++i) {
            try {
                compressBand(picture, i * rows, std::min(picture.height, (i + 1) * rows), effort,
                             scratch, bands[static_cast<std::size_t>(i)]);
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
bool encode(png_structp png, png_infop info, std::FILE* file, const PictureRows& picture,
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
    return writePng(
        path, rowsOf(picture), [&] { return stateJson; }, existing);
}

Result<void> writePng(const std::string& path, const PictureRows& picture, const LateState& state,
                      Existing existing) {
    const std::vector<Band> bands = compress(picture);
    std::string json = state();
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
        const bool done =
            info && encode(png, info, file, picture, bands, json.empty() ? nullptr : &text);
        png_destroy_write_struct(&png, &info);
        if (done || std::ferror(file)) return {};  // writeFile reports the stream's errors
        return Failure{message.text[0] ? message.text : "libpng could not be started"};
    };
    return writeFile(path, write, existing);
}

}  // namespace rayscope
