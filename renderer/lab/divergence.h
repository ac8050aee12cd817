#pragma once

#include <vector>

#include "renderer/renderer.h"

namespace rayscope {

/// How the warps fare after some number of rays, in percent.
struct DivergenceRow {
    double active;     ///< paths that trace more rays than that
    double done;       ///< warps in which no path does,
    double full;       ///< in which all do,
    double divergent;  ///< and in which some do and some wait for them
};

struct Divergence {
    double raysPerPath = 0;
    std::vector<DivergenceRow> rows;  ///< after 1, 2, ... rays
};

/// The divergence of a megakernel that traces these paths: the variant's samplesAs, block and order
/// say which of them are one warp. A warp that reaches over the edge of the picture consists of the
/// lanes inside.
Divergence divergenceOf(const PathLengths& paths, const Variant& variant, int maxDepth);

}  // namespace rayscope
