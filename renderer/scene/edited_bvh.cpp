#include <algorithm>
#include <utility>

#include "renderer/scene/linear_bvh.h"

namespace rayscope {

void EditedBvh::change() {
    for (Tree& t : trees_) t.built = false;
    moved_.clear();
}

bool EditedBvh::move(int sphere) {
    if (std::find(moved_.begin(), moved_.end(), sphere) != moved_.end()) return false;
    moved_.push_back(sphere);
    for (Tree& t : trees_) {
        if (t.built) moveOutside(t.bvh, sphere);
    }
    return true;
}

void EditedBvh::take(Tree& tree, Bvh built) {
    tree.bvh = std::move(built);
    for (const int sphere : moved_) moveOutside(tree.bvh, sphere);
    tree.built = true;
}

void EditedBvh::give(Bvh built) {
    take(trees_[0], std::move(built));
}

double EditedBvh::buildMs(Hierarchy how) const {
    const Tree& t = trees_[number(how)];
    return t.built ? t.bvh.buildMs : -1;
}

const Bvh& EditedBvh::of(const Scene& scene, Hierarchy how) {
    Tree& t = trees_[number(how)];
    if (!t.built) {
        const std::vector<Box> boxes = boxesOf(scene);
        take(t, isLinear(how) ? buildLinearBvh(boxes, mortonBits(how)) : buildBvh(boxes));
    }
    return t.bvh;
}

}  // namespace rayscope
