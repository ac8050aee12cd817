#include "renderer/code/compile_errors.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "renderer/code/words.h"

namespace rayscope {

namespace {

std::optional<CompileError> errorIn(std::string_view line) {
    const size_t colon = line.find("): ");
    if (colon == line.npos) return {};
    const size_t open = line.rfind('(', colon);
    if (open == line.npos || open == 0) return {};
    CompileError error;
    error.file = line.substr(0, open);
    const auto [end, failure] =
        std::from_chars(line.data() + open + 1, line.data() + colon, error.line);
    if (failure != std::errc() || end != line.data() + colon) return {};
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
        if (auto error = errorIn(line)) errors.push_back(std::move(*error));
    }
    return errors;
}

std::string describe(const CompileError& error) {
    return fmt::format("{}:{}: {}", error.file, error.line, error.message);
}

}  // namespace rayscope
