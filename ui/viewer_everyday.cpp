#include <fmt/format.h>

#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/devices/backends.h"
#include "renderer/lab/sequence.h"
#include "ui/clipboard.h"
#include "ui/state_text.h"
#include "ui/viewer_class.h"

namespace rayscope {

namespace {

/// An X server ends a program that hands over more than it takes in one request, mostly 16 MiB.
constexpr std::size_t kMostToCopy = std::size_t{8} << 20;

}  // namespace

/// Ctrl and a letter or a digit.
void Viewer::handleChord(const Chord& chord) {
    if (chord.digit > 0) return setBookmark(chord.digit - 1);
    switch (chord.letter) {
        case 'z':
            return restoreChoices(chord.shift);
        case 'y':
            return restoreChoices(true);
        case 'c':
            if (chord.shift) {
                requests_.copyPicture = true;
                return;
            }
            return copyState();
        case 'v':
            return paste();
        default:
            return;
    }
}

/// Back one step, in the middle of a drag that drag, or forth.
void Viewer::restoreChoices(bool forth) {
    undo_.note(state_, frameBegan_);
    std::optional<State> state = forth ? undo_.forth() : undo_.back();
    if (!state)
        return say(forth ? "There is nothing to do again" : "There is nothing more to take back");
    const std::string changes = difference(state_.settings, state->settings);
    if (state->scene == state_.scene && state->pinned == state_.pinned) {
        state_.settings = state->settings;  // the film goes on where it can
        state_.view = state->view;
    } else {
        adopt(std::move(*state));
    }
    if (!changes.empty()) return say(changes);
    say(forth ? "Done again" : "Taken back");
}

void Viewer::copyState() {
    const Errands::Work write = [this, state = state_]() -> Errands::Then {
        return [this, text = toJson(state).dump(2)] {
            if (text.size() > kMostToCopy) {
                return warn(
                    fmt::format("The state is {} MiB of text, and a clipboard takes {}: "
                                "F12 saves it in a picture",
                                text.size() >> 20, kMostToCopy >> 20));
            }
            window_.setClipboard(text);
            say("Copied the state as text");
        };
    };
    if (state_.scene.spheres.size() > kFewSpheres) return errands_.send(write);
    errands_.afterwards(write());
}

void Viewer::paste() {
    const std::string reader = clipboardReader();
    if (reader.empty()) return understand(window_.clipboard());
    errands_.send([this, reader]() -> Errands::Then {
        return [this, read = readClipboard(reader)]() mutable {
            read.problem.empty() ? understand(std::move(read.text)) : warn(read.problem);
        };
    });
}

/// Pasted text.
void Viewer::understand(std::string text) {
    if (text.size() <= kQuickBytes)
        return errands_.afterwards([this, text] { take(stateFromText(text, state_)); });
    say("Reading the clipboard");
    errands_.send([this, text = std::move(text), state = state_]() -> Errands::Then {
        return [this, result = stateFromText(text, state)]() mutable { take(std::move(result)); };
    });
}

void Viewer::take(std::variant<State, std::string> pasted) {
    if (const auto* problem = std::get_if<std::string>(&pasted)) return warn(*problem);
    const State& state = std::get<State>(pasted);
    const std::string problem = state.scene == state_.scene
                                    ? backends_.unsupported(state.settings)
                                    : backends_.unsupported(state.settings, state.scene);
    if (!problem.empty()) return warn(problem);
    say("Pasted a state");
    adopt(std::get<State>(std::move(pasted)));
}

void Viewer::setBookmark(int index) {
    state_.bookmarks[static_cast<size_t>(index)] = state_.camera;
    memory_.keep(state_.scene.name, state_.bookmarks);
    say(fmt::format("Bookmark {}: press {} to fly here", index + 1, index + 1));
}

/// A state without any gets those that were set in its scene before.
void Viewer::recallBookmarks(State& state) const {
    const auto known = memory_.bookmarks.find(state.scene.name);
    if (!any(state.bookmarks) && known != memory_.bookmarks.end()) state.bookmarks = known->second;
}

/// At once, so that a program that is killed loses nothing; where that fails, once more at the end.
void Viewer::keepMemory() {
    memory_.panels = panels_;
    memory_.tab = idOf(tab_);
    if (remembering_ || memoryLost_ || kept_ == memory_) return;
    remembering_ = true;
    errands_.send([this, before = kept_.value_or(Memory{}), now = memory_]() -> Errands::Then {
        return [this, now, problem = rayscope::remember(before, now, memoryPath())] {
            remembering_ = false;
            memoryLost_ = !problem.empty();
            if (!memoryLost_) kept_ = now;
        };
    });
}

void Viewer::remember() {
    while (remembering_) errands_.finish();
    std::string problem;
    if (kept_ != memory_)
        problem = rayscope::remember(kept_.value_or(Memory{}), memory_, memoryPath());
    if (problem.empty()) problem = rememberState(state_);
    if (!problem.empty()) complain(problem);
}

void Viewer::goToBookmark(int index) {
    const std::optional<Camera>& bookmark = state_.bookmarks[static_cast<size_t>(index)];
    if (!bookmark) return say(fmt::format("Ctrl+{} keeps this place as a bookmark", index + 1));
    flight_.start(state_.camera, *bookmark, frameBegan_);
}

/// Between bookmarks; a user who steers has the camera at once.
void Viewer::fly(bool steered) {
    if (steered) flight_.stop();
    if (!flight_.flying()) return;
    state_.camera = flight_.at(frameBegan_);
    steering_.noteMove(frameBegan_);
}

}  // namespace rayscope
