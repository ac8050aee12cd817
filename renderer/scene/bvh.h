#pragma once

#include <vector>

#include "renderer/core/scene_view.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// A binary bounding volume hierarchy over the spheres, as core/bvh.h walks it.
struct Bvh {
    std::vector<BvhNode> nodes;  ///< the root first; empty where no sphere is in the tree
    std::vector<int> list;       ///< indices of all spheres: first those outside, then leaf by leaf
    BvhHeader header{};
};

/// Spheres that reach around all the smaller ones, as grounds and walls do, are left outside: every
/// ray would enter their boxes, and would be given the slack of their coordinates. The rest is
/// split by the surface area heuristic in bins (Wald 2007, "On fast Construction of SAH-based
/// Bounding Volume Hierarchies"), never deeper than kBvhLevels.
Bvh buildBvh(const Scene& scene);

/// Every leaf has kMinLeafSpheres, but where there are not as many in the tree.
constexpr int mostBvhNodes(int spheres) {
    return spheres < 2 * kMinLeafSpheres ? 1 : spheres / kMinLeafSpheres - 1;
}

}  // namespace rayscope
