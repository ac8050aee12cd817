#pragma once

#include "ui/counters_page.h"
#include "ui/panels.h"
#include "ui/why.h"

namespace rayscope {

/// What the tab shows.
struct WhyChoice {
    bool counters = false;  ///< the page of the counters, instead of that of the paths
    bool follow = false;    ///< count after each change
};

struct WhyRequests {
    bool measure = false;
    CountersRequests counters;
};

/// What the running settings' warps do, and what their rays meet; or what limits the kernel.
void drawWhyPanel(const Ui& ui, const Why& why, const State& state, WhyChoice& choice,
                  WhyRequests& requests);

/// Over the picture: the colours of the map and what their ends mean, or that it is being made.
void drawMapLegend(const Ui& ui, const CostMap* map, bool making);

/// "44 % of lanes are idle while others trace: a warp waits for ...".
std::string lanesSentence(const Lanes& lanes, const Variant& variant);

}  // namespace rayscope
