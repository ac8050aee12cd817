#include "renderer/code/ptx.h"

#include <algorithm>

#include "renderer/code/words.h"

namespace rayscope {

namespace {

/// True for lines that tell debuggers about the source.
bool forDebuggers(std::string_view line) {
    const std::string_view directive = operationOf(trimmed(line));  // ".local" is another one
    return directive == ".loc" || directive == ".file";
}

/// The kernel that a line begins, ".visible .entry NAME("; empty: none.
std::string_view entryIn(std::string_view line) {
    constexpr std::string_view word = ".entry ";
    const size_t at = line.find(word);
    if (at == line.npos) return {};
    const std::string_view name = line.substr(at + word.size());
    return name.substr(0, name.find('('));
}

/// The variable that a line defines, "kLanes" of ".global .align 4 .u32 kLanes = 1;"; empty: none.
std::string_view variableIn(std::string_view line) {
    if (!line.starts_with(".global")) return {};
    line = line.substr(0, line.find_first_of("=[;"));
    line = trimmed(line);
    return line.substr(line.rfind(' ') + 1);
}

/// Every constant of the sources becomes a variable, but the compiler has used its value directly.
void dropUnusedVariables(std::vector<std::string>& lines) {
    const auto unused = [&](const std::string& line) {
        const std::string_view name = variableIn(line);
        const auto uses = [&](const std::string& other) {
            return &other != &line && other.find(name) != std::string::npos;
        };
        return !name.empty() && std::none_of(lines.begin(), lines.end(), uses);
    };
    std::vector<std::string> kept;
    for (const std::string& line : lines) {
        if (!unused(line)) kept.push_back(line);
    }
    lines = std::move(kept);
}

}  // namespace

std::vector<std::string> ptxOf(std::string_view ptx, const std::vector<KernelSymbol>& kernels,
                               size_t which) {
    const auto isAnother = [&](std::string_view name) {
        const auto named = [&](const KernelSymbol& kernel) { return kernel.symbol == name; };
        return name != kernels[which].symbol && std::any_of(kernels.begin(), kernels.end(), named);
    };
    std::vector<std::string> lines;
    bool skipping = false;
    for (const std::string_view line : linesOf(ptx)) {
        const bool begins = isAnother(entryIn(line)) || trimmed(line).starts_with(".section");
        skipping = skipping || begins;
        if (!skipping && !forDebuggers(line)) {
            lines.push_back(replaceWords(
                line, [&](std::string_view word) { return shortName(word, kernels); }));
        }
        // the brace that ends a body has a line of its own
        if (skipping && trimmed(line) == "}") skipping = false;
    }
    while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
    dropUnusedVariables(lines);
    return lines;
}

std::string ptxKey(std::string_view line) {
    // registers are declared with their number: "%r<42>"
    if (trimmed(line).starts_with(".reg")) line = line.substr(0, line.find('<'));
    return replaceWords(trimmed(line), [&](std::string_view word) -> std::string_view {
        if (word.starts_with("$L")) return "$L";
        return word.starts_with('%') ? withoutNumber(word) : word;
    });
}

}  // namespace rayscope
