#pragma once

#include "ui/widgets.h"

namespace rayscope {

/// A sentence that is shown for a few seconds.
struct Toast {
    std::string text;
    bool error = false;
    double until = 0;  ///< seconds
};

struct Toasts {
    std::vector<Toast> shown;  ///< oldest first
    std::string last;          ///< the newest text, also after it has gone

    void say(const std::string& text, double now);
    /// Stays longer; also written to stderr, where it can be found again.
    void warn(const std::string& text, double now);
    /// Over the picture, without those whose time is over.
    void draw(const Ui& ui, double now);
};

}  // namespace rayscope
