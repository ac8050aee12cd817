#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/choices/axes.h"
#include "ui/feature.h"

namespace rayscope {

/// An axis that changed with another one, because the value that was chosen there rules out what it
/// had.
struct TakenAlong {
    const Axis* cause;
    int value;  ///< of the cause
    const Axis* axis;
    int from, to;
};

/// What the controls of the axes remember from one frame to the next.
struct AxisMemory {
    std::map<std::string_view, int> pending{};  ///< numbers whose slider has not been let go
    std::vector<TakenAlong> taken{};
    bool showAll = false;  ///< was pressed
    /// Beside the control of the axis, until then: what else its last change has changed.
    struct Remark {
        std::string_view axis;
        std::string text;
        double until = 0;
    } remark{};
    /// While the cursor stays on the panel rows above the last change stay as they were, so that
    /// none jumps from under it.
    struct Hold {
        const Axis* changed = nullptr;  ///< nullptr: nothing is held
        std::vector<const Axis*> above{};
    } hold{};
};

/// The settings with another value of an axis, and what that brings along. What an earlier value of
/// the axis took from others comes back, where nothing else has changed it; another backend brings
/// its own defaults.
Settings changedTo(const AxisMemory& memory, const Frame& frame, const Axis& axis, int value);

/// Makes them the state's, and remembers what came along.
void change(AxisMemory& memory, Frame& frame, const Axis& axis, const Settings& to);

/// "Engine (engine)": as panels and as command lines call it.
std::string bothNames(const Axis& axis);

}  // namespace rayscope
