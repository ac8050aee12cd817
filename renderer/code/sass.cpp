#include "renderer/code/sass.h"

#include <algorithm>
#include <array>

#include "renderer/code/words.h"

namespace rayscope {

namespace {

bool isHex(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isxdigit(static_cast<unsigned char>(c)) != 0;
    });
}

/// The name of the section that a line begins, ".text.read" in nvdisasm's `.section
/// .text.read,"ax",@progbits`, or of the function, "read" in cuobjdump's "Function : read"; empty
/// if it begins none.
std::string_view sectionIn(std::string_view line) {
    for (const std::string_view word : {".section", "Function :"}) {
        if (!line.starts_with(word)) continue;
        std::string_view name = trimmed(line.substr(word.size()));
        return name.substr(0, name.find_first_of(", \t"));
    }
    return {};
}

/// "0040  FADD R1, R2, R3" from "/*0040*/   FADD R1, R2, R3 ;  /* 0x... */"; empty if the line has
/// no instruction.
std::string instructionLine(std::string_view line) {
    if (!line.starts_with("/*")) return {};
    const size_t end = line.find("*/");
    if (end == line.npos) return {};
    const std::string_view address = line.substr(2, end - 2);
    std::string_view text = line.substr(end + 2);
    text = text.substr(0, text.find("/*"));  // the encoding
    text = text.substr(0, text.find(';'));
    text = trimmed(text);
    if (text.starts_with('{')) text = trimmed(text.substr(1));  // issued in pairs
    if (!isHex(address) || text.empty() || text.starts_with('.')) return {};
    return std::string(address) + "  " + std::string(text);
}

bool isLabel(std::string_view line) {
    return line.ends_with(':') && line.find_first_of(" \t") == line.npos &&
           (line.starts_with(".L") || line.starts_with('$'));
}

/// R12, UR4, P0, UP1, B2, SB0 without their numbers; RZ, PT and everything else as it is.
std::string_view withoutRegister(std::string_view word) {
    constexpr std::array<std::string_view, 6> kinds{"R", "UR", "P", "UP", "B", "SB"};
    const std::string_view kind = withoutNumber(word);
    const bool numbered = kind.size() < word.size();
    return numbered && std::find(kinds.begin(), kinds.end(), kind) != kinds.end() ? kind : word;
}

/// True for operations whose operand is an address in the code.
bool jumps(std::string_view operation) {
    constexpr std::array<std::string_view, 5> names{"BRA", "BSSY", "CALL", "JMP", "RET"};
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return operation.starts_with(name) &&
               (operation.size() == name.size() || !isOfWord(operation[name.size()]));
    });
}

}  // namespace

std::vector<std::string> sassOf(std::string_view disassembly,
                                const std::vector<KernelSymbol>& kernels, size_t which) {
    const auto isAnother = [&](std::string_view name) {
        const auto named = [&](const KernelSymbol& kernel) { return kernel.symbol == name; };
        return name != kernels[which].symbol && std::any_of(kernels.begin(), kernels.end(), named);
    };
    const auto named = [&](std::string_view line) {
        return replaceWords(line, [&](std::string_view word) { return shortName(word, kernels); });
    };
    std::vector<std::string> lines;
    bool wanted = false;
    // drops the NOPs at the end, and labels between them
    const auto endFunction = [&] {
        const auto fills = [](std::string_view line) {
            const std::string_view instruction = instructionOf(line);
            return instruction.empty() || instruction == "NOP";
        };
        while (!lines.empty() && fills(lines.back())) lines.pop_back();
    };
    for (const std::string_view raw : linesOf(disassembly)) {
        const std::string_view line = trimmed(raw);
        if (std::string_view name = sectionIn(line); !name.empty()) {
            endFunction();
            constexpr std::string_view text = ".text.";
            const bool code = name.starts_with(text) || line.starts_with("Function");
            if (name.starts_with(text)) name.remove_prefix(text.size());
            wanted = code && !isAnother(name);
        } else if (wanted && isLabel(line)) {
            lines.push_back(named(line));
        } else if (wanted) {
            if (const std::string found = instructionLine(line); !found.empty())
                lines.push_back(named(found));
        }
    }
    endFunction();
    return lines;
}

std::string_view instructionOf(std::string_view line) {
    const size_t space = line.find("  ");
    return space == line.npos || !isHex(line.substr(0, space)) ? std::string_view()
                                                               : line.substr(space + 2);
}

std::string sassKey(std::string_view line) {
    const std::string_view instruction = instructionOf(line);
    if (instruction.empty()) return ".L:";
    std::string key;
    if (const std::string_view operation = operationOf(instruction); jumps(operation)) {
        const size_t end =
            static_cast<size_t>(operation.data() - instruction.data()) + operation.size();
        key = instruction.substr(0, end);
    } else {
        key = instruction;
    }
    key = replaceWords(key, withoutRegister);
    constexpr std::string_view hint = ".reuse";
    for (size_t at = 0; (at = key.find(hint, at)) != key.npos;) key.erase(at, hint.size());
    return key;
}

}  // namespace rayscope
