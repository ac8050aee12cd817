#include "ui/preferences_keeper.h"

#include "renderer/base/say.h"

namespace rayscope {

void PreferencesKeeper::act(Frame& frame) {
    if (writing_ || failed_ || kept_ == frame.preferences) return;
    writing_ = true;
    frame.errands.send(
        [this, before = kept_.value_or(Preferences{}), now = frame.preferences]() -> Errands::Then {
            return [this, now, problem = storePreferences(before, now, preferencesPath())] {
                writing_ = false;
                failed_ = !problem.empty();
                if (!failed_) kept_ = now;
            };
        });
}

void PreferencesKeeper::finish(Frame& frame) {
    while (writing_) frame.errands.finish();
    std::string problem;
    if (kept_ != frame.preferences) {
        problem =
            storePreferences(kept_.value_or(Preferences{}), frame.preferences, preferencesPath());
    }
    if (problem.empty()) problem = storeLastState(frame.state);
    if (!problem.empty()) complain(problem);
}

}  // namespace rayscope
