#include "ui/clipboard.h"

#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

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

/// Another backend brings its own defaults; axes that no word names give way to those that are.
Result<State> assigned(const std::string& text, State state) {
    std::istringstream words(text);
    std::vector<std::string> assignments;
    Settings said = state.settings;
    for (std::string word; words >> word;) {
        if (word == "--set") continue;
        if (word.find('=') == word.npos)
            return Failure{"the clipboard holds neither a state nor axis=value"};
        if (const auto done = assign(said, word); !done) return done.failure();
        assignments.push_back(std::move(word));
    }
    if (assignments.empty()) return Failure{"the clipboard holds no text"};
    state.settings = withBackend(state.settings, said.backend, state.scene);
    assignAll(state.settings, assignments);
    // of several, some may belong to the scene or the engine that they were copied with
    std::string first;
    for (const std::string& assignment : assignments) {
        std::string idle = withoutEffect({assignment}, state.settings);
        if (idle.empty()) return state;
        if (first.empty()) first = std::move(idle);
    }
    return Failure{std::move(first)};
}

}  // namespace

std::string copyPng(const std::string& file) {
    const bool wayland = onWayland();
    if (const std::string tool = wayland ? findProgram("wl-copy", {}) : ""; !tool.empty())
        return feedProgram({tool, "--type", "image/png"}, file).reason();
    if (const std::string tool = findProgram("xclip", {}); !tool.empty())
        return feedProgram({tool, "-selection", "clipboard", "-t", "image/png"}, file).reason();
    return wayland ? "to copy pictures install wl-clipboard" : "to copy pictures install xclip";
}

std::string clipboardReader() {
    return onWayland() ? "" : findProgram("xclip", {});
}

Result<std::string> readClipboard(const std::string& reader) {
    const Clock::time_point start = Clock::now();
    auto run = runProgram({reader, "-selection", "clipboard", "-o"}, kMostStateText + 1,
                          [&] { return millisecondsSince(start) < kPatienceMs; });
    if (!run) return run.failure();
    ProgramOutput& output = *run;
    if (output.stopped) return Failure{"the program that holds the clipboard does not answer"};
    const bool cut = output.text.size() > kMostStateText;  // which its reader says
    if (output.status != 0 && !cut) output.text.clear();   // what it says is that there is no text
    return std::move(output.text);
}

Result<State> stateFromText(const std::string& text, const State& present) {
    if (text.size() > kMostStateText)
        return Failure{"the clipboard holds more than 64 MiB of text"};
    const bool png = text.starts_with("\x89PNG");
    if (!png && (text.find('{') == text.npos || text.find('=') < text.find('{')))
        return assigned(text, present);
    return stateFrom(text, "the clipboard");
}

}  // namespace rayscope
