#include "ui/clipboard.h"

#include <cstdlib>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/run_program.h"
#include "ui/state_text.h"

namespace rayscope {

namespace {

constexpr double kPatienceMs = 2000;

bool onWayland() {
    return std::getenv("WAYLAND_DISPLAY") != nullptr;
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

ClipboardText readClipboard(const std::string& reader) {
    const Clock::time_point start = Clock::now();
    auto run = runProgram({reader, "-selection", "clipboard", "-o"}, kMostStateText + 1,
                          [&] { return millisecondsSince(start) < kPatienceMs; });
    if (!run) return {"", run.reason()};
    ProgramOutput& output = *run;
    if (output.stopped) return {"", "the program that holds the clipboard does not answer"};
    const bool cut = output.text.size() > kMostStateText;  // which its reader says
    if (output.status != 0 && !cut) return {};             // what it says is that there is no text
    return {std::move(output.text), ""};
}

}  // namespace rayscope
