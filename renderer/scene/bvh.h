#pragma once

#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "renderer/core/scene_view.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// What a shape lies in, its sides along the axes.
struct Box {
    glm::dvec3 low, high;
};

/// Those of the spheres; the floor has none.
std::vector<Box> boxesOf(const Scene& scene);

/// A binary bounding volume hierarchy over boxes, as core/bvh.h walks it.
struct Bvh {
    std::vector<BvhNode> nodes;  ///< the root first; empty where no box is in the tree
    std::vector<int> list;       ///< indices of all boxes: first those outside, then leaf by leaf
    BvhHeader header{};
};

/// Of boxes from the smallest to the largest, how many go into the tree: those after them are left
/// outside, where every ray tests what is in them.
using TreePolicy = int (*)(std::span<const Box> sorted);

/// All before the first that reaches around all the smaller ones, as grounds and walls do: every
/// ray would enter its box, and would be given the slack of its coordinates.
int beforeTheFirstAround(std::span<const Box> sorted);

/// Splits by the surface area heuristic in bins (Wald 2007, "On fast Construction of SAH-based
/// Bounding Volume Hierarchies"), never deeper than kBvhLevels.
Bvh buildBvh(std::span<const Box> boxes, TreePolicy inTree = beforeTheFirstAround);

/// Takes a sphere out of its leaf, to those outside the tree: the hierarchy is then right wherever
/// the sphere moves and however large it grows, for one more test a ray. Fitting the boxes to it
/// instead would widen them up to the root, and a scene that it makes larger would widen all.
void takeOutside(Bvh& bvh, int sphere);

/// The hierarchy of a scene that may be being edited.
class EditedBvh {
public:
    /// There is another scene, whose hierarchy is built anew: what is measured does not depend on
    /// what was before.
    void change();
    /// A sphere of the scene is being moved or resized. True where the hierarchy is not what of()
    /// returned last: of each sphere with the first move only.
    bool move(int sphere);
    /// Takes the hierarchy of the scene, built elsewhere, at any of its moves.
    void give(Bvh built);
    /// `scene`: the newest one.
    const Bvh& of(const Scene& scene);

private:
    Bvh bvh_;
    std::vector<int> moved_;  ///< outside the tree, where there is one
    bool built_ = false;
};

/// Every leaf has kMinLeafSpheres, but where there are not as many in the tree.
constexpr int mostBvhNodes(int spheres) {
    return spheres < 2 * kMinLeafSpheres ? 1 : spheres / kMinLeafSpheres - 1;
}

}  // namespace rayscope
