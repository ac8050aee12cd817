#pragma once

#include "ui/feature.h"

namespace rayscope {

/// Writes the preferences whenever they change, so that a program that is killed loses nothing.
class PreferencesKeeper : public WindowFeature {
public:
    explicit PreferencesKeeper(const Preferences& loaded) {
        if (!loaded.first) kept_ = loaded;
    }

    void act(Frame& frame) override;
    /// At the end: what is not kept yet, and the state.
    void finish(Frame& frame);

private:
    std::optional<Preferences> kept_;  ///< what was written last, or read; none in the first run
    bool writing_ = false;
    bool failed_ = false;  ///< it is tried once more at the end
};

}  // namespace rayscope
