#include "renderer/scene/baked_boxes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <glm/common.hpp>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "renderer/scene/boxes.h"

namespace rayscope {

namespace {

/// What a box costs, in tests of a sphere. On an H200 vt46 and card are as fast with 1 and 1.5,
/// within 3 %.
constexpr double kBoxCost = 2;

/// How probable it is that some ray of a warp meets a box with this share of the area of the box
/// around all. A warp's rays begin near each other and go in all directions, so it falls more
/// slowly than for a single ray.
double chanceOf(double share) {
    return std::sqrt(share);
}

double areaOf(const Box& box) {
    return halfArea(box.high - box.low);
}

Box around(std::span<const Box> boxes, std::span<const int> spheres) {
    Box box = kBoxOfNothing;
    for (const int i : spheres) box = united(box, boxes[static_cast<size_t>(i)]);
    return box;
}

/// Spheres in groups, each of which has a box, and what all of them cost a ray.
struct Groups {
    double cost;
    std::vector<BakedBox> boxed;
};

/// Splits spheres as for a hierarchy by the surface area heuristic (MacDonald and Booth 1990), and
/// keeps the leaves.
class Grouping {
public:
    Grouping(std::span<const Box> boxes, const Box& all) : boxes_(boxes), area_(areaOf(all)) {}

    Groups groupsOf(std::vector<int> spheres) const {
        const Box box = around(boxes_, spheres);
        const size_t count = spheres.size();
        Groups best{cost(box, count), {}};
        if (best.cost < static_cast<double>(count)) best.boxed = {{box, spheres}};
        if (count < 2) return best;
        const auto middle = spheres.begin() + split(spheres);
        Groups left = groupsOf({spheres.begin(), middle});
        Groups right = groupsOf({middle, spheres.end()});
        if (left.cost + right.cost >= best.cost) return best;
        left.cost += right.cost;
        std::ranges::move(right.boxed, std::back_inserter(left.boxed));
        return left;
    }

private:
    const Box& boxOf(int sphere) const { return boxes_[static_cast<size_t>(sphere)]; }
    /// With a box or without.
    double cost(const Box& box, size_t count) const {
        const auto tests = static_cast<double>(count);
        return std::min(tests, kBoxCost + chanceOf(areaOf(box) / area_) * tests);
    }

    /// Orders the spheres, and returns how many of the first are best split off.
    std::ptrdiff_t split(std::vector<int>& spheres) const {
        const size_t count = spheres.size();
        std::vector<int> sorted = spheres;
        std::vector<double> ofRest(count);
        size_t first = 0;
        double least = std::numeric_limits<double>::infinity();
        for (int axis = 0; axis < 3; ++axis) {
            std::ranges::stable_sort(
                sorted, {}, [&](int i) { return boxOf(i).low[axis] + boxOf(i).high[axis]; });
            Box rest = kBoxOfNothing;
            for (size_t k = count - 1; k > 0; --k) {
                rest = united(rest, boxOf(sorted[k]));
                ofRest[k] = cost(rest, count - k);
            }
            Box box = kBoxOfNothing;
            const double before = least;
            for (size_t k = 1; k < count; ++k) {
                box = united(box, boxOf(sorted[k - 1]));
                const double sum = cost(box, k) + ofRest[k];
                if (sum < least) {
                    least = sum;
                    first = k;
                }
            }
            if (least < before) spheres = sorted;
        }
        return static_cast<std::ptrdiff_t>(first);
    }

    std::span<const Box> boxes_;
    double area_;
};

/// By how much rounding may shift the planes of any box among others, for a ray from within some
/// hundred times the size of the box around all.
glm::dvec3 slackIn(const Box& all) {
    return 1e-4 * (all.high - all.low) + 1e-5 * glm::max(glm::abs(all.low), glm::abs(all.high));
}

/// Leaves out the largest sphere, and then the next, while the box around the others has less than
/// half the area without it.
std::vector<int> notDwarfing(const Scene& scene, std::span<const Box> boxes) {
    std::vector<int> spheres(boxes.size());
    std::iota(spheres.begin(), spheres.end(), 0);
    std::ranges::stable_sort(spheres, {},
                             [&](int i) { return scene.spheres[static_cast<size_t>(i)].radius; });
    std::vector<double> areas;  // around the first of them
    Box box = kBoxOfNothing;
    for (const int i : spheres) {
        box = united(box, boxes[static_cast<size_t>(i)]);
        areas.push_back(areaOf(box));
    }
    while (spheres.size() > 1 && areas[spheres.size() - 2] < areas[spheres.size() - 1] / 2)
        spheres.pop_back();
    return spheres;
}

}  // namespace

std::vector<BakedBox> bakedBoxes(const Scene& scene) {
    const std::vector<Box> boxes = boxesOfSpheres(scene);
    std::vector<int> spheres = notDwarfing(scene, boxes);
    if (spheres.empty()) return {};
    const Box all = around(boxes, spheres);
    std::vector<BakedBox> found = Grouping(boxes, all).groupsOf(std::move(spheres)).boxed;
    const glm::dvec3 slack = slackIn(all);
    for (auto& [box, group] : found) box = {box.low - slack, box.high + slack};
    return found;
}

}  // namespace rayscope
