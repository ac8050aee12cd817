#pragma once

#include "ui/panels.h"
#include "ui/why.h"

namespace rayscope {

struct WhyRequests {
    bool measure = false;
};

/// What the running settings' warps do, and what their rays meet.
void drawWhyPanel(const Ui& ui, const Why& why, const State& state, WhyRequests& requests);

/// Over the picture: the colours of the map and what their ends mean, or that it is being made.
void drawMapLegend(const Ui& ui, const CostMap* map, bool making);

/// "44 % of lanes are idle while others trace: a warp waits for ...".
std::string lanesSentence(const Lanes& lanes, const Variant& variant);

}  // namespace rayscope
