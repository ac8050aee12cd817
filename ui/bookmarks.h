#pragma once

#include "ui/feature.h"

namespace rayscope {

/// Ctrl and a digit keeps a place, the digit flies there, Home to the scene's own camera.
class BookmarkKeys : public WindowFeature {
public:
    void key(const KeyPress& press, Frame& frame) override;
    void chord(const Chord& chord, Frame& frame) override;
    void digit(int digit, Frame& frame) override;
    /// A state without any gets those that were set in its scene before.
    void adopted(Frame& frame, const State& before) override;
};

}  // namespace rayscope
