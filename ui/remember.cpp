#include <fmt/format.h>

#include "renderer/base/say.h"
#include "renderer/code/carried_kernels.h"
#include "ui/features.h"

// Features by which the window remembers.

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

class PreferencesKeeper : public WindowFeature {
public:
    explicit PreferencesKeeper(const Preferences& loaded) {
        if (!loaded.first) kept_ = loaded;
    }

private:
    void act(Frame& frame) override {
        keepState(frame);
        if (writing_ || failed_ || kept_ == frame.preferences) return;
        writing_ = true;
        frame.errands.send([this, before = kept_.value_or(Preferences{}),
                            now = frame.preferences]() -> Errands::Then {
            return [this, now, problem = storePreferences(before, now, preferencesPath())] {
                writing_ = false;
                failed_ = !problem.empty();
                if (!failed_) kept_ = now;
            };
        });
    }

    /// Now and then: the display may go, and the program with it.
    void keepState(Frame& frame) {
        constexpr double kEvery = 1, kEveryOfLarge = 15;  // seconds
        constexpr std::size_t kLarge = 5000;              // spheres
        const double every = frame.state.scene->spheres.size() > kLarge ? kEveryOfLarge : kEvery;
        if (!last_) last_ = frame.state;  // as it began: nobody has done anything
        if (keeping_ || frame.now - keptAt_ < every || last_ == frame.state) return;
        if (!std::exchange(moved_, true)) frame.scenes.last = keepStateBefore();
        keeping_ = true;
        keptAt_ = frame.now;
        last_ = frame.state;
        frame.errands.send([this, state = frame.state]() -> Errands::Then {
            // what fails is said at the end, when it is tried once more
            static_cast<void>(storeLastState(withPatches(state)));
            return [this] { keeping_ = false; };
        });
    }

    void close(Frame& frame) override {
        while (keeping_) frame.errands.finish();
        while (writing_) frame.errands.finish();
        std::string problem;
        if (kept_ != frame.preferences) {
            problem = storePreferences(kept_.value_or(Preferences{}), frame.preferences,
                                       preferencesPath());
        }
        if (problem.empty()) problem = storeLastState(withPatches(frame.state));
        if (!problem.empty()) complain(problem);
    }

    std::optional<Preferences> kept_;  ///< what was written last, or read; none in the first run
    bool writing_ = false;
    std::optional<State> last_;  ///< whose writing began last
    bool keeping_ = false, moved_ = false;
    double keptAt_ = 0;
    bool failed_ = false;  ///< it is tried once more at the end
};

}  // namespace

std::unique_ptr<WindowFeature> bookmarkKeys() {
    return std::make_unique<BookmarkKeys>();
}

std::unique_ptr<WindowFeature> preferencesKeeper(const Preferences& loaded) {
    return std::make_unique<PreferencesKeeper>(loaded);
}

}  // namespace rayscope
