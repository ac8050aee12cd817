// Pictures of radiance. HDR is Radiance's own format: a header of lines, then pixels of three bytes
// and an exponent (Ward 1991, "Real Pixels"), row by row or packed as runs of each component.

#include <fmt/format.h>
#include <tinyexr.h>

#include <array>
#include <cmath>

#include "renderer/scene/picture_formats.h"

namespace rayscope {

namespace {

/// What ends the reading; hdrPicture() returns it.
struct HdrProblem {
    std::string reason;
};

class HdrReader {
public:
    explicit HdrReader(std::string_view bytes) : bytes_(bytes) {}

    RadiancePicture read() {
        header();
        constexpr std::size_t kMostOfAByte = 16;  // a run of 127 in two, for each component
        const std::string wrong =
            wrongSize(picture_.width, picture_.height, kMostOfAByte * bytes_.size());
        if (!wrong.empty()) throw HdrProblem{wrong};
        const auto width = static_cast<std::size_t>(picture_.width);
        picture_.rgb.reserve(3 * width * static_cast<std::size_t>(picture_.height));
        std::vector<unsigned char> row(4 * width);
        for (int y = 0; y < picture_.height; ++y) {
            readRow(row, width);
            for (std::size_t x = 0; x < width; ++x) add(&row[4 * x]);
        }
        return std::move(picture_);
    }

private:
    std::string_view line() {
        const std::size_t end = bytes_.find('\n', at_);
        if (end == bytes_.npos) throw HdrProblem{"it is an HDR file whose header has no end"};
        const std::string_view text = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return text;
    }

    /// "-Y height +X width" is its last line; other orders of pixels are hardly used.
    void header() {
        for (std::string_view text = line(); !text.empty(); text = line()) {
            if (text.starts_with("FORMAT=") && text != "FORMAT=32-bit_rle_rgbe")
                throw HdrProblem{"it is an HDR file of other numbers than 32-bit_rle_rgbe"};
        }
        const std::string size(line());
        if (std::sscanf(size.c_str(), "-Y %9d +X %9d", &picture_.height, &picture_.width) != 2)
            throw HdrProblem{"it is an HDR file whose rows do not go from the top left"};
    }

    unsigned char byte() {
        if (at_ == bytes_.size()) throw HdrProblem{"it is an HDR file that is cut off"};
        return static_cast<unsigned char>(bytes_[at_++]);
    }

    /// A packed row begins with 2, 2 and its width.
    void readRow(std::vector<unsigned char>& row, std::size_t width) {
        const std::string_view next = bytes_.substr(at_, 4);
        const bool packed = width >= 8 && next.size() == 4 && next[0] == 2 && next[1] == 2 &&
                            static_cast<unsigned char>(next[2]) * std::size_t{256} +
                                    static_cast<unsigned char>(next[3]) ==
                                width;
        if (!packed) {
            for (unsigned char& value : row) value = byte();
            return;
        }
        at_ += 4;
        for (std::size_t component = 0; component < 4; ++component) {
            for (std::size_t x = 0; x < width;) {
                const unsigned char code = byte();
                const bool run = code > 128;
                const std::size_t count = run ? code - 128u : code;
                if (count == 0 || count > width - x)
                    throw HdrProblem{"it is an HDR file with a row that is too long"};
                unsigned char value = run ? byte() : 0;
                for (std::size_t i = 0; i < count; ++i, ++x)
                    row[4 * x + component] = run ? value : byte();
            }
        }
    }

    void add(const unsigned char* rgbe) {
        const float step = rgbe[3] == 0 ? 0 : std::ldexp(1.f, rgbe[3] - 128 - 8);
        for (int c = 0; c < 3; ++c)
            picture_.rgb.push_back((static_cast<float>(rgbe[c]) + .5f) * step);
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    RadiancePicture picture_;
};

/// What tinyexr allocates.
struct Exr {
    EXRHeader header{};
    EXRImage image{};

    Exr() {
        InitEXRHeader(&header);
        InitEXRImage(&image);
    }
    Exr(const Exr&) = delete;
    Exr& operator=(const Exr&) = delete;
    ~Exr() {
        FreeEXRImage(&image);
        FreeEXRHeader(&header);
    }
};

/// The channel of a name, or of "Y" in a picture without colours; -1: there is none.
int channelOf(const EXRHeader& header, const std::string& name) {
    for (const std::string& wanted : {name, std::string("Y")}) {
        for (int i = 0; i < header.num_channels; ++i) {
            if (header.channels[i].name == wanted) return i;
        }
    }
    return -1;
}

/// What of a header is not read; empty: nothing.
std::string notRead(const EXRHeader& header, std::size_t bytes) {
    constexpr int kMostChannels = 64;
    if (header.tiled) return "it is an EXR file of tiles, which are not read";
    const long long columns = 1LL + header.data_window.max_x - header.data_window.min_x;
    const long long rows = 1LL + header.data_window.max_y - header.data_window.min_y;
    if (header.num_channels < 1 || header.num_channels > kMostChannels)
        return "it is an EXR file of too few or too many channels";
    const auto pixel = static_cast<std::size_t>(2 * header.num_channels);
    const std::string wrong = wrongSize(columns, rows, kMostUnpacked * bytes / pixel);
    if (!wrong.empty()) return wrong;
    for (const char* name : {"R", "G", "B"}) {
        const int channel = channelOf(header, name);
        if (channel < 0) return "it is an EXR file without channels R, G and B, or Y";
        if (header.pixel_types[channel] == TINYEXR_PIXELTYPE_UINT)
            return "it is an EXR file of whole numbers, which are not read";
    }
    return {};
}

}  // namespace

Result<RadiancePicture> hdrPicture(std::string_view bytes) {
    try {
        return HdrReader(bytes).read();
    } catch (const HdrProblem& problem) {
        return Failure{problem.reason};
    }
}

Result<RadiancePicture> exrPicture(std::string_view bytes) {
    const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
    const char* message = nullptr;
    const auto failed = [&] {
        const std::string text = message != nullptr ? message : "it is cut off";
        FreeEXRErrorMessage(message);
        return damaged("EXR", text);
    };
    EXRVersion version{};
    if (ParseEXRVersionFromMemory(&version, data, bytes.size()) != TINYEXR_SUCCESS) return failed();
    if (version.multipart || version.non_image)
        return Failure{"it is an EXR file of several parts, which are not read"};
    Exr exr;
    if (ParseEXRHeaderFromMemory(&exr.header, &version, data, bytes.size(), &message) !=
        TINYEXR_SUCCESS)
        return failed();
    const std::string wrong = notRead(exr.header, bytes.size());
    if (!wrong.empty()) return Failure{wrong};
    for (int i = 0; i < exr.header.num_channels; ++i) {
        if (exr.header.pixel_types[i] == TINYEXR_PIXELTYPE_HALF)
            exr.header.requested_pixel_types[i] = TINYEXR_PIXELTYPE_FLOAT;
    }
    std::array<int, 3> channels{};
    for (std::size_t c = 0; c < 3; ++c) channels[c] = channelOf(exr.header, {"RGB"[c]});
    exr.image.num_channels = exr.header.num_channels;  // so many it frees where it fails
    if (LoadEXRImageFromMemory(&exr.image, &exr.header, data, bytes.size(), &message) !=
        TINYEXR_SUCCESS) {
        InitEXRImage(&exr.image);
        return failed();
    }
    RadiancePicture picture{exr.image.width, exr.image.height};
    const std::size_t count =
        static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
    picture.rgb.reserve(3 * count);
    for (std::size_t i = 0; i < count; ++i) {
        for (const int c : channels)
            picture.rgb.push_back(reinterpret_cast<const float*>(exr.image.images[c])[i]);
    }
    return picture;
}

}  // namespace rayscope
