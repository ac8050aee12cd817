#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace rayscope {

/// What an instruction does; for memory, which kind it reads or writes.
enum class InstructionKind {
    fp32,
    fp64,
    fp16,
    integer,
    special,  ///< roots, reciprocals, sines, logarithms
    conversion,
    move,
    warp,  ///< communication between lanes
    global,
    local,
    shared,
    constant,
    control,
    other
};
inline constexpr size_t kInstructionKinds = static_cast<size_t>(InstructionKind::other) + 1;

/// "FP32", "global memory"
const char* nameOf(InstructionKind kind);

/// How many instructions of each kind a listing has; static, not by how often they run.
struct InstructionMix {
    std::array<int, kInstructionKinds> count{};
    int operator[](InstructionKind kind) const { return count[static_cast<size_t>(kind)]; }
    int total() const;
    bool operator==(const InstructionMix&) const = default;
};

/// Of lines as sassOf() gives them, for sm_70 and newer (NVIDIA, "CUDA Binary Utilities",
/// instruction set reference).
InstructionMix sassMix(const std::vector<std::string>& lines);

/// Of lines as ptxOf() gives them. Less exact: a line may become many instructions or none.
InstructionMix ptxMix(const std::vector<std::string>& lines);

}  // namespace rayscope
