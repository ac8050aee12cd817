#pragma once

#include <string>

#include "ui/ladder_climb.h"
#include "ui/panels.h"

namespace rayscope {

/// What the guided tour says of a rung.
struct TourText {
    std::string place;      ///< "3 of 24"
    std::string name, why;  ///< the rung's
    std::string changes;    ///< "memory=pinned"; empty: none
    std::string predicted;  ///< what its story makes of it; never empty
    std::string measured;   ///< here; empty: not yet
    std::string problem;    ///< why it does not run here; empty: it does
};

TourText tourText(const LadderClimb& climb, int rung);

/// The rung's card over the picture, with buttons to its neighbours.
void drawTour(const Ui& ui, const LadderClimb& climb, int rung);

}  // namespace rayscope
