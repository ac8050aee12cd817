#include "ui/hot_text.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "renderer/code/sass.h"

namespace rayscope {

void HotText::show(const HotWork* work, long counted, const CodePair& pair, long number,
                   const CodeText& text, const CodeChoice& choice) {
    const std::pair numbers{counted, number};
    if (numbers_ == numbers && choice_ == choice && work_ == work) return;
    numbers_ = numbers;
    choice_ = choice;
    work_ = work;
    rows_.assign(text.rows().size(), {});
    all_ = most_ = samples_ = 0;
    if (work == nullptr || choice.form == CodeForm::ptx) return;
    all_ = static_cast<double>(work->hot.all.warps);
    samples_ = static_cast<double>(work->hot.sampled.all());
    const size_t kernel = kernelIndex(pair, choice.kernel);  // B's kernels come first
    if (choice.form == CodeForm::source)
        addLines(*work, choice.file, text);
    else if (kernel < pair.b->code.kernels.size())
        addInstructions(*work, pair.b->code.kernels[kernel].symbol, text);
    for (const HotRow& row : rows_)
        most_ = std::max(most_, static_cast<double>(row.executed.warps));
}

void HotText::addLines(const HotWork& work, const std::string& file, const CodeText& text) {
    for (const HotLine& line : work.hot.lines) {
        if (line.file != file) continue;
        if (const auto row = text.rowOfLine(line.line)) rows_[*row] = {line.executed, line.sampled};
    }
}

/// Functions that a GPU's kernels share follow the kernel, with addresses of their own: not
/// counted. Those of a CPU's have the object's addresses, each its own.
void HotText::addInstructions(const HotWork& work, const std::string& symbol,
                              const CodeText& text) {
    std::map<std::uint32_t, HotRow> byAddress;
    for (const KernelCounts& counts : work.counts) {
        if (counts.symbol != symbol && !work.host()) continue;
        for (const InstructionCount& i : counts.instructions)
            byAddress[i.address].executed = {i.warps, i.lanes, i.on};
    }
    for (const KernelStalls& stalls : work.stalls.kernels) {
        if (stalls.symbol != symbol) continue;
        for (const InstructionStalls& i : stalls.instructions)
            byAddress[i.address].sampled += i.samples;
    }
    std::uint32_t last = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
        const CodeRow& row = text.rows()[i];
        if (row.kind == DiffKind::removed || instructionOf(row.text).empty()) continue;
        std::uint32_t address = 0;
        const char* const end = row.text.data() + row.text.size();
        if (std::from_chars(row.text.data(), end, address, 16).ec != std::errc{}) continue;
        if (address < last && !work.host()) return;
        last = address;
        if (const auto found = byAddress.find(address); found != byAddress.end())
            rows_[i] = found->second;
    }
}

const HotRow* HotText::of(size_t row) const {
    return row < rows_.size() && rows_[row].executed.warps > 0 ? &rows_[row] : nullptr;
}

double HotText::time(const Sampled& sampled) const {
    return samples_ > 0 ? static_cast<double>(sampled.all()) / samples_ : 0;
}

double HotText::share(const Executed& executed) const {
    return all_ > 0 ? static_cast<double>(executed.warps) / all_ : 0;
}

double HotText::error(const Executed& executed) const {
    return shareError(share(executed), static_cast<std::uint64_t>(all_));
}

double HotText::height(const Executed& executed) const {
    return most_ > 0 ? static_cast<double>(executed.warps) / most_ : 0;
}

}  // namespace rayscope
