#pragma once

#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/film/image.h"

namespace rayscope {

/// What the pixels of a picture cost, the mean of their samples.
struct CostMap {
    int width = 0, height = 0;
    std::vector<float> values;  ///< rows from the top
    double fullScale = 1;       ///< 999 of 1000 pixels cost at most that; above zero
    std::string unit;           ///< "rays a sample"
};

CostMap costMap(const PathLengths& paths);
CostMap costMap(const PixelTimes& times);

/// From black, which costs nothing, to white at the full scale (false_color.h).
Picture falseColors(const CostMap& map);

}  // namespace rayscope
