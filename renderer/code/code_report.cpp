#include "renderer/code/code_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "renderer/base/version.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/state.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr size_t kContext = 3;

constexpr const char* kHead =
    "kernel        registers  spills   stack  shared  constants     code  instructions  digest\n";

std::string row(const std::string& name, const KernelFacts& k) {
    return fmt::format("{:<12} {:>10} {:>7} {:>7} {:>7} {:>10} {:>8} {:>13}  {}\n", name,
                       k.registers, k.spillBytes, k.stackBytes, k.code.sharedBytes,
                       k.code.constantBytes, k.code.codeBytes, k.code.instructions,
                       digestText(k.code));
}

/// What the mix is of. `noSass`: why it is not of SASS.
std::string mixHead(CodeForm form, const std::string& tool, const std::string& noSass) {
    return form == CodeForm::sass ? fmt::format("of SASS ({})", tool)
                                  : fmt::format("of PTX: {}", noSass);
}

bool anyOf(const std::vector<Listing>& listings, InstructionKind kind) {
    for (const Listing& listing : listings) {
        if (listing.mix[kind] > 0) return true;
    }
    return false;
}

/// The mix of the kernel in this form; empty if there is no such kernel.
InstructionMix mixOf(const ReadCode& read, CodeForm form, const std::string& kernel) {
    for (size_t i = 0; i < read.listings(form).size(); ++i) {
        if (read.code.kernels[i].name == kernel) return read.listings(form)[i].mix;
    }
    return {};
}

std::string mixTable(const ReadCode& read) {
    std::string text = fmt::format("\ninstructions {}\n{:<18}",
                                   mixHead(read.bestForm(), read.tool, read.noSass), "");
    for (const KernelFacts& kernel : read.code.kernels) text += fmt::format("{:>12}", kernel.name);
    text += "\n";
    for (size_t k = 0; k < kInstructionKinds; ++k) {
        const auto kind = static_cast<InstructionKind>(k);
        if (!anyOf(read.best(), kind)) continue;
        text += fmt::format("{:<18}", nameOf(kind));
        for (const Listing& listing : read.best()) text += fmt::format("{:>12}", listing.mix[kind]);
        text += "\n";
    }
    return text;
}

std::string mixTable(const ReadCode& a, const ReadCode& b, CodeForm form) {
    const std::string head = mixHead(form, b.tool, a.noSass.empty() ? b.noSass : a.noSass);
    std::string text = fmt::format("\ninstructions {}\n", head);
    for (const std::string& name : kernelNames(&a, b)) {
        const InstructionMix mixA = mixOf(a, form, name), mixB = mixOf(b, form, name);
        text += fmt::format("{:<18}{:>8}{:>8}{:>10}\n", name, "A", "B", "B - A");
        for (size_t k = 0; k < kInstructionKinds; ++k) {
            const auto kind = static_cast<InstructionKind>(k);
            if (mixA[kind] == 0 && mixB[kind] == 0) continue;
            text += fmt::format("{:<18}{:>8}{:>8}{:>+10}\n", nameOf(kind), mixA[kind], mixB[kind],
                                mixB[kind] - mixA[kind]);
        }
        text += fmt::format("{:<18}{:>8}{:>8}{:>+10}\n", "all", mixA.total(), mixB.total(),
                            mixB.total() - mixA.total());
    }
    return text;
}

std::string headOf(const ReadCode& read) {
    std::string text = fmt::format("{}  sm_{}  {}\n", read.wish.scene->name, read.code.architecture,
                                   read.code.compiler);
    if (read.wish.settings.variant.code == Code::ptx)
        text += "code=ptx: the driver makes its own machine code of this PTX\n";
    return text;
}

CodeForm formOfBoth(const ReadCode& a, const ReadCode& b) {
    return a.sass.empty() || b.sass.empty() ? CodeForm::ptx : CodeForm::sass;
}

/// "12,7": the first line and the number of lines.
std::string rangeOf(const std::vector<DiffLine>& lines, const DiffHunk& hunk, int DiffLine::*side) {
    int first = 0, count = 0;
    for (size_t i = hunk.begin; i < hunk.end; ++i) {
        const int line = lines[i].*side;
        if (line >= 0 && count++ == 0) first = line + 1;
    }
    return fmt::format("{},{}", first, count);
}

std::string unifiedDiff(const KernelDiff& diff) {
    std::string text;
    for (const DiffHunk& hunk : hunksOf(diff.lines, kContext)) {
        text += fmt::format("@@ -{} +{} @@\n", rangeOf(diff.lines, hunk, &DiffLine::a),
                            rangeOf(diff.lines, hunk, &DiffLine::b));
        for (size_t i = hunk.begin; i < hunk.end; ++i) {
            const DiffLine& line = diff.lines[i];
            const bool ofA = line.kind == DiffKind::removed;
            const char mark = ofA ? '-' : line.kind == DiffKind::added ? '+' : ' ';
            text += fmt::format("{}{}\n", mark,
                                ofA ? diff.a->lines[static_cast<size_t>(line.a)]
                                    : diff.b->lines[static_cast<size_t>(line.b)]);
        }
    }
    return text;
}

json toJson(const InstructionMix& mix) {
    json result = json::object();
    for (size_t k = 0; k < kInstructionKinds; ++k)
        result[nameOf(static_cast<InstructionKind>(k))] = mix.count[k];
    return result;
}

json programJson(const ReadCode& read) {
    json program = {{"settings", toJson(read.wish.settings)}, {"kernels", json::array()}};
    for (size_t i = 0; i < read.code.kernels.size(); ++i) {
        const KernelFacts& k = read.code.kernels[i];
        json kernel = {{"name", k.name},
                       {"symbol", k.symbol},
                       {"registers", k.registers},
                       {"spill_bytes", k.spillBytes},
                       {"stack_bytes", k.stackBytes},
                       {"shared_bytes", k.code.sharedBytes},
                       {"constant_bytes", k.code.constantBytes},
                       {"code_bytes", k.code.codeBytes},
                       {"instructions", k.code.instructions},
                       {"digest", digestText(k.code)},
                       {"ptx_mix", toJson(read.ptx[i].mix)}};
        if (!read.sass.empty()) kernel["sass_mix"] = toJson(read.sass[i].mix);
        program["kernels"].push_back(std::move(kernel));
    }
    if (!read.noSass.empty()) program["no_sass"] = read.noSass;
    return program;
}

json headJson(const ReadCode& read) {
    return {{"version", kVersion},
            {"scene", read.wish.scene->name},
            {"architecture", fmt::format("sm_{}", read.code.architecture)},
            {"compiler", read.code.compiler}};
}

}  // namespace

std::string digestText(const CubinKernel& kernel) {
    return fmt::format("{:016x}", kernel.digest);
}

const KernelFacts& kernelOf(const json& row, const KernelCode& code) {
    const std::string name = row.at("name");
    const auto facts = std::ranges::find(code.kernels, name, &KernelFacts::name);
    if (facts == code.kernels.end() || row.at("digest") != digestText(facts->code))
        throw std::runtime_error(fmt::format("the machine code of {} is another one", name));
    return *facts;
}

std::string tableOf(const ReadCode& read) {
    std::string text = headOf(read) + describe(read.wish.settings) + "\n\n" + kHead;
    for (const KernelFacts& kernel : read.code.kernels) text += row(kernel.name, kernel);
    return text + mixTable(read);
}

std::string tableOf(const ReadCode& a, const ReadCode& b, const CodeVerdict& verdict) {
    const Settings &ofA = a.wish.settings, &ofB = b.wish.settings;
    std::string text = headOf(b);
    text += fmt::format("A  {}\nB  {}\n\n{}\n\n  {}", describe(ofA), difference(ofA, ofB),
                        verdict.sentence, kHead);
    for (const ReadCode* side : {&a, &b}) {
        for (const KernelFacts& kernel : side->code.kernels)
            text += (side == &a ? "A " : "B ") + row(kernel.name, kernel);
    }
    return text + mixTable(a, b, formOfBoth(a, b));
}

std::string unifiedDiff(const ReadCode& a, const ReadCode& b, CodeForm form,
                        const std::string& kernel) {
    std::string text;
    for (const std::string& name : kernelNames(&a, b)) {
        if (!kernel.empty() && name != kernel) continue;
        const std::string lines = unifiedDiff(diffKernel(a, b, name, form));
        if (!lines.empty()) text += fmt::format("--- A {}\n+++ B {}\n{}", name, name, lines);
    }
    return text;
}

std::string textOf(const ReadCode& read, CodeForm form, const std::string& kernel) {
    const std::vector<Listing>& listings = read.listings(form);
    std::string text;
    for (size_t i = 0; i < listings.size(); ++i) {
        const std::string& name = read.code.kernels[i].name;
        if (!kernel.empty() && name != kernel) continue;
        if (listings.size() > 1) text += fmt::format("// {}\n", name);
        for (const std::string& line : listings[i].lines) text += line + "\n";
    }
    return text;
}

json toJson(const ReadCode& read) {
    json result = headJson(read);
    result.update(programJson(read));
    return result;
}

json toJson(const ReadCode& a, const ReadCode& b, const CodeVerdict& verdict) {
    json result = headJson(b);
    result["a"] = programJson(a);
    result["b"] = programJson(b);
    result["relation"] = nameOf(verdict.relation);
    result["sentence"] = verdict.sentence;
    return result;
}

}  // namespace rayscope
