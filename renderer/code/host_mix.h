#pragma once

#include <array>
#include <string>
#include <string_view>

// What instructions of x86-64 do, and on how many bits at once.

namespace rayscope {

/// An arithmetic instruction that reads its operand from memory is arithmetic, not a load.
enum class HostKind {
    floats,      ///< arithmetic and comparisons
    division,    ///< division, roots and their estimates, of integers, too
    conversion,  ///< between types; rounding
    integers,    ///< arithmetic and comparisons, and all operations on bits
    load,
    store,
    gather,  ///< and scatter
    move,    ///< between registers; shuffles and blends
    mask,    ///< mask registers, and masks to and from others
    branch,
    call,  ///< and return
    other
};
inline constexpr std::size_t kHostKinds = static_cast<std::size_t>(HostKind::other) + 1;

/// Of the largest register that an instruction names. scalar: one number, in whatever register.
enum class HostWidth { scalar, bits128, bits256, bits512 };
inline constexpr std::size_t kHostWidths = static_cast<std::size_t>(HostWidth::bits512) + 1;

/// "FP arithmetic", "256 bits"
const char* nameOf(HostKind kind);
const char* nameOf(HostWidth width);

struct HostClass {
    HostKind kind = HostKind::other;
    HostWidth width = HostWidth::scalar;
    bool memory = false;  ///< it reads or writes memory
    bool stack =
        false;  ///< at an address relative to the stack pointer: variables without register
    bool operator==(const HostClass&) const = default;
};

/// Of an instruction in Intel's syntax as GNU objdump writes it, "vaddps ymm0,ymm1,ymm2" (Intel 64
/// and IA-32 Architectures Software Developer's Manual, volume 2).
HostClass hostClass(std::string_view instruction);

/// How many instructions of each kind and width there are; static, not by how often they run.
struct HostMix {
    std::array<std::array<int, kHostWidths>, kHostKinds> count{};
    int memory = 0, stack = 0;  ///< HostClass

    void add(const HostClass& one);
    HostMix& operator+=(const HostMix& other);
    int of(HostKind kind, HostWidth width) const {
        return count[static_cast<std::size_t>(kind)][static_cast<std::size_t>(width)];
    }
    int of(HostKind kind) const;    ///< of all widths
    int of(HostWidth width) const;  ///< of all kinds but branches, calls and others
    int total() const;
    bool operator==(const HostMix&) const = default;
};

}  // namespace rayscope
