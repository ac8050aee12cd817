#include <algorithm>
#include <utility>

#include "renderer/base/elapsed.h"
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
        if (t.built) moveOutside(t.edit(), sphere);
    }
    return true;
}

void EditedBvh::follow() {
    Tree& fitted = trees_[static_cast<size_t>(Hierarchy::refit)];
    for (Tree& t : trees_) t.built = t.built && &t == &fitted;
    fitted.fits = false;
    moved_.clear();
}

void EditedBvh::give(SharedBvh built) {
    Tree& t = trees_[static_cast<size_t>(Hierarchy::sah)];
    t = {{}, std::move(built), true};
    for (const int sphere : moved_) moveOutside(t.edit(), sphere);
}

double EditedBvh::buildMs(Hierarchy how) const {
    const Tree& t = trees_[static_cast<size_t>(how)];
    return t.built ? t.bvh().buildMs : -1;
}

void EditedBvh::build(Tree& tree, const Scene& scene, Hierarchy how) {
    if (how == Hierarchy::refit) {
        tree = {of(scene, Hierarchy::sah), {}, true};
        return;
    }
    tree = {isLinear(how)            ? buildLinearBvh(boxesOf(scene), mortonBits(how))
            : how == Hierarchy::sbvh ? buildSplitBvh(boxesOf(scene), cutOf(scene))
                                     : buildBvh(scene),
            {},
            true};
    if (isLinear(how) && isOfTriangles(scene)) tree.own = withoutGaps(std::move(tree.own));
    for (const int sphere : moved_) moveOutside(tree.own, sphere);
}

const Bvh& EditedBvh::of(const Scene& scene, Hierarchy how) {
    Tree& t = trees_[static_cast<size_t>(how)];
    if (!t.built) {
        build(t, scene, how);
    } else if (!t.fits) {
        const Clock::time_point start = Clock::now();
        refit(t.edit(), nodeBoxes(boxesOf(scene)));
        t.own.buildMs = millisecondsSince(start);
        t.fits = true;
    }
    return t.bvh();
}

}  // namespace rayscope
