// Which shapes stay outside a hierarchy, found in one pass over all.

#include <algorithm>
#include <array>
#include <future>
#include <glm/common.hpp>
#include <thread>
#include <utility>

#include "renderer/base/stop.h"
#include "renderer/scene/boxes.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace {

/// Shapes that a thread of its own looks at, at least.
constexpr std::size_t kOneThreadsShapes = 1 << 16;

/// A range of a scene's shapes: calls take(number, box) with each.
template <class Take>
void forBoxes(const Scene& scene, std::size_t begin, std::size_t end, Take take) {
    std::size_t first = 0;
    const auto forRange = [&](std::size_t count, auto boxOf) {
        const std::size_t from = std::clamp(begin, first, first + count);
        const std::size_t to = std::clamp(end, first, first + count);
        for (std::size_t i = from; i < to; ++i) take(static_cast<int>(i), boxOf(i - first));
        first += count;
    };
    forRange(scene.spheres.size(), [&](std::size_t i) {
        const Sphere& s = scene.spheres[i];
        return Box{s.center - s.radius, s.center + s.radius};
    });
    for (const SceneMesh& placed : scene.meshes) {
        forRange(placed.mesh->faces.size(), [&](std::size_t i) {
            const auto corner = [&](int k) {
                return glm::dvec3(placed.mesh->corners[placed.mesh->faces[i].corners[k]]);
            };
            const glm::dvec3 a = corner(0), b = corner(1), c = corner(2);
            return Box{glm::min(a, glm::min(b, c)), glm::max(a, glm::max(b, c))};
        });
    }
}

/// The largest boxes, of equal ones those with the highest numbers, and the others as one.
class LargestBoxes {
public:
    void add(int number, const Box& box) {
        const float size = sizeOf(box);
        add({size >= 0 ? size : 0, number, box});  // what is no number has no order
    }
    void add(const LargestBoxes& others) {
        for (const Sized& s : others.largest_) add(s);
        unite(others.others_);
    }

    /// Those outside a tree of all, ascending.
    std::vector<int> outside() && {
        if (largest_.empty()) return {};
        std::sort(largest_.begin(), largest_.end());
        std::vector<Box> sorted;
        if (largest_.size() == kMaxOutside && others_.low.x < kBoxOfNothing.low.x)
            sorted.push_back(others_);
        const int few = static_cast<int>(sorted.size());
        for (const Sized& s : largest_) sorted.push_back(s.box);
        std::vector<int> outside;
        for (int i = beforeFirstEnclosing(sorted); i < static_cast<int>(sorted.size()); ++i)
            outside.push_back(largest_[i - few].number);
        std::sort(outside.begin(), outside.end());
        return outside;
    }

private:
    struct Sized {
        float size;
        int number;
        Box box;
        bool operator<(const Sized& other) const {
            return size < other.size || (size == other.size && number < other.number);
        }
    };

    void add(const Sized& added) {
        if (largest_.size() < kMaxOutside) {
            largest_.push_back(added);
            return;
        }
        if (!heap_) std::make_heap(largest_.begin(), largest_.end(), isLarger);
        heap_ = true;
        if (!(largest_.front() < added)) return unite(added.box);
        unite(largest_.front().box);
        std::pop_heap(largest_.begin(), largest_.end(), isLarger);
        largest_.back() = added;
        std::push_heap(largest_.begin(), largest_.end(), isLarger);
    }
    static bool isLarger(const Sized& a, const Sized& b) { return b < a; }
    void unite(const Box& box) { others_ = united(others_, box); }

    std::vector<Sized> largest_;
    bool heap_ = false;  ///< largest_ is one, with the smallest in front
    Box others_ = kBoxOfNothing;
};

}  // namespace

std::vector<Box> boxesOfSpheres(const Scene& scene) {
    std::vector<Box> boxes;
    forBoxes(scene, 0, scene.spheres.size(), [&](int i, const Box& box) {
        if (i % (1 << 14) == 0) stopPoint();
        boxes.push_back(box);
    });
    return boxes;
}

std::vector<Box> boxesOf(const Scene& scene) {
    std::vector<Box> boxes;
    if (hasPlaces(scene)) {
        boxes = boxesOfSpheres(scene);
        const std::vector<Box> places = boxesOfPlaces(scene);
        boxes.insert(boxes.end(), places.begin(), places.end());
        return boxes;
    }
    boxes.reserve(shapeCount(scene));
    forBoxes(scene, 0, shapeCount(scene), [&](int, const Box& box) { boxes.push_back(box); });
    return boxes;
}

std::vector<int> outsideTree(std::span<const Box> boxes) {
    LargestBoxes all;
    for (std::size_t i = 0; i < boxes.size(); ++i) all.add(static_cast<int>(i), boxes[i]);
    return std::move(all).outside();
}

std::vector<int> outsideTree(const Scene& scene) {
    const std::size_t count = shapeCount(scene);
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t parts = std::clamp<std::size_t>(count / kOneThreadsShapes, 1, cores);
    std::vector<std::future<LargestBoxes>> work;
    for (std::size_t i = 0; i < parts; ++i) {
        work.push_back(std::async(parts > 1 ? std::launch::async : std::launch::deferred, [&, i] {
            LargestBoxes largest;
            forBoxes(scene, count * i / parts, count * (i + 1) / parts,
                     [&](int number, const Box& box) { largest.add(number, box); });
            return largest;
        }));
    }
    LargestBoxes all;
    for (std::future<LargestBoxes>& part : work) all.add(part.get());
    return std::move(all).outside();
}

}  // namespace rayscope
