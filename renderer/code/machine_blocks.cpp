#include "renderer/code/machine_blocks.h"

#include <optional>

#include "renderer/backend/cubin_file.h"

namespace rayscope {

namespace {

constexpr std::size_t kBytes = 16;  ///< of an instruction

/// The lowest twelve bits of an instruction, as nvdisasm names them.
enum Operation : unsigned {
    kUniformBranch = 0x547,  // BRA.U
    kNop = 0x918,
    kMeet = 0x941,  // BSYNC
    kCall = 0x944,  // CALL.REL
    kMark = 0x945,  // BSSY, whose operand is where lanes meet again
    kBranch = 0x947,
    kMeetAll = 0x948,      // WARPSYNC
    kBranchTable = 0x949,  // BRX
    kExit = 0x94d,
    kReturn = 0x950
};

class Section {
public:
    explicit Section(std::string_view bytes) : bytes_(bytes), count_(bytes.size() / kBytes) {
        while (count_ > 0 && operation(count_ - 1) == kNop) --count_;
        if (count_ == 0) return;
        // every function ends with a branch to itself, which shows how far branches go
        const std::size_t last = count_ - 1;
        const auto self = static_cast<std::int64_t>(last);
        split_ = target(last, true) == self;
        if (operation(last) == kBranch && target(last, split_) == self) --count_;
    }

    std::size_t count() const { return count_; }
    unsigned operation(std::size_t i) const { return word(i) & 0xfff; }
    /// Of a branch, a call or a mark; nothing where that is no instruction.
    std::optional<std::size_t> target(std::size_t i) const {
        const std::int64_t to = target(i, split_ && operation(i) != kMark);
        if (to < 0 || to >= static_cast<std::int64_t>(count_)) return {};
        return static_cast<std::size_t>(to);
    }

private:
    std::uint64_t word(std::size_t i) const { return *readAt<std::uint64_t>(bytes_, i * kBytes); }

    /// A distance in words of four bytes from the next instruction on. From sm_90 on, the lowest
    /// eight of its bits are elsewhere.
    std::int64_t target(std::size_t i, bool split) const {
        std::int64_t words = static_cast<std::int32_t>(word(i) >> 32) >> 2;
        if (split) words = words * 256 + (word(i) >> 16 & 0xff);
        if (words % 4 != 0) return -1;
        return static_cast<std::int64_t>(i) + 1 + words / 4;
    }

    std::string_view bytes_;
    std::size_t count_;
    bool split_ = false;
};

bool endsBlock(unsigned operation) {
    switch (operation) {
        case kBranch:
        case kUniformBranch:
        case kBranchTable:
        case kExit:
        case kReturn:
        case kMeet:
        case kMeetAll:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::vector<MachineInstruction> machineInstructions(std::string_view bytes) {
    const Section code(bytes);
    std::vector<bool> begins(code.count());
    for (std::size_t i = 0; i < code.count(); ++i) {
        const unsigned operation = code.operation(i);
        const bool jumps = operation == kBranch || operation == kUniformBranch ||
                           operation == kMark || operation == kCall;
        if (const auto target = jumps ? code.target(i) : std::nullopt) begins[*target] = true;
        if (endsBlock(operation) && i + 1 < code.count()) begins[i + 1] = true;
    }
    std::vector<MachineInstruction> all;
    int block = 0;
    for (std::size_t i = 0; i < code.count(); ++i) {
        if (begins[i]) ++block;
        MachineInstruction one{static_cast<std::uint32_t>(i * kBytes), block};
        if (code.operation(i) == kCall)
            one.calls = static_cast<std::uint32_t>(code.target(i).value_or(0) * kBytes);
        one.returns = code.operation(i) == kReturn;
        all.push_back(one);
    }
    return all;
}

}  // namespace rayscope
