#include <fmt/format.h>

#include "ui/features.h"

namespace rayscope {

namespace {

class BookmarkKeys : public WindowFeature {
    void key(const KeyPress& press, Frame& frame) override {
        const State& state = frame.state;
        if (press.key == Key::home)
            frame.steering.flyTo(state.scene->camera, state.camera, frame.now);
    }

    void chord(const Chord& chord, Frame& frame) override {
        if (chord.digit == 0) return;
        State& state = frame.state;
        state.bookmarks[static_cast<std::size_t>(chord.digit - 1)] = state.camera;
        frame.preferences.keep(state.scene->name, state.bookmarks);
        frame.say(fmt::format("Bookmark {}: press {} to fly here", chord.digit, chord.digit));
    }

    void digit(int digit, Frame& frame) override {
        const auto& bookmark = frame.state.bookmarks[static_cast<std::size_t>(digit - 1)];
        if (!bookmark)
            return frame.say(fmt::format("Ctrl+{} keeps this place as a bookmark", digit));
        frame.steering.flyTo(*bookmark, frame.state.camera, frame.now);
    }

    /// A state without any gets those that were set in its scene before.
    void adopted(Frame& frame, const State&) override {
        State& state = frame.state;
        const auto& known = frame.preferences.bookmarks;
        const auto kept = known.find(state.scene->name);
        if (!any(state.bookmarks) && kept != known.end()) state.bookmarks = kept->second;
    }
};

}  // namespace

std::unique_ptr<WindowFeature> bookmarkKeys() {
    return std::make_unique<BookmarkKeys>();
}

}  // namespace rayscope
