#include "renderer/code/compile_errors.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "renderer/code/words.h"

namespace rayscope {

namespace {

/// A number, which ends where the text does.
bool read(std::string_view text, int& number) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size();
}

/// g++ and clang++: "path.h:12:14: error: ", "path.h:12:14: fatal error: "
std::optional<CompileError> hostErrorIn(std::string_view line) {
    size_t at = line.find(": error: ");
    if (at == line.npos) at = line.find(": fatal error: ");
    if (at == line.npos) return {};
    CompileError error;
    error.message = trimmed(line.substr(line.find("error: ", at) + 7));
    std::string_view place = line.substr(0, at);
    std::array<int, 2> numbers{};  // the column, then the line
    size_t known = 0;
    for (; known < numbers.size(); ++known) {
        const size_t colon = place.rfind(':');
        if (colon == place.npos || !read(place.substr(colon + 1), numbers[known])) break;
        place = place.substr(0, colon);
    }
    if (known == 0 || place.empty()) return {};
    error.line = numbers[known - 1];
    error.file = place;
    return error;
}

/// NVRTC: "path.h(12): error: "
std::optional<CompileError> errorIn(std::string_view line) {
    const size_t colon = line.find("): ");
    if (colon == line.npos) return {};
    const size_t open = line.rfind('(', colon);
    if (open == line.npos || open == 0) return {};
    CompileError error;
    error.file = line.substr(0, open);
    if (!read(line.substr(open + 1, colon - open - 1), error.line)) return {};
    // "error: ", "error #20-D: ", "catastrophic error: "
    const std::string_view rest = line.substr(colon + 3);
    const size_t begin = rest.find(": ");
    if (begin == rest.npos || rest.substr(0, begin).find("error") == rest.npos) return {};
    error.message = trimmed(rest.substr(begin + 2));
    return error;
}

}  // namespace

std::vector<CompileError> errorsIn(const std::string& log) {
    std::vector<CompileError> errors;
    for (const std::string_view line : linesOf(log)) {
        auto error = errorIn(line);
        if (!error) error = hostErrorIn(line);
        if (error) errors.push_back(*std::move(error));
    }
    return errors;
}

std::string describe(const CompileError& error) {
    return fmt::format("{}:{}: {}", error.file, error.line, error.message);
}

}  // namespace rayscope
