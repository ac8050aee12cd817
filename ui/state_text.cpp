#include "ui/state_text.h"

#include <sstream>

#include "renderer/choices/axes.h"
#include "renderer/film/image_files.h"

namespace rayscope {

namespace {

Result<State> assigned(const std::string& text, State state) {
    std::istringstream words(text);
    bool any = false;
    for (std::string word; words >> word;) {
        if (word == "--set") continue;
        if (word.find('=') == word.npos)
            return Failure{"the clipboard holds neither a state nor axis=value"};
        if (const auto done = assign(state.settings, word); !done) return done.failure();
        any = true;
    }
    if (!any) return Failure{"the clipboard holds no text"};
    return state;
}

}  // namespace

Result<State> stateFromText(const std::string& text, const State& present) {
    if (text.size() > kMostStateText)
        return Failure{"the clipboard holds more than 64 MiB of text"};
    const bool png = text.starts_with("\x89PNG");
    if (!png && (text.find('{') == text.npos || text.find('=') < text.find('{')))
        return assigned(text, present);
    return stateFrom(text, "the clipboard");
}

}  // namespace rayscope
