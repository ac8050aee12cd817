#pragma once

#include <array>
#include <functional>
#include <glm/vec3.hpp>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "renderer/core/scene_view.h"
#include "renderer/scene/hierarchy.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// An axis-aligned box.
struct Box {
    glm::dvec3 low, high;
};
/// The box of nothing: the box of it and a point is the point.
inline constexpr Box kBoxOfNothing{glm::dvec3(std::numeric_limits<double>::infinity()),
                                   glm::dvec3(-std::numeric_limits<double>::infinity())};

/// Half the shortest side.
float thicknessOf(const Box& box);
/// Half the longest side: the radius of a sphere. In single precision, so that spheres of the same
/// radius have the same size wherever they are.
float sizeOf(const Box& box);

/// The boxes of the spheres, then of the triangles, or of the places where these stand; the floor
/// has none.
std::vector<Box> boxesOf(const Scene& scene);
std::vector<Box> boxesOfSpheres(const Scene& scene);

/// The tree of what stands in places, among the nodes of a scene's.
struct TreeOfPiece {
    int root;
    float reach;  ///< as in BvhHeader
};

/// A binary bounding volume hierarchy, which core/bvh.h walks.
struct Bvh {
    std::vector<BvhNode> nodes;  ///< the root first; empty where no box is in the tree
    /// Indices of all boxes: first those outside, then leaf by leaf. In several leaves there may be
    /// parts of one.
    std::vector<int> list;
    BvhHeader header{};
    double buildMs = 0;  ///< wall time
    /// In a scene with places (places.h): below the tree over spheres and places, whose list has
    /// the places as complements of their numbers, those of the pieces.
    std::vector<TreeOfPiece> pieces{};
};

/// How many of these boxes, sorted by size with the smallest first, go into the tree. The others
/// stay outside it, where every ray tests their contents.
using TreePolicy = int (*)(std::span<const Box> sorted);

/// All boxes before the first one that is large enough to enclose all smaller ones, as grounds and
/// walls are: every ray would enter it, and its coordinates would increase every ray's slack.
int beforeFirstEnclosing(std::span<const Box> sorted);

/// Most boxes left outside a tree, each of which costs every ray a test.
inline constexpr int kMaxOutside = 16;

/// The boxes that beforeFirstEnclosing() leaves outside, ascending, without sorting all by size.
std::vector<int> outsideTree(std::span<const Box> boxes);
/// Of boxesOf(), without making them all.
std::vector<int> outsideTree(const Scene& scene);

/// How many boxes a leaf has.
struct LeafSizes {
    int fewest = kMinLeafSpheres, most = kMaxLeafSpheres;
};

/// Builds a tree by the binned surface area heuristic (Wald 2007, "On fast Construction of
/// SAH-based Bounding Volume Hierarchies"), never deeper than kBvhLevels. The same tree with any
/// number of threads; 0: one for each core.
Bvh buildBvh(std::span<const Box> boxes, TreePolicy inTree = beforeFirstEnclosing, int threads = 0,
             LeafSizes leaves = {});
/// Of boxesOf(), and below places of what stands there.
Bvh buildBvh(const Scene& scene);

/// The boxes of a shape's parts on both sides of a plane across an axis. What is not there is
/// nowhere: its low is above its high.
struct Halves {
    Box below, above;
};
using Cut = std::function<Halves(int shape, int axis, double plane)>;
/// Of the shapes of a scene without places (places.h), which lives as long; triangles are clipped.
Cut cutOf(const Scene& scene);

/// Most entries of the list of buildSplitBvh() over so many shapes.
constexpr std::size_t withParts(std::size_t shapes) {
    return shapes + shapes / 4;
}
/// As buildBvh(), where large triangles are in several leaves, each with a part of the box (Stich,
/// Friedrich and Dietrich 2009, "Spatial Splits in Bounding Volume Hierarchies"). Each cut gains by
/// the heuristic, which looks one level ahead; where all together lose, none are made.
Bvh buildSplitBvh(std::span<const Box> boxes, const Cut& cut, int threads = 0);

/// Appends a tree to another's nodes and list. Returns its root.
int appendTree(Bvh& to, const Bvh& tree);

/// Moves a sphere from its leaf to those outside the tree. The hierarchy is then correct wherever
/// the sphere goes and however large it grows, at the cost of one more test per ray. Refitting the
/// boxes instead would widen them up to the root, and more slack would widen all the others.
void moveOutside(Bvh& bvh, int sphere);

/// The hierarchies of a scene while spheres are edited or move by themselves, each built when it is
/// first asked for.
class EditedBvh {
public:
    /// Another scene takes the place of this one. Its hierarchy is built from scratch, so that
    /// measurements do not depend on earlier edits.
    void change();

    /// A sphere has been moved or resized. Returns whether hierarchies differ from what of()
    /// returned last, which only the first move of a sphere makes them do.
    bool move(int sphere);

    /// Spheres have moved by themselves. Hierarchies are built anew; of Hierarchy::refit the boxes
    /// are fitted.
    void follow();

    /// Takes what buildBvh() has built of the scene elsewhere; spheres may have moved since.
    void give(SharedBvh built);

    /// `scene`: with all edits so far.
    const Bvh& of(const Scene& scene, Hierarchy how = Hierarchy::sah);
    /// How long the last of() took to build it, or to fit its boxes; -1: it has not been built.
    double buildMs(Hierarchy how) const;

private:
    struct Tree {
        Bvh own{};
        SharedBvh given{};  ///< in place of it
        bool built = false;
        bool fits = true;  ///< no sphere has moved since

        const Bvh& bvh() const { return given ? *given : own; }
        Bvh& edit() {
            if (given) own = *given;
            given.reset();
            return own;
        }
    };
    void build(Tree& tree, const Scene& scene, Hierarchy how);

    std::array<Tree, kHierarchies> trees_;  ///< by Hierarchy
    std::vector<int> moved_;                ///< outside the trees that are built
};

/// Upper bound on the nodes of a tree over so many entries of its list: every leaf has at least
/// kMinLeafSpheres, unless the whole tree has fewer.
constexpr int mostBvhNodes(int listed) {
    return listed < 2 * kMinLeafSpheres ? 1 : listed / kMinLeafSpheres - 1;
}

}  // namespace rayscope
