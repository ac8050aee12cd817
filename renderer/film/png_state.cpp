// Reads the text that a PNG carries, without its picture: walks the chunks and decompresses only
// this one, since the file may be hostile (PNG specification, third edition, 5 and 11.3.3).

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "renderer/base/files.h"
#include "renderer/film/image_files.h"

namespace rayscope {

namespace {

constexpr std::size_t kMaxText = std::size_t{64} << 20;
constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

struct Chunk {
    std::string_view type, data;
    bool intact = false;
};

std::uint32_t bigEndian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// Takes the next chunk; false if the rest is too short.
bool take(std::string_view& bytes, Chunk& chunk) {
    constexpr std::size_t kAround = 12;  // length, type and CRC
    if (bytes.size() < kAround) return false;
    const std::size_t length = bigEndian(bytes);
    if (length > bytes.size() - kAround) return false;
    chunk.type = bytes.substr(4, 4);
    chunk.data = bytes.substr(8, length);
    const auto* covered = reinterpret_cast<const Bytef*>(chunk.type.data());
    chunk.intact =
        crc32(0, covered, static_cast<uInt>(length + 4)) == bigEndian(bytes.substr(8 + length));
    bytes.remove_prefix(kAround + length);
    return true;
}

/// Takes what comes before the next zero byte; false if there is none.
bool takeWord(std::string_view& bytes, std::string_view& word) {
    const std::size_t end = bytes.find('\0');
    if (end == bytes.npos) return false;
    word = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    return true;
}

Result<std::string> unpack(std::string_view packed) {
    std::string text;
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    if (inflateInit(&stream) != Z_OK) return Failure{"zlib could not be started"};
    int result = Z_OK;
    bool fits = true;
    char buffer[1 << 14];
    while (result == Z_OK && fits) {
        stream.next_out = reinterpret_cast<Bytef*>(buffer);
        stream.avail_out = sizeof buffer;
        result = inflate(&stream, Z_NO_FLUSH);
        const std::size_t size = sizeof buffer - stream.avail_out;
        fits = text.size() + size <= kMaxText;
        if (fits) text.append(buffer, size);
    }
    inflateEnd(&stream);
    if (!fits) return Failure{fmt::format("its text has more than {} bytes", kMaxText)};
    if (result != Z_STREAM_END) return Failure{"its text is packed wrongly"};
    return text;
}

bool isText(std::string_view type) {
    return type == "iTXt" || type == "zTXt" || type == "tEXt";
}

/// The text after the keyword, in any kind of text chunk: a program that saves the picture again
/// may choose another.
Result<std::string> textIn(std::string_view type, std::string_view data) {
    const Failure wrong{"its text chunk is too short"};
    bool packed = type == "zTXt";
    if (type != "tEXt") {
        const std::size_t flags = type == "iTXt" ? 2 : 1;  // whether packed; the method, always 0
        if (data.size() < flags) return wrong;
        if (data[flags - 1] != 0) return Failure{"its text is packed by an unknown method"};
        if (type == "iTXt") packed = data[0] != 0;
        data.remove_prefix(flags);
    }
    std::string_view language, keyword;
    if (type == "iTXt" && !(takeWord(data, language) && takeWord(data, keyword))) return wrong;
    return packed ? unpack(data) : std::string(data);
}

}  // namespace

Result<std::string> pngState(std::string_view bytes, const std::string& file) {
    if (!bytes.starts_with(kSignature)) return Failure{fmt::format("{} is not a PNG file", file)};
    bytes.remove_prefix(kSignature.size());
    Chunk chunk;
    while (take(bytes, chunk)) {
        if (chunk.type == "IEND")
            return Failure{
                fmt::format("{} carries no state: only screenshots of Rayscope do", file)};
        std::string_view keyword;
        if (!isText(chunk.type)) continue;
        if (!chunk.intact)
            return Failure{
                fmt::format("{} is a damaged PNG file: the CRC of a text is wrong", file)};
        if (!takeWord(chunk.data, keyword) || keyword != kStateKeyword) continue;
        Result<std::string> text = textIn(chunk.type, chunk.data);
        if (text) return text;
        return Failure{fmt::format("{} carries no readable state: {}", file, text.reason())};
    }
    return Failure{fmt::format("{} is a damaged PNG file: it is cut off", file)};
}

Result<std::string> readPngState(const std::string& path) {
    const Result<std::string> file = readFile(path, kMaxStateFile);
    if (!file) return file.failure();
    return pngState(*file, path);
}

}  // namespace rayscope
