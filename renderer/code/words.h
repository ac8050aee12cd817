#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

// Lines and words, for readers of assembly.

namespace rayscope {

inline std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return lines;
}

inline std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

/// "%rd12" becomes "%rd".
inline std::string_view withoutNumber(std::string_view word) {
    while (!word.empty() && std::isdigit(static_cast<unsigned char>(word.back())))
        word.remove_suffix(1);
    return word;
}

inline bool isOfWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// The operation of an instruction with its suffixes, "FADD.FTZ", after a predicate such as "@!P0 "
/// or "@%p1 ".
inline std::string_view operationOf(std::string_view instruction) {
    if (instruction.starts_with('@')) {
        instruction.remove_prefix(std::min(instruction.find_first_of(" \t"), instruction.size()));
    }
    instruction = trimmed(instruction);
    return instruction.substr(0, instruction.find_first_of(" \t;"));
}

/// The text with every word (letters, digits, _, $ and %) replaced by of(word).
template <class Replacement>
std::string replaceWords(std::string_view text, const Replacement& of) {
    std::string result;
    while (!text.empty()) {
        size_t size = 0;
        while (size < text.size() && isOfWord(text[size])) ++size;
        if (size > 0)
            result += of(text.substr(0, size));
        else
            result += text[size++];
        text.remove_prefix(size);
    }
    return result;
}

}  // namespace rayscope
