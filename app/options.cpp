#include "app/options.h"

#include <fmt/format.h>

#include <charconv>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"
#include "renderer/scene/made_meshes.h"

namespace rayscope {

namespace {

std::string_view axisOf(std::string_view assignment) {
    return assignment.substr(0, assignment.find('='));
}

}  // namespace

std::string wrongSize(const std::string& text) {
    return fmt::format("--size {} is not WIDTHxHEIGHT with sides from 1 to 16384", text);
}

Result<void> checkSetOnce(const std::vector<std::string>& assignments) {
    for (size_t i = 0; i < assignments.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (axisOf(assignments[i]) != axisOf(assignments[j])) continue;
            return Failure{fmt::format("{} is set twice: {} and {}", axisOf(assignments[i]),
                                       assignments[j], assignments[i])};
        }
    }
    return {};
}

Result<void> applyAssignments(const std::vector<std::string>& assignments, Settings& settings) {
    if (const auto once = checkSetOnce(assignments); !once) return once;
    for (const std::string& assignment : assignments) {
        Settings scratch;
        if (const auto assigned = assign(scratch, assignment); !assigned) return assigned;
        if (assignment.starts_with("backend="))
            return Failure{"write --backend instead of --set backend=..."};
    }
    assignAll(settings, assignments);
    if (std::string idle = withoutEffect(assignments, settings); !idle.empty())
        return Failure{std::move(idle)};
    return {};
}

Refusal notFound(const std::string& nameOrPath, const std::string& sentence) {
    const bool name = nameOrPath.find_first_of("./") == std::string::npos;
    const bool known = static_cast<bool>(madeMesh(nameOrPath));  // and needs too much memory
    return {name && !known && findAssets() ? 2 : 1, sentence};
}

bool parseSize(const std::string& text, int& width, int& height) {
    const char* end = text.data() + text.size();
    const auto w = std::from_chars(text.data(), end, width);
    if (w.ec != std::errc() || w.ptr == end || *w.ptr != 'x') return false;
    const auto h = std::from_chars(w.ptr + 1, end, height);
    const auto fits = [](int side) { return side >= 1 && side <= 16384; };
    return h.ec == std::errc() && h.ptr == end && fits(width) && fits(height);
}

}  // namespace rayscope
