// libjpeg, because it is fuzzed all the time and reads progressive files; what of it leaves by
// longjmp has no destructors, and what outlives it belongs to the caller.

#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
// after what it needs
#include <jerror.h>
#include <jpeglib.h>

#include "renderer/scene/picture_formats.h"

namespace rayscope {

namespace {

/// A progressive file may say little in each of very many scans.
constexpr int kMostScans = 500;

struct Decoder {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf leave{};
    bool ended = false;  ///< all bytes have been read
    char message[JMSG_LENGTH_MAX] = {};
};

Decoder& decoderOf(j_common_ptr jpeg) {
    return *static_cast<Decoder*>(jpeg->client_data);
}

[[noreturn]] void onError(j_common_ptr jpeg) {
    Decoder& decoder = decoderOf(jpeg);
    jpeg->err->format_message(jpeg, decoder.message);
    std::longjmp(decoder.leave, 1);
}

/// Where the file ends the library reads an end of the picture, too. If pixels needed more bytes,
/// it is cut off, which is an error; of other flaws the library makes the best.
void onMessage(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    Decoder& decoder = decoderOf(jpeg);
    if (jpeg->err->msg_code == JWRN_JPEG_EOF) decoder.ended = true;
    if (decoder.ended && jpeg->err->msg_code == JWRN_HIT_MARKER) onError(jpeg);
}

/// Whether a file is as it should be, but nothing that the library reads.
bool isUnknown(int error) {
    return error == JERR_BAD_PRECISION || error == JERR_CONVERSION_NOTIMPL ||
           error == JERR_SOF_UNSUPPORTED || error == JERR_ARITH_NOTIMPL || error == JERR_NOTIMPL;
}

/// Inks to red, green and blue, without a profile: each ink takes its share of light. Where Adobe's
/// marker is, bytes say how much ink is missing.
void withoutInks(jpeg_decompress_struct& jpeg, unsigned char* row) {
    const int full = jpeg.saw_Adobe_marker ? 0 : 255;
    for (JDIMENSION x = 0; x < jpeg.output_width; ++x, row += 4) {
        const int black = std::abs(full - row[3]);
        for (int c = 0; c < 3; ++c)
            row[c] = static_cast<unsigned char>((std::abs(full - row[c]) * black + 127) / 255);
        row[3] = 255;
    }
}

void onProgress(j_common_ptr jpeg) {
    if (decoderOf(jpeg).jpeg.input_scan_number > kMostScans) ERREXIT(jpeg, JERR_BAD_PROGRESSION);
}

/// Its size. False after an error.
bool begin(Decoder& decoder, std::string_view bytes) {
    if (setjmp(decoder.leave)) return false;
    jpeg_decompress_struct& jpeg = decoder.jpeg;
    jpeg.err = jpeg_std_error(&decoder.errors);
    jpeg.client_data = &decoder;
    decoder.errors.error_exit = onError;
    decoder.errors.emit_message = onMessage;
    jpeg_create_decompress(&jpeg);
    decoder.progress.progress_monitor = onProgress;
    jpeg.progress = &decoder.progress;
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg, TRUE);
    return true;
}

/// Its texels, four bytes each. False after an error.
bool decode(Decoder& decoder, unsigned char* texels) {
    if (setjmp(decoder.leave)) return false;
    jpeg_decompress_struct& jpeg = decoder.jpeg;
    const bool inks = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
    jpeg.out_color_space = inks ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height) {
        unsigned char* row = texels + std::size_t{4} * jpeg.output_width * jpeg.output_scanline;
        jpeg_read_scanlines(&jpeg, &row, 1);
        if (inks) withoutInks(jpeg, row);
    }
    jpeg_finish_decompress(&jpeg);
    return true;
}

}  // namespace

Result<Picture8> jpegPicture(std::string_view bytes) {
    Decoder decoder;
    Picture8 picture;
    std::string wrong;
    bool done = begin(decoder, bytes);
    const std::size_t width = decoder.jpeg.image_width, height = decoder.jpeg.image_height;
    if (done) wrong = wrongSize(width, height, kMostUnpacked * bytes.size());
    if (done && wrong.empty()) {
        picture = {static_cast<int>(width), static_cast<int>(height)};
        picture.texels.resize(width * height);
        done = decode(decoder, reinterpret_cast<unsigned char*>(picture.texels.data()));
    }
    jpeg_destroy_decompress(&decoder.jpeg);
    if (!wrong.empty()) return Failure{wrong};
    if (!done && isUnknown(decoder.errors.msg_code))
        return Failure{fmt::format("it is a JPEG file that is not read: {}", decoder.message)};
    if (!done) return damaged("JPEG", decoder.message);
    return picture;
}

}  // namespace rayscope
