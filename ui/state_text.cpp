#include "ui/state_text.h"

#include <sstream>

#include "renderer/axes.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace {

std::variant<State, std::string> assigned(const std::string& text, State state) {
    std::istringstream words(text);
    bool any = false;
    for (std::string word; words >> word;) {
        if (word == "--set") continue;
        const std::string problem = assign(state.settings, word);
        if (!problem.empty()) return problem;
        any = true;
    }
    if (!any) return "the clipboard holds no text";
    return state;
}

}  // namespace

std::variant<State, std::string> stateFromText(const std::string& text, const State& present) {
    if (text.size() > kMostStateText) return "the clipboard holds more than 64 MiB of text";
    if (text.find_first_of('{') == text.npos || text.find('=') < text.find('{'))
        return assigned(text, present);
    const auto json = parseJson(text, "the clipboard");
    if (const auto* problem = std::get_if<std::string>(&json)) return *problem;
    return stateFromJson(std::get<nlohmann::json>(json));
}

}  // namespace rayscope
