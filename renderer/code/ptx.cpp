#include "renderer/code/ptx.h"

#include <algorithm>

#include "renderer/code/words.h"

namespace rayscope {

namespace {

/// Lines for debuggers: where a line comes from, and tables.
bool forDebuggers(std::string_view line) {
    const std::string_view text = trimmed(line);
    return text.starts_with(".loc") || text.starts_with(".file");
}

/// The name that a line of a kernel's head gives it: ".visible .entry NAME(".
std::string_view entryIn(std::string_view line) {
    constexpr std::string_view word = ".entry ";
    const size_t at = line.find(word);
    if (at == line.npos) return {};
    const std::string_view name = line.substr(at + word.size());
    return name.substr(0, name.find('('));
}

bool isOneOf(std::string_view name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> ptxOf(std::string_view ptx, const std::vector<std::string>& others) {
    std::vector<std::string> lines;
    bool skipping = false;
    for (const std::string_view line : linesOf(ptx)) {
        const bool begins = isOneOf(entryIn(line), others) || line.starts_with(".section");
        skipping = skipping || begins;
        if (!skipping && !forDebuggers(line)) lines.emplace_back(line);
        // The last brace of a body stands alone at the beginning of its line.
        if (skipping && line.starts_with('}')) skipping = false;
    }
    return lines;
}

std::string ptxKey(std::string_view line, const std::vector<std::string>& names) {
    return replaceWords(trimmed(line), [&](std::string_view word) -> std::string_view {
        if (word.starts_with("$L")) return "$L";
        if (word.starts_with('%')) return withoutNumber(word);
        for (const std::string& name : names) {
            // "NAME_param_0", "NAME"
            if (word.starts_with(name)) return word.substr(name.size()).empty() ? "." : "._";
        }
        return word;
    });
}

}  // namespace rayscope
