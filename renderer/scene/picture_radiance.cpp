// Pictures of radiance. HDR is Radiance's own format: a header of lines, then pixels of three bytes
// and an exponent (Ward 1991, "Real Pixels"), one by one, in runs of equal pixels, or packed as
// runs of each component.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "renderer/scene/picture_formats.h"

namespace rayscope {

namespace {

/// What ends the reading; hdrPicture() returns it.
struct HdrProblem {
    std::string reason;
};

/// Text without blanks around it.
std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// An order of pixels, as "-Y 2 +X 3" says it: what changes slowest comes first; +Y is up.
struct HdrOrder {
    bool columns = false;     ///< a scanline is a column of the picture
    bool right = true;        ///< x grows with the file
    bool down = true;         ///< y goes from the top
    int lines = 0, each = 0;  ///< scanlines, and pixels in one

    int width() const { return columns ? lines : each; }
    int height() const { return columns ? each : lines; }
    /// The number of a pixel in a picture of rows from the top.
    std::size_t place(int line, int i) const {
        int x = columns ? line : i, y = columns ? i : line;
        if (!right) x = width() - 1 - x;
        if (!down) y = height() - 1 - y;
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width()) +
               static_cast<std::size_t>(x);
    }
};

class HdrReader {
public:
    explicit HdrReader(std::string_view bytes) : bytes_(bytes) {
        // lines of old Macs end with a carriage return alone
        const std::size_t end = bytes.find_first_of("\r\n");
        if (end != bytes.npos && bytes[end] == '\r' && bytes.substr(end + 1, 1) != "\n")
            end_ = '\r';
    }

    RadiancePicture read() {
        header();
        RadiancePicture picture{order_.width(), order_.height()};
        constexpr std::size_t kMostOfAByte = 16;  // a run of 127 in two, for each component
        const std::string wrong =
            wrongSize(picture.width, picture.height,
                      std::max(kMostOfAByte * bytes_.size(), oldRuns() ? kMostOfOldRuns : 0));
        if (!wrong.empty()) throw HdrProblem{wrong};
        const auto each = static_cast<std::size_t>(order_.each);
        picture.rgb.resize(3 * each * static_cast<std::size_t>(order_.lines));
        std::vector<unsigned char> scanline(4 * each);
        for (int l = 0; l < order_.lines; ++l) {
            readScanline(scanline, each);
            for (int i = 0; i < order_.each; ++i)
                set(&scanline[4 * static_cast<std::size_t>(i)],
                    &picture.rgb[3 * order_.place(l, i)]);
        }
        return picture;
    }

private:
    /// Texels of a file with runs that may be as long as its scanlines.
    static constexpr std::size_t kMostOfOldRuns = std::size_t{1} << 26;

    std::string_view line() {
        const std::size_t end = bytes_.find(end_, at_);
        if (end == bytes_.npos) throw HdrProblem{"it is an HDR file whose header has no end"};
        const std::string_view text = trimmed(bytes_.substr(at_, end - at_));
        at_ = end + 1;
        return text;
    }

    void header() {
        for (std::string_view text = line(); !text.empty(); text = line()) {
            const std::size_t equals = text.find('=');
            if (equals == text.npos) continue;
            const std::string_view name = trimmed(text.substr(0, equals));
            const std::string_view value = trimmed(text.substr(equals + 1));
            if (name == "FORMAT" && value == "32-bit_rle_xyze")
                throw HdrProblem{
                    "it is an HDR file of X, Y and Z (32-bit_rle_xyze), not of red, "
                    "green and blue"};
            if (name == "FORMAT" && value != "32-bit_rle_rgbe")
                throw HdrProblem{"it is an HDR file of other numbers than 32-bit_rle_rgbe"};
            if (name == "EXPOSURE") divideBy(value, 1);
            if (name == "COLORCORR") divideBy(value, 3);
        }
        readOrder(line());
    }

    /// Numbers by which the pixels have been multiplied already, one or each colour's; there may be
    /// several such lines.
    void divideBy(std::string_view text, int numbers) {
        std::array<double, 3> by{};
        std::size_t at = 0;
        for (int i = 0; i < numbers; ++i) {
            at = text.find_first_not_of(" \t", at);
            if (at == text.npos) return;
            if (text[at] == '+') ++at;
            double& number = by[static_cast<std::size_t>(i)];
            const auto [end, error] =
                std::from_chars(text.data() + at, text.data() + text.size(), number);
            if (error != std::errc() || !(number > 0) || !std::isfinite(number)) return;
            at = static_cast<std::size_t>(end - text.data());
        }
        for (std::size_t c = 0; c < 3; ++c) scale_[c] /= numbers == 3 ? by[c] : by[0];
    }

    void readOrder(std::string_view text) {
        const std::string line(text);
        std::array<char, 2> sign{}, axis{};
        std::array<int, 2> size{};
        const bool read = std::sscanf(line.c_str(), "%c%c %9d %c%c %9d", &sign[0], &axis[0],
                                      &size[0], &sign[1], &axis[1], &size[1]) == 6;
        const auto isSign = [](char c) { return c == '+' || c == '-'; };
        const bool rows = axis[0] == 'Y' && axis[1] == 'X';
        if (!read || !isSign(sign[0]) || !isSign(sign[1]) ||
            (!rows && !(axis[0] == 'X' && axis[1] == 'Y')))
            throw HdrProblem{"it is an HDR file without a line of its size, as -Y 512 +X 1024"};
        order_ = {!rows, sign[rows ? 1 : 0] == '+', sign[rows ? 0 : 1] == '-', size[0], size[1]};
    }

    unsigned char byte() {
        if (at_ == bytes_.size()) throw HdrProblem{"it is an HDR file that is cut off"};
        return static_cast<unsigned char>(bytes_[at_++]);
    }

    /// A packed scanline begins with 2, 2 and its number of pixels.
    bool isPacked(std::size_t each) const {
        const std::string_view next = bytes_.substr(at_, 4);
        return each >= 8 && next.size() == 4 && next[0] == 2 && next[1] == 2 &&
               static_cast<unsigned char>(next[2]) * std::size_t{256} +
                       static_cast<unsigned char>(next[3]) ==
                   each;
    }

    /// Whether the first scanline may have runs of the first kind.
    bool oldRuns() const { return !isPacked(static_cast<std::size_t>(std::max(order_.each, 0))); }

    void readScanline(std::vector<unsigned char>& scanline, std::size_t each) {
        if (!isPacked(each)) return readPixels(scanline, each);
        at_ += 4;
        for (std::size_t component = 0; component < 4; ++component) {
            for (std::size_t x = 0; x < each;) {
                const unsigned char code = byte();
                const bool run = code > 128;
                const std::size_t count = run ? code - 128u : code;
                if (count == 0 || count > each - x)
                    throw HdrProblem{"it is an HDR file with a row that is too long"};
                unsigned char value = run ? byte() : 0;
                for (std::size_t i = 0; i < count; ++i, ++x)
                    scanline[4 * x + component] = run ? value : byte();
            }
        }
    }

    /// Pixels one after the other. 1, 1, 1 and n repeat the one before n times; the next such has
    /// the following eight bits of n.
    void readPixels(std::vector<unsigned char>& scanline, std::size_t each) {
        int shift = 0;
        for (std::size_t x = 0; x < each;) {
            std::array<unsigned char, 4> pixel{};
            for (unsigned char& value : pixel) value = byte();
            if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
                std::copy(pixel.begin(), pixel.end(), &scanline[4 * x++]);
                last_ = pixel;
                shift = 0;
                continue;
            }
            const std::size_t times = shift < 24 ? std::size_t{pixel[3]} << shift : 0;
            shift += 8;
            for (std::size_t i = 0; i < times && x < each; ++i)
                std::copy(last_.begin(), last_.end(), &scanline[4 * x++]);
        }
    }

    void set(const unsigned char* rgbe, float* rgb) const {
        const float step = rgbe[3] == 0 ? 0 : std::ldexp(1.f, rgbe[3] - 128 - 8);
        for (std::size_t c = 0; c < 3; ++c)
            rgb[c] = static_cast<float>(scale_[c] * ((rgbe[c] + .5) * step));
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    char end_ = '\n';  ///< of a line
    HdrOrder order_;
    std::array<double, 3> scale_{1, 1, 1};
    std::array<unsigned char, 4> last_{};  ///< pixel
};

}  // namespace

Result<RadiancePicture> hdrPicture(std::string_view bytes) {
    try {
        return HdrReader(bytes).read();
    } catch (const HdrProblem& problem) {
        return Failure{problem.reason};
    }
}

}  // namespace rayscope
