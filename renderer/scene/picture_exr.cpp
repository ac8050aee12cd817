// OpenEXR, by its own library. This is the only source that includes it.

#include "renderer/scene/picture_exr.h"

#include <ImfChannelList.h>
#include <ImfChromaticities.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfOutputFile.h>
#include <ImfPartType.h>
#include <ImfRgbaFile.h>
#include <ImfStandardAttributes.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/scene/picture_formats.h"

namespace rayscope {

namespace {

/// What ends the reading; exrPicture() returns it.
struct ExrProblem {
    std::string reason;
};

/// The bytes of a file.
class ExrSource : public Imf::IStream {
public:
    explicit ExrSource(std::string_view bytes) : IStream("it"), bytes_(bytes) {}

    bool read(char* to, int count) override {
        const auto wanted = static_cast<std::size_t>(std::max(count, 0));
        if (at_ > bytes_.size() || wanted > bytes_.size() - at_)
            throw std::runtime_error("it is cut off");
        std::memcpy(to, bytes_.data() + at_, wanted);
        at_ += wanted;
        return at_ < bytes_.size();
    }
    std::uint64_t tellg() override { return at_; }
    void seekg(std::uint64_t at) override { at_ = at; }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
};

class ExrSink : public Imf::OStream {
public:
    explicit ExrSink(std::string& bytes) : OStream("it"), bytes_(bytes) {}

    void write(const char* from, int count) override {
        const auto size = static_cast<std::size_t>(count);
        if (bytes_.size() < at_ + size) bytes_.resize(at_ + size);
        std::memcpy(bytes_.data() + at_, from, size);
        at_ += size;
    }
    std::uint64_t tellp() override { return at_; }
    void seekp(std::uint64_t at) override { at_ = at; }

private:
    std::string& bytes_;
    std::size_t at_ = 0;
};

/// Texels of a picture whose file says little of them: a small window in a large picture.
constexpr std::size_t kMostEmptyTexels = std::size_t{1} << 25;
/// A block of rows is unpacked at a time, with all of its channels.
constexpr std::size_t kMostBlockBytes = std::size_t{256} << 20;

/// Texels that so many bytes can hold. DWA and PIZ keep a flat block as a number or two, and pack
/// these.
std::size_t mostTexels(const Imf::Header& header, std::size_t bytes) {
    std::size_t texel = 0;
    for (auto c = header.channels().begin(); c != header.channels().end(); ++c) texel += 2;
    const Imf::Compression how = header.compression();
    const bool flat =
        how == Imf::DWAA_COMPRESSION || how == Imf::DWAB_COMPRESSION || how == Imf::PIZ_COMPRESSION;
    return (flat ? 64 : 1) * kMostUnpacked * bytes / std::max<std::size_t>(texel, 1);
}

std::size_t blockBytes(const Imf::Header& header) {
    std::size_t texel = 0;
    for (auto c = header.channels().begin(); c != header.channels().end(); ++c)
        texel += c.channel().type == Imf::HALF ? 2 : 4;
    const Imath::Box2i& window = header.dataWindow();
    const auto width = static_cast<std::size_t>(1LL + window.max.x - window.min.x);
    std::size_t rows = 1;
    switch (header.compression()) {
        case Imf::NO_COMPRESSION:
        case Imf::RLE_COMPRESSION:
        case Imf::ZIPS_COMPRESSION:
            break;
        case Imf::ZIP_COMPRESSION:
        case Imf::PXR24_COMPRESSION:
            rows = 16;
            break;
        case Imf::DWAB_COMPRESSION:
            rows = 256;
            break;
        default:
            rows = 32;
    }
    // the reader of tiles keeps a row of them
    if (header.hasTileDescription()) rows = header.tileDescription().ySize;
    return texel * width * rows;
}

/// The names of the channels that are read: those of colours, or one of brightness three times.
using ExrChannels = std::array<std::string, 3>;

/// The colours without a layer, or else of the first layer that has them.
std::optional<ExrChannels> colourChannels(const Imf::ChannelList& channels) {
    std::optional<ExrChannels> found;
    for (auto c = channels.begin(); c != channels.end(); ++c) {
        const std::string name = c.name();
        const std::size_t dot = name.rfind('.');
        const std::string layer = dot == name.npos ? "" : name.substr(0, dot + 1);
        const std::string last = name.substr(layer.size());
        if (last != "R" && last != "r") continue;
        const char shift = last == "r" ? 'a' - 'A' : 0;
        const ExrChannels names{name, layer + static_cast<char>('G' + shift),
                                layer + static_cast<char>('B' + shift)};
        if (channels.findChannel(names[1]) == nullptr || channels.findChannel(names[2]) == nullptr)
            continue;
        if (layer.empty()) return names;
        if (!found) found = names;
    }
    if (!found && channels.findChannel("Y") != nullptr) return ExrChannels{"Y", "Y", "Y"};
    return found;
}

bool isLuminanceChroma(const Imf::ChannelList& channels) {
    return channels.findChannel("Y") != nullptr && channels.findChannel("RY") != nullptr &&
           channels.findChannel("BY") != nullptr && channels.findChannel("R") == nullptr;
}

/// What of a part is not read; empty: nothing.
std::string notReadOf(const Imf::Header& header, std::size_t bytes) {
    if (header.hasType() && Imf::isDeepData(header.type()))
        return "it is an EXR file of deep pixels, which are not read";
    const Imath::Box2i& data = header.dataWindow();
    const Imath::Box2i& shown = header.displayWindow();
    for (const Imath::Box2i& window : {data, shown}) {
        const long long columns = 1LL + window.max.x - window.min.x;
        const long long rows = 1LL + window.max.y - window.min.y;
        std::size_t most = mostTexels(header, bytes);
        if (&window != &data) most = std::max(most, kMostEmptyTexels);
        const std::string wrong = wrongSize(columns, rows, most);
        if (!wrong.empty()) return wrong;
    }
    if (blockBytes(header) > kMostBlockBytes)
        return "it is an EXR file of too many channels for its size";
    if (isLuminanceChroma(header.channels())) return {};
    const std::optional<ExrChannels> channels = colourChannels(header.channels());
    if (!channels) return "it is an EXR file without channels R, G and B, or Y";
    for (const std::string& name : *channels) {
        const Imf::Channel& channel = header.channels()[name];
        if (channel.type == Imf::UINT)
            return "it is an EXR file of whole numbers, which are not read";
        if (channel.xSampling != 1 || channel.ySampling != 1)
            return "it is an EXR file with colours of a coarser grid, which are not read";
    }
    return {};
}

/// The first part with colours, or else the first.
int partOf(Imf::MultiPartInputFile& file) {
    for (int i = 0; i < file.parts(); ++i) {
        const Imf::Header& header = file.header(i);
        const bool deep = header.hasType() && Imf::isDeepData(header.type());
        if (!deep && (colourChannels(header.channels()) || isLuminanceChroma(header.channels())))
            return i;
    }
    return 0;
}

/// Rows of the data window one after the other, each copied to where the picture shows it; the
/// rest of the picture is black.
/// `readRow`: makes three numbers a pixel of the row y; `rgb` is always the same memory.
RadiancePicture pictureOf(const Imf::Header& header,
                          const std::function<void(int y, float* rgb)>& readRow) {
    const Imath::Box2i& data = header.dataWindow();
    const Imath::Box2i& shown = header.displayWindow();
    RadiancePicture picture{1 + shown.max.x - shown.min.x, 1 + shown.max.y - shown.min.y};
    const auto width = static_cast<std::size_t>(picture.width);
    picture.rgb.resize(3 * width * static_cast<std::size_t>(picture.height));
    const int left = std::max(data.min.x, shown.min.x), right = std::min(data.max.x, shown.max.x);
    std::vector<float> row(3 * static_cast<std::size_t>(1LL + data.max.x - data.min.x));
    const int first = std::max(data.min.y, shown.min.y), last = std::min(data.max.y, shown.max.y);
    for (int y = first; y <= last && left <= right; ++y) {
        readRow(y, row.data());
        const auto begin = static_cast<std::size_t>(y - shown.min.y) * width +
                           static_cast<std::size_t>(left - shown.min.x);
        std::copy_n(row.begin() + 3L * (left - data.min.x), 3L * (1 + right - left),
                    picture.rgb.begin() + static_cast<std::ptrdiff_t>(3 * begin));
    }
    return picture;
}

RadiancePicture coloursOf(Imf::MultiPartInputFile& file, int part) {
    Imf::InputPart input(file, part);
    const Imf::Header& header = input.header();
    const ExrChannels channels = *colourChannels(header.channels());
    const std::size_t read = channels[0] == channels[1] ? 1 : 3;
    const std::ptrdiff_t left = header.dataWindow().min.x;
    const std::ptrdiff_t width = 1 + header.dataWindow().max.x - left;
    bool ready = false;
    return pictureOf(header, [&](int y, float* rgb) {
        if (!std::exchange(ready, true)) {
            Imf::FrameBuffer buffer;
            constexpr std::ptrdiff_t kPixel = 3 * sizeof(float);
            // a slice begins where the pixel (0, 0) would be; all rows are read into this one
            char* const origin = reinterpret_cast<char*>(rgb) - left * kPixel;
            for (std::size_t c = 0; c < read; ++c)
                buffer.insert(channels[c],
                              Imf::Slice(Imf::FLOAT, origin + c * sizeof(float), kPixel, 0));
            input.setFrameBuffer(buffer);
        }
        input.readPixels(y, y);
        for (std::ptrdiff_t i = 0; i < width && read == 1; ++i)
            rgb[3 * i + 1] = rgb[3 * i + 2] = rgb[3 * i];
    });
}

/// Brightness and differences of colours, of which there is one for four pixels.
RadiancePicture chromaOf(std::string_view bytes, const Imf::Header& header) {
    ExrSource source(bytes);
    Imf::RgbaInputFile input(source);
    const int left = header.dataWindow().min.x;
    std::vector<Imf::Rgba> row(
        static_cast<std::size_t>(1LL + header.dataWindow().max.x - header.dataWindow().min.x));
    return pictureOf(header, [&](int y, float* rgb) {
        input.setFrameBuffer(row.data() - left, 1, 0);
        input.readPixels(y, y);
        for (const Imf::Rgba& pixel : row) {
            *rgb++ = pixel.r;
            *rgb++ = pixel.g;
            *rgb++ = pixel.b;
        }
    });
}

/// To the primaries that our pictures have, those of Rec. 709, if the file has others.
void toOurPrimaries(const Imf::Header& header, std::vector<float>& rgb) {
    if (!Imf::hasChromaticities(header)) return;
    const Imf::Chromaticities own, of = Imf::chromaticities(header);
    if (of == own) return;
    const Imath::M44f matrix = Imf::RGBtoXYZ(of, 1) * Imf::XYZtoRGB(own, 1);
    for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) {
        const Imath::V3f colour = Imath::V3f(rgb[i], rgb[i + 1], rgb[i + 2]) * matrix;
        for (int c = 0; c < 3; ++c) rgb[i + static_cast<std::size_t>(c)] = colour[c];
    }
}

/// Values of these types have one size, which the library reads whatever the file says.
constexpr std::pair<std::string_view, std::size_t> kFixedSizes[] = {
    {"box2i", 16},      {"box2f", 16},   {"chromaticities", 32},
    {"compression", 1}, {"double", 8},   {"envmap", 1},
    {"float", 4},       {"int", 4},      {"keycode", 28},
    {"lineOrder", 1},   {"m33f", 36},    {"m33d", 72},
    {"m44f", 64},       {"m44d", 128},   {"rational", 8},
    {"tiledesc", 9},    {"timecode", 8}, {"v2i", 8},
    {"v2f", 8},         {"v2d", 16},     {"v3i", 12},
    {"v3f", 12},        {"v3d", 24},     {"deepImageState", 1}};

/// A list of channels ends with an empty name, nowhere else; each has 16 bytes behind its name.
bool channelsFit(std::string_view value) {
    for (std::size_t at = 0; at < value.size();) {
        if (value[at] == 0) return at + 1 == value.size();
        const std::size_t end = value.find('\0', at);
        if (end == value.npos) return false;
        at = end + 1 + 16;
    }
    return false;
}

bool valueFits(std::string_view type, std::string_view value) {
    if (type == "chlist") return channelsFit(value);
    for (const auto& [name, size] : kFixedSizes)
        if (type == name) return value.size() == size;
    return type != "preview" || value.size() >= 8;
}

/// Whether the attributes of all headers lie in the file, with the sizes of their types: the
/// library allocates what an unknown one claims to have. "OpenEXR File Layout": after eight bytes
/// each has a name and a type, which end with 0, a size of four bytes, the lowest first, and its
/// value; an empty name ends a header, and of several parts an empty header the last.
bool attributesFit(std::string_view bytes) {
    constexpr unsigned kSeveralParts = 0x10;  // in the second byte of the flags
    constexpr std::size_t kBegin = 8;
    if (bytes.size() < kBegin) return true;  // which the library names
    const bool several = (static_cast<unsigned char>(bytes[5]) & kSeveralParts) != 0;
    bool empty = true;  // the header under way
    for (std::size_t at = kBegin; at < bytes.size();) {
        if (bytes[at] == 0) {
            if (!several || empty) return true;
            empty = true;
            ++at;
            continue;
        }
        empty = false;
        const std::size_t type = bytes.find('\0', at) + 1;
        if (type == 0) return false;
        const std::size_t end = bytes.find('\0', type);
        if (end == bytes.npos || bytes.size() - end < 5) return false;
        std::size_t size = 0;
        for (int i = 4; i > 0; --i) size = size << 8 | static_cast<unsigned char>(bytes[end + i]);
        at = end + 5;
        if (size > bytes.size() - at) return false;
        if (!valueFits(bytes.substr(type, end - type), bytes.substr(at, size))) return false;
        at += size;
    }
    return false;
}

RadiancePicture exrIn(std::string_view bytes) {
    // what a header claims is not allocated
    static std::once_flag once;
    std::call_once(once, [] {
        Imf::Header::setMaxImageSize(kMaxPictureSide, kMaxPictureSide);
        Imf::Header::setMaxTileSize(kMaxPictureSide, kMaxPictureSide);
    });
    if (!attributesFit(bytes)) throw ExrProblem{"it is a damaged EXR file: its header ends early"};
    ExrSource source(bytes);
    Imf::MultiPartInputFile file(source, 0);
    const int part = partOf(file);
    const Imf::Header& header = file.header(part);
    const std::string wrong = notReadOf(header, bytes.size());
    if (!wrong.empty()) throw ExrProblem{wrong};
    const bool chroma = isLuminanceChroma(header.channels());
    if (chroma && part != 0)
        throw ExrProblem{"it is an EXR file whose second part has channels RY and BY"};
    RadiancePicture picture = chroma ? chromaOf(bytes, header) : coloursOf(file, part);
    toOurPrimaries(header, picture.rgb);
    return picture;
}

}  // namespace

Result<RadiancePicture> exrPicture(std::string_view bytes) {
    try {
        return exrIn(bytes);
    } catch (const ExrProblem& problem) {
        return Failure{problem.reason};
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& problem) {
        const std::string_view text = problem.what();
        // the library's threads pass on the text alone
        if (text.find("bad_alloc") != text.npos) throw std::bad_alloc();
        if (text.find("exceeds the maximum") != text.npos)
            return Failure{fmt::format("it has too many pixels: at most {} along a side are read",
                                       kMaxPictureSide)};
        return damaged("EXR", problem.what());
    }
}

Result<std::string> exrBytes(int width, int height, std::span<const float> rgb) {
    try {
        Imf::Header header(width, height);
        header.compression() = Imf::ZIP_COMPRESSION;
        Imf::FrameBuffer buffer;
        constexpr std::size_t kPixel = 3 * sizeof(float);
        for (std::size_t c = 0; c < 3; ++c) {
            const std::string name(1, "RGB"[c]);
            header.channels().insert(name, Imf::Channel(Imf::FLOAT));
            // only read, though the library's type does not say so
            auto* const first = const_cast<float*>(rgb.data()) + c;
            buffer.insert(name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(first), kPixel,
                                           kPixel * static_cast<std::size_t>(width)));
        }
        std::string bytes;
        {
            ExrSink sink(bytes);
            Imf::OutputFile file(sink, header, 0);
            file.setFrameBuffer(buffer);
            file.writePixels(height);
        }
        return bytes;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& problem) {
        return Failure{printable(problem.what())};
    }
}

}  // namespace rayscope
