#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "renderer/backend/cubin_file.h"

// For readers of DWARF (DWARF Debugging Information Format, version 5).

namespace rayscope {

struct DamagedLines : std::runtime_error {
    DamagedLines() : std::runtime_error("the line table of the compiled kernel is damaged") {}
};

/// Reads DWARF's numbers one after the other. Throws DamagedLines at the end.
class DwarfBytes {
public:
    explicit DwarfBytes(std::string_view all, std::size_t at = 0) : all_(all), at_(at) {}

    std::size_t at() const { return at_; }
    bool ended() const { return at_ >= all_.size(); }
    template <class T>
    T take() {
        const auto value = readAt<T>(all_, at_);
        if (!value) throw DamagedLines();
        at_ += sizeof(T);
        return *value;
    }
    std::string_view text() {
        const auto found = textAt(all_, at_);
        if (!found) throw DamagedLines();
        at_ += found->size() + 1;
        return *found;
    }
    std::string_view bytes(std::size_t size) {
        const auto found = sliceOf(all_, at_, size);
        if (!found) throw DamagedLines();
        at_ += size;
        return *found;
    }
    /// Of so many bytes, at most eight.
    std::uint64_t unsignedOf(std::size_t size) {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes(size).data(), size);
        return value;
    }
    /// LEB128
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = take<std::uint8_t>();
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return value;
        }
        throw DamagedLines();
    }
    std::int64_t signedNumber() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = take<std::uint8_t>();
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte >= 0x80) continue;
            if (shift + 7 < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << (shift + 7);
            return static_cast<std::int64_t>(value);
        }
        throw DamagedLines();
    }
    void goTo(std::size_t at) {
        if (at < at_ || at > all_.size()) throw DamagedLines();
        at_ = at;
    }
    /// The next bytes alone, counted from the same beginning.
    DwarfBytes until(std::size_t end) const {
        if (end < at_ || end > all_.size()) throw DamagedLines();
        return DwarfBytes(all_.substr(0, end), at_);
    }

private:
    std::string_view all_;
    std::size_t at_;
};

}  // namespace rayscope
