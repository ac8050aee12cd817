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
    /// What a ray that meets the root's box costs on average, in tests of a sphere (the surface
    /// area heuristic).
    float cost = 0;
};

/// Spheres that reach around all the smaller ones, as grounds and walls do, are left outside: every
/// ray would enter their boxes, and would be given the slack of their coordinates. The rest is
/// split by the surface area heuristic in bins (Wald 2007, "On fast Construction of SAH-based
/// Bounding Volume Hierarchies"), never deeper than kBvhLevels.
Bvh buildBvh(const Scene& scene);

/// Fits the boxes to spheres that have moved or changed their size. False, and the hierarchy is
/// unchanged, where there are not as many spheres as it was built for.
bool refit(Bvh& bvh, const Scene& scene);

/// The hierarchy of a scene that may be being edited.
class EditedBvh {
public:
    /// There is another scene. `moves`: it is the one before with spheres moved; the hierarchy is
    /// then refitted as long as it costs at most half as much again as when it was built. Else it
    /// is built, so that what is measured does not depend on what was before.
    void change(bool moves);
    /// Takes the hierarchy of the newest scene that was not only moves, built elsewhere.
    void give(const Bvh& built);
    /// `scene`: the newest one.
    const Bvh& of(const Scene& scene);

private:
    Bvh bvh_;
    float builtCost_ = 0;
    bool moves_ = false;
    bool fits_ = false;  ///< it is that of the newest scene
};

/// Every leaf has kMinLeafSpheres, but where there are not as many in the tree.
constexpr int mostBvhNodes(int spheres) {
    return spheres < 2 * kMinLeafSpheres ? 1 : spheres / kMinLeafSpheres - 1;
}

}  // namespace rayscope
