#include "renderer/code/host_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "renderer/backend/function_name.h"
#include "renderer/code/sass.h"
#include "renderer/code/words.h"

namespace rayscope {

namespace {

/// Where source lines stand beside instructions; most instructions are shorter.
constexpr std::size_t kTextWidth = 52;
constexpr const char* kPlaceMark = "  ; ";

std::optional<std::uint64_t> hexAt(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end == text.data()) return {};
    return value;
}

/// "scatter", "scatter.cold"
std::string bareName(const std::string& symbol) {
    for (const std::string_view part : {".cold", ".part."}) {
        const std::size_t at = symbol.find(part);
        if (at != symbol.npos) return functionName(symbol.substr(0, at)) + symbol.substr(at);
    }
    return functionName(symbol);
}

/// "sqrtf" of "<sqrtf@plt>"; empty if the text has no symbol.
std::string_view symbolIn(std::string_view text) {
    const std::size_t begin = text.find('<'), end = text.rfind('>');
    if (begin == text.npos || end == text.npos || end < begin) return {};
    const std::string_view symbol = text.substr(begin + 1, end - begin - 1);
    return symbol.substr(0, symbol.find_first_of("@+"));
}

/// Of a call or a jump: what it leads to, in words.
void nameTarget(HostInstruction& one, std::string_view operands, const HostObject& object,
                const HostFunction& own) {
    const std::string mnemonic(operationOf(one.text));
    const std::string_view symbol = symbolIn(operands);
    const auto address = hexAt(operands);
    // "QWORD PTR [rip+0x2fe2]  # 3fc8 <powf@GLIBC>", and "rax"
    const bool direct = address && operands.find('[') == operands.npos && !symbol.empty();
    if (!direct) {
        if (!symbol.empty()) one.text = mnemonic + " " + functionName(std::string(symbol));
        return;
    }
    const HostFunction* function = object.at(*address);
    // through the table of functions that other libraries may replace
    if (function == nullptr) function = object.named(symbol);
    one.target = function == nullptr || object.at(*address) ? *address : function->address;
    if (function != nullptr && function->symbol == own.symbol && mnemonic != "call")
        one.text = fmt::format("{} {:x}", mnemonic, *address);
    else if (function == nullptr)
        one.text = mnemonic + " " + functionName(std::string(symbol));
    else if (function->address == one.target)
        one.text = mnemonic + " " + bareName(function->symbol);
    else
        one.text = fmt::format("{} {}+{:x}", mnemonic, bareName(function->symbol),
                               *address - function->address);
}

/// "    1104:\tmovss  xmm0,DWORD PTR [rip+0xedf]        # 2000 <_fini+0xeb0>"; nothing if the line
/// is none.
std::optional<HostInstruction> instructionIn(std::string_view line, const HostObject& object,
                                             const HostFunction*& own) {
    const std::size_t colon = line.find(":\t");
    if (colon == line.npos) return {};
    const auto address = hexAt(trimmed(line.substr(0, colon)));
    if (!address) return {};
    if (own == nullptr || *address - own->address >= own->size) own = object.at(*address);
    if (own == nullptr) return {};
    const std::string_view whole = trimmed(line.substr(colon + 2));
    HostInstruction one{*address, 0, {}, 0};
    const std::string_view text = trimmed(whole.substr(0, whole.find('#')));
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view operands = trimmed(text.substr(space));
    one.text = text.substr(0, space);
    if (!operands.empty()) one.text.append(" ").append(operands);
    const HostKind kind = hostClass(one.text).kind;
    if (kind == HostKind::branch || kind == HostKind::call)
        nameTarget(one, trimmed(whole.substr(std::min(space, whole.size()))), object, *own);
    return one;
}

using Functions = std::map<std::uint64_t, HostFunctionCode>;  ///< by address

Functions allFunctions(std::string_view disassembly, const HostObject& object) {
    Functions functions;
    const HostFunction* own = nullptr;
    for (const std::string_view line : linesOf(disassembly)) {
        auto one = instructionIn(line, object, own);
        if (!one) continue;
        HostFunctionCode& function = functions[own->address];
        if (function.symbol.empty()) {
            function.symbol = own->symbol;
            function.name = bareName(own->symbol);
        }
        if (!function.instructions.empty()) {
            HostInstruction& before = function.instructions.back();
            before.bytes = static_cast<int>(one->address - before.address);
        }
        one->bytes = static_cast<int>(own->address + own->size - one->address);
        function.instructions.push_back(*std::move(one));
    }
    return functions;
}

/// "shapes.h:65"; empty if nobody knows.
std::string placeOf(const HostFunctionCode& function, std::uint64_t address,
                    const LineTable& lines) {
    const int place = lines.placeAt(function.symbol, address);
    if (place < 0) return {};
    const SourcePlace& p = lines.places[static_cast<std::size_t>(place)];
    const std::string& file = lines.files[static_cast<std::size_t>(p.file)];
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), p.line);
}

/// "r64" of rax or r12, "ymm" of ymm3; other words as they are.
std::string withoutHostRegister(std::string_view word) {
    const std::string_view kind = withoutNumber(word);
    const bool numbered = kind.size() < word.size();
    if (numbered && (kind == "xmm" || kind == "ymm" || kind == "zmm" || kind == "k"))
        return std::string(kind);
    if (numbered && kind == "r") return "r64";
    constexpr std::array<std::string_view, 4> names{
        " rax rbx rcx rdx rsi rdi rbp ", " eax ebx ecx edx esi edi ebp ", " ax bx cx dx si di bp ",
        " al bl cl dl sil dil bpl ah bh ch dh "};
    constexpr std::array<const char*, 4> widths{"r64", "r32", "r16", "r8"};
    const std::string framed = " " + std::string(word) + " ";
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].find(framed) != names[i].npos) return widths[i];
    }
    // r12d, r12w, r12b
    if (word.size() < 3 || word.front() != 'r') return std::string(word);
    const std::string_view middle = word.substr(1, word.size() - 2);
    if (!withoutNumber(middle).empty()) return std::string(word);
    const std::size_t suffix = std::string_view("dwb").find(word.back());
    return suffix == std::string_view::npos ? std::string(word) : widths[suffix + 1];
}

/// "[rsp+0x40]" becomes "[rsp]", as does rip.
std::string withoutOffsets(std::string text) {
    for (const std::string_view base : {"[rsp", "[rip"}) {
        for (std::size_t at = 0; (at = text.find(base, at)) != text.npos; at += base.size()) {
            const std::size_t from = at + base.size(), to = text.find(']', from);
            if (to != text.npos && to > from && (text[from] == '+' || text[from] == '-'))
                text.erase(from, to - from);
        }
    }
    return text;
}

/// The number after "0x", at the end of "sub rsp,0x28".
int numberOf(std::string_view text) {
    const std::size_t at = text.rfind("0x");
    const auto value = at == text.npos ? std::nullopt : hexAt(text.substr(at + 2));
    constexpr std::uint64_t kMost = 1 << 30;
    return value && *value < kMost ? static_cast<int>(*value) : 0;
}

/// Pushes and "sub rsp,..." up to the first call or return.
int frameOf(const HostFunctionCode& function) {
    int bytes = 0;
    for (const HostInstruction& one : function.instructions) {
        if (hostClass(one.text).kind == HostKind::call || one.text.starts_with("pop ")) break;
        if (one.text.starts_with("push ")) bytes += 8;
        if (one.text.starts_with("sub rsp,")) bytes += numberOf(one.text);
    }
    return bytes;
}

}  // namespace

std::vector<HostFunctionCode> hostFunctions(std::string_view disassembly, const HostObject& object,
                                            const std::string& kernel) {
    const HostFunction* const first = object.named(kernel);
    if (first == nullptr) return {};
    Functions all = allFunctions(disassembly, object);
    std::vector<HostFunctionCode> result;
    std::vector<std::uint64_t> wanted{first->address};
    std::set<std::uint64_t> seen{first->address};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto found = all.find(wanted[i]);
        if (found == all.end()) continue;
        for (const HostInstruction& one : found->second.instructions) {
            const HostFunction* const next = one.target != 0 ? object.at(one.target) : nullptr;
            if (next != nullptr && seen.insert(next->address).second)
                wanted.push_back(next->address);
        }
        result.push_back(std::move(found->second));
    }
    return result;
}

std::vector<std::string> hostListing(const std::vector<HostFunctionCode>& functions,
                                     const LineTable& lines) {
    std::vector<std::string> listing;
    for (const HostFunctionCode& function : functions) {
        listing.push_back(function.name + ":");
        for (const HostInstruction& one : function.instructions) {
            std::string line = fmt::format("{:x}  {}", one.address, one.text);
            if (const std::string place = placeOf(function, one.address, lines); !place.empty())
                line = fmt::format("{:<{}}{}{}", line, kTextWidth, kPlaceMark, place);
            listing.push_back(std::move(line));
        }
    }
    return listing;
}

std::string hostKey(std::string_view line) {
    const std::string_view instruction = instructionOf(line);
    if (instruction.empty()) return std::string(line);  // of a function: its name
    const std::string_view text = trimmed(instruction.substr(0, instruction.find(kPlaceMark)));
    const std::string_view mnemonic = operationOf(text);
    const HostKind kind = hostClass(text).kind;
    if (kind == HostKind::branch) return std::string(mnemonic);
    const std::string key = withoutOffsets(replaceWords(text, withoutHostRegister));
    // the place in a function that is jumped into
    return kind == HostKind::call && key.find('[') == key.npos ? key.substr(0, key.find('+')) : key;
}

HostMix mixOf(const std::vector<HostFunctionCode>& functions) {
    HostMix mix;
    for (const HostFunctionCode& function : functions) {
        for (const HostInstruction& one : function.instructions) mix.add(hostClass(one.text));
    }
    return mix;
}

std::map<int, HostMix> mixByPlace(const std::vector<HostFunctionCode>& functions,
                                  const LineTable& lines) {
    std::map<int, HostMix> mixes;
    for (const HostFunctionCode& function : functions) {
        for (const HostInstruction& one : function.instructions)
            mixes[lines.placeAt(function.symbol, one.address)].add(hostClass(one.text));
    }
    return mixes;
}

int stackBytes(const std::vector<HostFunctionCode>& functions) {
    int own = 0, called = 0;
    for (std::size_t i = 0; i < functions.size(); ++i)
        i == 0 ? own = frameOf(functions[i]) : called = std::max(called, frameOf(functions[i]));
    return own + called;
}

}  // namespace rayscope
