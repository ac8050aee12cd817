#include "renderer/code/counting_twin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include "renderer/backend/line_table.h"
#include "renderer/code/words.h"

namespace rayscope {

namespace {

constexpr const char* kRegisters =
    "\n\t.reg .pred %rayscopeLeads;\n\t.reg .b32 %rayscopeLanes, %rayscopeBefore;\n"
    "\t.reg .b64 %rayscopeCount;\n";

/// The first of the active lanes adds one for the warp and how many lanes are active.
std::string counting(int block) {
    return fmt::format(
        "activemask.b32 %rayscopeLanes;\n"
        "\tpopc.b32 %rayscopeBefore, %rayscopeLanes;\n"
        "\tcvt.u64.u32 %rayscopeCount, %rayscopeBefore;\n"
        "\tmov.u32 %rayscopeBefore, %lanemask_lt;\n"
        "\tand.b32 %rayscopeBefore, %rayscopeBefore, %rayscopeLanes;\n"
        "\tsetp.eq.u32 %rayscopeLeads, %rayscopeBefore, 0;\n"
        "\t@%rayscopeLeads red.global.add.u64 [{0}+{1}], 1;\n"
        "\t@%rayscopeLeads red.global.add.u64 [{0}+{2}], %rayscopeCount;\n\t",
        kBlockCounters, 16 * block, 16 * block + 8);
}

/// The words of a statement: "1", "136", "5", "function_name", ... of ".loc 1 136 5,
/// function_name".
std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    constexpr std::string_view kBetween = " \t\n,";
    for (size_t at = 0; (at = text.find_first_not_of(kBetween, at)) != text.npos;) {
        const size_t end = std::min(text.find_first_of(kBetween, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

int numberIn(std::string_view word) {
    int number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
}

bool isOperation(std::string_view operation, std::string_view name) {
    return operation == name || (operation.starts_with(name) && operation[name.size()] == '.');
}

/// Nothing goes on from there to the next statement, or not with all lanes.
bool endsBlock(std::string_view operation) {
    constexpr std::array<std::string_view, 5> kNames{"bra", "brx", "ret", "exit", "trap"};
    return std::ranges::any_of(kNames,
                               [&](std::string_view n) { return isOperation(operation, n); });
}

class Rewriter {
public:
    Rewriter(std::string_view ptx, const std::vector<std::string>& sources)
        : text_(ptx), sources_(sources) {}

    Result<CountingTwin> rewrite() {
        // they stand behind the kernels
        for (const std::string_view line : linesOf(text_)) {
            if (trimmed(line).starts_with(".file")) rememberFile(trimmed(line));
        }
        size_t variable = 0;  // where it is declared
        while (at_ < text_.size()) {
            const std::string_view line = lineAt(at_);
            const std::string_view trim = trimmed(line);
            const bool entry = trim.find(".entry ") != trim.npos;
            if (trim.starts_with('.') && (entry || trim.find(".func ") != trim.npos)) {
                if (!body(entry)) return Failure{"the PTX ends within a kernel"};
                continue;
            }
            copy(line.size() + 1);
            if (trim.starts_with(".address_size")) variable = twin_.ptx.size();
        }
        if (twin_.blocks > 0) {
            twin_.ptx.insert(variable, fmt::format(".visible .global .align 8 .u64 {}[{}];\n",
                                                   kBlockCounters, 2 * twin_.blocks));
        }
        return std::move(twin_);
    }

private:
    using Position = std::tuple<int, int, int>;  ///< file, line, column

    std::string_view lineAt(size_t at) const { return text_.substr(at, text_.find('\n', at) - at); }
    void copy(size_t size) {
        twin_.ptx += text_.substr(at_, size);
        at_ = std::min(at_ + size, text_.size());
    }

    /// .file NUMBER "NAME"
    void rememberFile(std::string_view line) {
        const size_t first = line.find('"'), last = line.rfind('"');
        const std::vector<std::string_view> words = wordsOf(line);
        if (words.size() < 3 || first == last) return;
        files_[numberIn(words[1])] =
            sourceOf(std::string(line.substr(first + 1, last - first - 1)), sources_);
    }

    /// .loc FILE LINE COLUMN[, function_name NAME, inlined_at FILE LINE COLUMN]. A call's own .loc
    /// comes before those of what it has inlined.
    void goTo(std::string_view line) {
        const std::vector<std::string_view> words = wordsOf(line);
        const auto position = [&](size_t i) {
            return Position{numberIn(words[i]), numberIn(words[i + 1]), numberIn(words[i + 2])};
        };
        if (words.size() < 4) return;
        const Position own = position(1);
        if (std::get<1>(own) == 0) return;  // nobody's line: the assembler stays at the last one
        place_ = {{files_[std::get<0>(own)], std::get<1>(own)}};
        const auto inlined = std::ranges::find(words, "inlined_at");
        if (words.end() - inlined > 3) {
            const InlinedLine& caller = places_[position(inlined - words.begin() + 1)];
            place_.insert(place_.end(), caller.begin(), caller.end());
        }
        places_[own] = place_;
    }

    /// From its header on; a declaration has no more than that. False: it does not end.
    bool body(bool entry) {
        const size_t open = text_.find_first_of("{;", at_);
        if (open == text_.npos) return false;
        std::string_view name;
        if (entry) {
            name = text_.substr(text_.find(".entry ", at_) + 7);
            name = trimmed(name.substr(0, name.find_first_of("(\n")));
        }
        copy(open + 1 - at_);
        if (text_[open] == ';') return true;
        lines_ = &twin_.kernels[std::string(name)];
        twin_.ptx += kRegisters;
        begins_ = true;
        place_.clear();
        places_.clear();
        for (int depth = 1; depth > 0;) {
            const size_t next = text_.find_first_not_of(" \t\n\r", at_);
            if (next == text_.npos) return false;
            copy(next - at_);
            const std::string_view line = lineAt(at_);
            if (line.starts_with("//")) {
                copy(line.size());
            } else if (line[0] == '{' || line[0] == '}') {
                depth += line[0] == '{' ? 1 : -1;
                copy(1);
            } else if (operationOf(line) == ".loc") {
                goTo(line);
                copy(line.size());
            } else if (!statement()) {
                return false;
            }
        }
        return true;
    }

    /// A label, a directive or an instruction.
    bool statement() {
        const std::string_view rest = text_.substr(at_);
        const size_t colon = std::ranges::find_if_not(rest, isOfWord) - rest.begin();
        if (colon > 0 && colon < rest.size() && trimmed(rest.substr(colon)).starts_with(':')) {
            // a list of targets or a prototype has a name, too
            const size_t after = rest.find(':') + 1;
            begins_ = begins_ || !startsWithList(trimmed(rest.substr(after)));
            copy(after);
            return true;
        }
        const size_t end = rest.find(';');
        if (end == rest.npos) return false;
        if (rest[0] != '.') instruction(rest.substr(0, end));
        copy(end + 1);
        return true;
    }

    static bool startsWithList(std::string_view text) {
        return text.starts_with(".branchtargets") || text.starts_with(".callprototype") ||
               text.starts_with(".calltargets");
    }

    void instruction(std::string_view text) {
        if (begins_) twin_.ptx += counting(twin_.blocks++);
        const std::string_view operation = operationOf(text);
        if (!place_.empty()) {
            ++lines_->blocks[place_][twin_.blocks - 1];
            if (isOperation(operation, "call")) lines_->calls.insert(place_);
        }
        begins_ = endsBlock(operation);
    }

    const std::string_view text_;
    const std::vector<std::string>& sources_;
    size_t at_ = 0;
    CountingTwin twin_;
    std::map<int, std::string> files_;
    // Of the body that is being read:
    PtxLines* lines_ = nullptr;
    InlinedLine place_;
    std::map<Position, InlinedLine> places_;  ///< the last of each position
    bool begins_ = true;                      ///< the next instruction begins a block
};

}  // namespace

Result<CountingTwin> countingTwin(std::string_view ptx, const std::vector<std::string>& sources) {
    return Rewriter(ptx, sources).rewrite();
}

}  // namespace rayscope
