#include "renderer/scene/text_lines.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace rayscope {

namespace {

void appendUtf8(std::string& to, unsigned code) {
    const auto byte = [&](unsigned value) { to += static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | code >> 6);
        byte(0x80 | (code & 63));
    } else if (code < 0x10000) {
        byte(0xe0 | code >> 12);
        byte(0x80 | (code >> 6 & 63));
        byte(0x80 | (code & 63));
    } else {
        byte(0xf0 | code >> 18);
        byte(0x80 | (code >> 12 & 63));
        byte(0x80 | (code >> 6 & 63));
        byte(0x80 | (code & 63));
    }
}

/// UTF-16 (RFC 2781), from its first character on.
std::string fromUtf16(std::string_view bytes, bool big) {
    const auto unitAt = [&](std::size_t i) {
        const auto first = static_cast<unsigned char>(bytes[i]);
        const auto second = static_cast<unsigned char>(bytes[i + 1]);
        return big ? first * 256u + second : second * 256u + first;
    };
    constexpr unsigned kUnknown = 0xfffd;
    std::string text;
    text.reserve(bytes.size() / 2);
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        unsigned code = unitAt(i);
        const bool first = code >= 0xd800 && code < 0xdc00;
        const unsigned second = first && i + 3 < bytes.size() ? unitAt(i + 2) : 0;
        if (second >= 0xdc00 && second < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
            i += 2;
        } else if (code >= 0xd800 && code < 0xe000) {
            code = kUnknown;
        }
        appendUtf8(text, code);
    }
    return text;
}

/// Whether from_chars() refused a number because it is too small, not because it is too large.
bool isTiny(std::string_view number) {
    const std::size_t exponent = number.find_first_of("eE");
    if (exponent != number.npos)
        return number.substr(exponent).starts_with("e-") ||
               number.substr(exponent).starts_with("E-");
    const std::string_view whole = number.substr(0, number.find('.'));
    return whole.find_first_of("123456789") == whole.npos;
}

/// What follows "1." in the numbers that are none of Microsoft's C library before 2015.
std::optional<double> notFinite(std::string_view rest, double sign) {
    if (rest.starts_with("#INF")) return sign * std::numeric_limits<double>::infinity();
    if (rest.starts_with("#IND") || rest.starts_with("#QNAN") || rest.starts_with("#SNAN"))
        return std::numeric_limits<double>::quiet_NaN();
    return {};
}

/// A number that another language or locale writes otherwise; it has no more than 64 characters.
std::optional<double> foreignNumber(std::string_view word, std::size_t read) {
    if (word.size() > 64 || read >= word.size()) return {};
    std::string plain(word);
    if (plain[read] == ',' && plain.find_first_of(",.", read + 1) == plain.npos &&
        plain.find('.') >= read)
        plain[read] = '.';
    if (const std::size_t d = plain.find_first_of("dD"); d != plain.npos) plain[d] = 'e';
    if (plain == word) return {};
    return numberIn(plain);
}

}  // namespace

std::string_view plainText(std::string_view bytes, std::string& converted) {
    if (bytes.starts_with("\xef\xbb\xbf")) return bytes.substr(3);
    const bool marked = bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
    const auto zero = [&](std::size_t i) { return bytes[i] == '\0'; };
    const bool little = bytes.size() > 3 && !zero(0) && zero(1) && !zero(2) && zero(3);
    const bool big = bytes.size() > 3 && zero(0) && !zero(1) && zero(2) && !zero(3);
    if (!marked && !little && !big) return bytes;
    converted = fromUtf16(bytes.substr(marked ? 2 : 0), marked ? bytes[0] == '\xfe' : big);
    return converted;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
    return text;
}

Lines::Lines(std::string_view text, Continue how)
    : text_(text),
      joins_(how == Continue::afterBackslash),
      feed_(std::min(text.find('\n'), text.size())),
      return_(std::min(text.find('\r'), text.size())) {}

/// Each LF and CR is looked for once: files have only one of both, or both everywhere.
std::size_t Lines::end() {
    if (feed_ < at_) feed_ = std::min(text_.find('\n', at_), text_.size());
    if (return_ < at_) return_ = std::min(text_.find('\r', at_), text_.size());
    return std::min(feed_, return_);
}

std::string_view Lines::one() {
    const std::size_t end = this->end();
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end;
    if (at_ < text_.size()) {
        const char other = text_[at_++] == '\n' ? '\r' : '\n';
        if (at_ < text_.size() && text_[at_] == other) ++at_;
    }
    ++read_;
    while (!line.empty() && (isBlank(line.back()) || line.back() == '\x1a')) line.remove_suffix(1);
    return line;
}

bool Lines::next(std::string_view& line) {
    if (at_ >= text_.size()) return false;
    line = one();
    number_ = read_;
    if (!joins_ || !line.ends_with('\\') || trimmed(line).starts_with('#')) return true;
    joined_.clear();
    while (line.ends_with('\\')) {
        joined_.append(line.substr(0, line.size() - 1)) += ' ';
        line = {};
        if (at_ < text_.size()) line = one();
    }
    joined_ += line;
    line = joined_;
    return true;
}

bool Lines::nextWith(std::string_view beginning, std::string_view& line) {
    for (std::size_t found = text_.find(beginning, at_); found != text_.npos;
         found = text_.find(beginning, found + 1)) {
        std::size_t start = found;
        while (start > at_ && isBlank(text_[start - 1])) --start;
        if (start > at_ && text_[start - 1] != '\n' && text_[start - 1] != '\r') continue;
        const std::string_view passed = text_.substr(at_, start - at_);
        read_ += static_cast<int>(std::max(std::count(passed.begin(), passed.end(), '\n'),
                                           std::count(passed.begin(), passed.end(), '\r')));
        at_ = start;
        return next(line);
    }
    at_ = text_.size();
    return false;
}

std::optional<double> numberIn(std::string_view word) {
    if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [read, error] = std::from_chars(word.data(), end, value);
    if (error == std::errc::invalid_argument) return {};
    if (error != std::errc()) {
        const bool tiny = isTiny(word);
        value = tiny ? 0 : std::numeric_limits<double>::infinity();
        if (word.starts_with('-')) value = -value;
    }
    if (read == end) return value;
    const auto length = static_cast<std::size_t>(read - word.data());
    if (*read == '#') return notFinite(word.substr(length), value < 0 ? -1 : 1);
    if (*read == ',' && length + 1 == word.size()) return value;  // a list with commas
    return foreignNumber(word, length);
}

}  // namespace rayscope
