#pragma once

#include <optional>
#include <string>
#include <string_view>

// Text files as people have them: OBJ, MTL, the text of a PLY and the headers of pictures.

namespace rayscope {

/// The text of a file in UTF-8, without its byte order mark: `bytes`, or what they say in UTF-16,
/// which `converted` then holds. What is no character becomes U+FFFD.
std::string_view plainText(std::string_view bytes, std::string& converted);

inline bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\0';
}
/// Without the blanks at its beginning and its end.
std::string_view trimmed(std::string_view text);

/// The lines of a text, which end with LF, CR, CRLF or LFCR.
class Lines {
public:
    enum class Continue { no, afterBackslash };
    explicit Lines(std::string_view text, Continue how = Continue::no);

    /// The next line, without blanks at its end; false: there is none. With
    /// Continue::afterBackslash, what a backslash at the end of a line continues is one line;
    /// comments (#) are not continued. `line` is valid until the next call.
    bool next(std::string_view& line);
    /// The next line whose first word begins so; the others are passed over.
    bool nextWith(std::string_view beginning, std::string_view& line);
    /// The number of the line, from 1 on; of several that are one, the first.
    int number() const { return number_; }

private:
    std::string_view one();
    std::size_t end();

    std::string_view text_;
    bool joins_;
    std::size_t at_ = 0, feed_, return_;  ///< feed_, return_: the next LF and CR, or the size
    int read_ = 0, number_ = 0;
    std::string joined_;
};

/// A line, word by word.
class Words {
public:
    explicit Words(std::string_view line) : rest_(line) {}

    /// The next word; empty: there is none.
    std::string_view word() {
        std::size_t begin = 0;
        while (begin < rest_.size() && isBlank(rest_[begin])) ++begin;
        std::size_t end = begin;
        while (end < rest_.size() && !isBlank(rest_[end])) ++end;
        const std::string_view found = rest_.substr(begin, end - begin);
        rest_.remove_prefix(end);
        return found;
    }
    /// What is left, without blanks around it: names may have some within.
    std::string_view rest() const { return trimmed(rest_); }

private:
    std::string_view rest_;
};

/// The number that a word is, however programs write it: with a +, a decimal comma, Fortran's D
/// for E, and MSVC's 1.#IND and 1.#INF. What is too small is 0; too large, infinite. Nothing: it
/// is no number, or more than one.
std::optional<double> numberIn(std::string_view word);

}  // namespace rayscope
