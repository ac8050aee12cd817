#pragma once

#include "ui/panels.h"
#include "ui/why.h"

namespace rayscope {

struct CountersRequests {
    bool count = false;
    bool keep = false;    ///< compare later counts with the newest,
    bool forget = false;  ///< or with nothing
};

/// What limits the running kernel, what it does beside what was kept before, and how that went
/// while settings changed. `follow`: whether to count after each change.
void drawCountersPage(const Ui& ui, const Why& why, const State& state, bool& follow,
                      CountersRequests& requests);

}  // namespace rayscope
