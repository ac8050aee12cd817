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
constexpr int kNameWidth = 28;  ///< of kinds of instructions

constexpr const char* kHead =
    "kernel        registers  spills   stack  shared  constants     code  instructions  digest\n";

/// "-" for what is not known.
std::string number(int value) {
    return value < 0 ? "-" : std::to_string(value);
}

/// In the machine code; -1: nobody knows.
int instructionsOf(const ReadCode& read, size_t kernel) {
    const int own = read.code.kernels[kernel].code.instructions;
    return own < 0 && kernel < read.sass.size() ? read.sass[kernel].instructions() : own;
}

std::string row(const ReadCode& read, size_t kernel) {
    const KernelFacts& k = read.code.kernels[kernel];
    return fmt::format("{:<12} {:>10} {:>7} {:>7} {:>7} {:>10} {:>8} {:>13}  {}\n", k.name,
                       number(k.registers), number(k.spillBytes), number(k.stackBytes),
                       number(k.code.sharedBytes), number(k.code.constantBytes),
                       number(k.code.codeBytes), number(instructionsOf(read, kernel)),
                       digestText(k.code));
}

/// What the mix is of. `noSass`: why it is not of machine code.
std::string mixHead(const ReadCode& read, CodeForm form, const std::string& noSass) {
    const char* const name = nameOf(form, read.host());
    return form == CodeForm::sass && noSass.empty() ? fmt::format("of {} ({})", name, read.tool)
                                                    : fmt::format("of {}: {}", name, noSass);
}

/// The listing of the kernel in this form; an empty one if there is no such kernel.
Listing listingOf(const ReadCode& read, CodeForm form, const std::string& kernel) {
    for (size_t i = 0; i < read.listings(form).size(); ++i) {
        if (read.code.kernels[i].name == kernel) return read.listings(form)[i];
    }
    return {};
}

std::string mixTable(const ReadCode& read) {
    std::string text = fmt::format("\ninstructions {}\n{:<{}}",
                                   mixHead(read, read.bestForm(), read.noSass), "", kNameWidth);
    for (const KernelFacts& kernel : read.code.kernels) text += fmt::format("{:>12}", kernel.name);
    text += "\n";
    std::vector<std::vector<MixRow>> columns;
    for (const Listing& listing : read.best()) columns.push_back(mixRows(listing, read.host()));
    for (size_t k = 0; !columns.empty() && k < columns[0].size(); ++k) {
        const auto has = [k](const std::vector<MixRow>& column) { return column[k].count > 0; };
        if (std::ranges::none_of(columns, has)) continue;
        text += fmt::format("{:<{}}", columns[0][k].name, kNameWidth);
        for (const auto& column : columns) text += fmt::format("{:>12}", column[k].count);
        text += "\n";
    }
    return text;
}

std::string mixTable(const ReadCode& a, const ReadCode& b, CodeForm form) {
    const std::string head = mixHead(b, form, a.noSass.empty() ? b.noSass : a.noSass);
    std::string text = fmt::format("\ninstructions {}\n", head);
    for (const std::string& name : kernelNames(&a, b)) {
        const auto line = [&](const std::string& what, int ofA, int ofB) {
            text += fmt::format("{:<{}}{:>8}{:>8}{:>+10}\n", what, kNameWidth, ofA, ofB, ofB - ofA);
        };
        const Listing ofA = listingOf(a, form, name), ofB = listingOf(b, form, name);
        const std::vector<MixRow> rowsA = mixRows(ofA, b.host()), rowsB = mixRows(ofB, b.host());
        text += fmt::format("{:<{}}{:>8}{:>8}{:>10}\n", name, kNameWidth, "A", "B", "B - A");
        for (size_t k = 0; k < rowsB.size(); ++k) {
            if (rowsA[k].count != 0 || rowsB[k].count != 0)
                line(rowsB[k].name, rowsA[k].count, rowsB[k].count);
        }
        line("all", ofA.instructions(), ofB.instructions());
    }
    return text;
}

std::string headOf(const ReadCode& read) {
    std::string text =
        fmt::format("{}  {}  {}\n", read.wish.scene->name, targetOf(read.code), read.code.compiler);
    if (!read.host() && read.wish.settings.variant.code == Code::ptx)
        text += "code=ptx: the driver makes its own machine code of this PTX\n";
    return text;
}

CodeForm formOfBoth(const ReadCode& a, const ReadCode& b) {
    return !b.host() && (a.sass.empty() || b.sass.empty()) ? CodeForm::ptx : CodeForm::sass;
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

/// By kind and width; kinds without a width have all as "scalar".
json toJson(const HostMix& mix) {
    json result = {{"memory", mix.memory}, {"stack", mix.stack}};
    for (size_t k = 0; k < kHostKinds; ++k) {
        json& kind = result[nameOf(static_cast<HostKind>(k))];
        for (size_t w = 0; w < kHostWidths; ++w)
            kind[nameOf(static_cast<HostWidth>(w))] = mix.count[k][w];
    }
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
                       {"instructions", instructionsOf(read, i)},
                       {"digest", digestText(k.code)}};
        if (!read.ptx.empty()) kernel["ptx_mix"] = toJson(read.ptx[i].mix);
        if (!read.sass.empty() && read.host())
            kernel["assembly_mix"] = toJson(read.sass[i].hostMix);
        else if (!read.sass.empty())
            kernel["sass_mix"] = toJson(read.sass[i].mix);
        program["kernels"].push_back(std::move(kernel));
    }
    if (!read.noSass.empty()) program["no_sass"] = read.noSass;
    return program;
}

json headJson(const ReadCode& read) {
    return {{"version", kVersion},
            {"scene", read.wish.scene->name},
            {"architecture", targetOf(read.code)},
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
    for (size_t i = 0; i < read.code.kernels.size(); ++i) text += row(read, i);
    return text + mixTable(read);
}

std::string tableOf(const ReadCode& a, const ReadCode& b, const CodeVerdict& verdict) {
    const Settings &ofA = a.wish.settings, &ofB = b.wish.settings;
    std::string text = headOf(b);
    text += fmt::format("A  {}\nB  {}\n\n{}\n\n  {}", describe(ofA), difference(ofA, ofB),
                        verdict.sentence, kHead);
    for (const ReadCode* side : {&a, &b}) {
        for (size_t i = 0; i < side->code.kernels.size(); ++i)
            text += (side == &a ? "A " : "B ") + row(*side, i);
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
