#pragma once

#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/film/image.h"

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

/// Rays of bounce loops, and the lanes of the warps that trace them: 32 for each step, a step being
/// one ray in some of the lanes.
struct Lanes {
    double rays = 0, slots = 0;
    double share() const { return slots > 0 ? rays / slots : 0; }
};

/// A model of the variant's engine, from the paths alone: all rays take the same time, and warps
/// come together after each step. The samples of the record are what a thread traces.
///
/// megakernel: a step for each ray of the longest path in the warp, sample after sample.
/// regeneration: as many as the lane with the most rays has in all its samples; with a budget, as
/// many as the budget, in all lanes. wavefront, hybrid: a kernel for each depth over all paths,
/// dense where they are compacted; otherwise a path keeps its lane, beside its pixel's others.
/// packets: no model, but what they have counted.
Lanes lanesOf(const PathLengths& paths, const Variant& variant, int maxDepth);

/// Why that share of lanes is idle, to follow "44 % of lanes are idle: ".
std::string reasonFor(const Variant& variant);

/// An engine and how its lanes trace, or would trace, the same paths.
struct EngineLanes {
    std::string name;  ///< "regeneration"
    bool running;      ///< it is the variant's
    Lanes lanes;
    bool counted = false;  ///< by the engine itself
};
/// Those of a GPU's warps. Where packets have traced the paths, they come first, and how full their
/// searches for shadows were.
std::vector<EngineLanes> lanesOfEngines(const PathLengths& paths, const Variant& variant,
                                        int maxDepth);

/// "metal"
const char* nameOf(HitKind kind);

/// Percent of the rays of that depth (from 0) that met this.
double hitShare(const PathLengths& paths, int depth, HitKind kind);
unsigned long long raysAt(const PathLengths& paths, int depth);

/// A warning if subnormal numbers are met by more than one path in ten; else empty.
std::string subnormalWarning(const PathLengths& paths);

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
