#include "ui/clipboard.h"

#include <cstdlib>
#include <sstream>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/run_program.h"
#include "renderer/choices/axes.h"
#include "renderer/film/image_files.h"

namespace rayscope {

namespace {

constexpr double kPatienceMs = 2000;

bool onWayland() {
    return std::getenv("WAYLAND_DISPLAY") != nullptr;
}

std::variant<State, std::string> assigned(const std::string& text, State state) {
    std::istringstream words(text);
    bool any = false;
    for (std::string word; words >> word;) {
        if (word == "--set") continue;
        if (word.find('=') == word.npos)
            return "the clipboard holds neither a state nor axis=value";
        const std::string problem = assign(state.settings, word);
        if (!problem.empty()) return problem;
        any = true;
    }
    if (!any) return "the clipboard holds no text";
    return state;
}

}  // namespace

std::string copyPng(const std::string& file) {
    const bool wayland = onWayland();
    if (const std::string tool = wayland ? findProgram("wl-copy", {}) : ""; !tool.empty())
        return feedProgram({tool, "--type", "image/png"}, file);
    if (const std::string tool = findProgram("xclip", {}); !tool.empty())
        return feedProgram({tool, "-selection", "clipboard", "-t", "image/png"}, file);
    return wayland ? "to copy pictures install wl-clipboard" : "to copy pictures install xclip";
}

std::string clipboardReader() {
    return onWayland() ? "" : findProgram("xclip", {});
}

ClipboardText readClipboard(const std::string& reader) {
    const Clock::time_point start = Clock::now();
    auto run = runProgram({reader, "-selection", "clipboard", "-o"}, kMostStateText + 1,
                          [&] { return millisecondsSince(start) < kPatienceMs; });
    if (const auto* problem = std::get_if<std::string>(&run)) return {"", *problem};
    ProgramOutput& output = std::get<ProgramOutput>(run);
    if (output.stopped) return {"", "the program that holds the clipboard does not answer"};
    const bool cut = output.text.size() > kMostStateText;  // which its reader says
    if (output.status != 0 && !cut) return {};             // what it says is that there is no text
    return {std::move(output.text), ""};
}

std::variant<State, std::string> stateFromText(const std::string& text, const State& present) {
    if (text.size() > kMostStateText) return "the clipboard holds more than 64 MiB of text";
    const bool png = text.starts_with("\x89PNG");
    if (!png && (text.find('{') == text.npos || text.find('=') < text.find('{')))
        return assigned(text, present);
    return stateFrom(text, "the clipboard");
}

}  // namespace rayscope
