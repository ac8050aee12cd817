#include "ui/font_file.h"

#include <cstdint>
#include <set>

#include "renderer/base/files.h"

namespace rayscope {

namespace {

constexpr std::size_t kMaxFontBytes = std::size_t{64} << 20;
constexpr std::size_t kHeader = 12, kRecord = 16;  ///< bytes; a record is tag, sum, offset, length

/// Big-endian; 0 where the file ends before it.
std::uint64_t number(std::string_view bytes, std::uint64_t at, int size) {
    std::uint64_t value = 0;
    if (at + size > bytes.size()) return 0;
    for (int i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

}  // namespace

bool isFont(std::string_view bytes) {
    const std::uint64_t start = bytes.starts_with("ttcf") ? number(bytes, kHeader, 4) : 0;
    if (start + kHeader > bytes.size()) return false;
    const std::string_view kind = bytes.substr(start, 4);
    const bool outlines = kind == std::string_view("\0\1\0\0", 4) || kind == "true";
    if (!outlines && kind != "OTTO") return false;
    std::set<std::string_view> missing{"cmap", "head", "hhea", "hmtx", "maxp"};
    missing.insert(outlines ? std::initializer_list<std::string_view>{"glyf", "loca"}
                            : std::initializer_list<std::string_view>{"CFF "});
    const std::uint64_t tables = number(bytes, start + 4, 2);
    for (std::uint64_t i = 0; i < tables; ++i) {
        const std::uint64_t record = start + kHeader + i * kRecord;
        if (record + kRecord > bytes.size()) return false;
        const std::uint64_t offset = number(bytes, record + 8, 4);
        const std::uint64_t length = number(bytes, record + 12, 4);
        if (offset + length > bytes.size()) return false;
        if (length > 0) missing.erase(bytes.substr(record, 4));
    }
    return missing.empty();
}

bool isFontFile(const std::string& path) {
    const auto file = readFile(path, kMaxFontBytes);
    return file && isFont(*file);
}

}  // namespace rayscope
