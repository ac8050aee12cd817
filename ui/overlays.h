#pragma once

#include "ui/feature.h"

// What lies over the picture beside the panels.

namespace rayscope {

/// What is traced, and what goes on: at the bottom of the window.
class StatusStrip : public WindowFeature {
public:
    void draw(const Ui& ui) override;
};

/// All keys, when F1 is pressed, until a click elsewhere.
class KeyList : public WindowFeature {
public:
    void key(const KeyPress& press, Frame& frame) override;
    void draw(const Ui& ui) override;

private:
    bool shown_ = false;
};

/// The compiler's log of a kernel that could not be built, until it is closed; the Code tab lists
/// the errors itself.
class CompileLog : public WindowFeature {
public:
    void draw(const Ui& ui) override;

private:
    std::string closed_;
};

}  // namespace rayscope
