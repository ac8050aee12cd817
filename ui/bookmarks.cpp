#include "ui/bookmarks.h"

#include <fmt/format.h>

namespace rayscope {

void BookmarkKeys::key(const KeyPress& press, Frame& frame) {
    const State& state = frame.state;
    if (press.key == Key::home) frame.flight.start(state.camera, state.scene->camera, frame.now);
}

void BookmarkKeys::chord(const Chord& chord, Frame& frame) {
    if (chord.digit == 0) return;
    State& state = frame.state;
    state.bookmarks[static_cast<std::size_t>(chord.digit - 1)] = state.camera;
    frame.preferences.keep(state.scene->name, state.bookmarks);
    frame.say(fmt::format("Bookmark {}: press {} to fly here", chord.digit, chord.digit));
}

void BookmarkKeys::digit(int digit, Frame& frame) {
    const auto& bookmark = frame.state.bookmarks[static_cast<std::size_t>(digit - 1)];
    if (!bookmark) return frame.say(fmt::format("Ctrl+{} keeps this place as a bookmark", digit));
    frame.flight.start(frame.state.camera, *bookmark, frame.now);
}

void BookmarkKeys::adopted(Frame& frame, const State&) {
    State& state = frame.state;
    const auto& known = frame.preferences.bookmarks;
    const auto kept = known.find(state.scene->name);
    if (!any(state.bookmarks) && kept != known.end()) state.bookmarks = kept->second;
}

}  // namespace rayscope
