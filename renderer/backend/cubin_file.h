#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

// The ELF file that a compiled program is, of a GPU or of this processor. It may be anything:
// nothing outside of it is read.

namespace rayscope {

struct CubinSection {
    std::string_view name;
    std::string_view content;   ///< empty if the file has none
    std::uint64_t size = 0;     ///< in the device's memory
    std::uint64_t address = 0;  ///< there, from where the file is loaded; 0: it is not
};

/// By their numbers; nothing if the file is not a cubin or anything in it points outside of it.
std::optional<std::vector<CubinSection>> cubinSections(std::string_view bytes);

/// The same of an object for x86-64.
std::optional<std::vector<CubinSection>> hostSections(std::string_view bytes);

/// The file says that it is for x86-64.
bool isHostObject(std::string_view bytes);

/// The content of the first section of this name, or nothing.
std::optional<std::string_view> contentOf(const std::vector<CubinSection>& sections,
                                          std::string_view name);

/// `size` bytes from `offset` on, or nothing if they are not all there.
std::optional<std::string_view> sliceOf(std::string_view bytes, std::uint64_t offset,
                                        std::uint64_t size);

template <class T>
std::optional<T> readAt(std::string_view bytes, std::uint64_t offset) {
    const auto found = sliceOf(bytes, offset, sizeof(T));
    if (!found) return {};
    T value;
    std::memcpy(&value, found->data(), sizeof value);
    return value;
}

/// The text that begins there and ends with a zero.
std::optional<std::string_view> textAt(std::string_view table, std::uint64_t offset);

}  // namespace rayscope
