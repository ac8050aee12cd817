#include "renderer/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rayscope {

namespace {

constexpr std::string_view kReplacement = "\uFFFD";

/// Length in bytes of the text's first character; 0 if it is not UTF-8 (Unicode 15, table 3-7).
std::size_t lengthOfFirst(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first < 0xC2   ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0 || text.size() < length) return 0;
    const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < low || byte(1) > high) return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    return length;
}

/// C0, DEL, and C1, which takes two bytes in UTF-8.
bool isControl(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first < 0x20 || first == 0x7F;
    return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

/// What turns the order of the text around it, by which a name can look like another one (Unicode
/// 15, UAX #9, section 2), and the separators of lines and paragraphs.
bool isReordering(std::string_view character) {
    for (const std::string_view mark :
         {"\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A", "\u202B", "\u202C", "\u202D",
          "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"}) {
        if (character == mark) return true;
    }
    return false;
}

}  // namespace

std::string shortened(const std::string& text, std::size_t limit) {
    if (text.size() <= limit) return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
    return text.substr(0, limit) + "...";
}

std::string smallLetters(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

std::string percentDecoded(std::string_view uri) {
    std::string text;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        unsigned value = 0;
        const char* const digits = uri.data() + i + 1;
        const bool escaped = uri[i] == '%' && i + 2 < uri.size() &&
                             std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
        text += escaped ? static_cast<char>(value) : uri[i];
        if (escaped) i += 2;
    }
    return text;
}

std::string lastLine(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return std::string(text.substr(text.rfind('\n') + 1));
}

std::string durationText(double seconds) {
    if (seconds < 59.5) return std::to_string(std::lround(seconds)) + " s";
    const long tens = std::lround(seconds / 10), minutes = tens / 6;
    if (minutes < 60)
        return std::to_string(minutes) + " min" +
               (tens % 6 == 0 ? "" : " " + std::to_string(10 * (tens % 6)) + " s");
    return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string padded(const std::string& text, size_t width) {
    const auto isLead = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const size_t length = static_cast<size_t>(std::count_if(text.begin(), text.end(), isLead));
    return text + std::string(width > length ? width - length : 0, ' ');
}

std::string printable(std::string_view text, std::string_view kept) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = lengthOfFirst(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        const bool shown = length > 0 && !isReordering(character) &&
                           (!isControl(character) || kept.find(character) != kept.npos);
        result += shown ? character : kReplacement;
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace rayscope
