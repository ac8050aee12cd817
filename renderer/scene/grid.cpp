#include "renderer/scene/grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <glm/common.hpp>
#include <numeric>
#include <span>

#include "renderer/core/bvh.h"
#include "renderer/scene/boxes.h"
#include "renderer/scene/bvh.h"
#include "renderer/scene/to_kernel.h"

namespace rayscope {

namespace {

/// Costs of a step to the next cell and of the test of a sphere.
constexpr double kStepCost = 1, kTestCost = 1;
/// A grid of one layer is faster with larger cells, whatever walks it: weekend has 37.4, 38.7 and
/// 39.5 G rays/s with steps that cost 1, 2 and 4 where cells are near (near_cells.h), 32.0, 33.1
/// and 33.8 where they are not, both on an H200, and 37 and 39 M on a CPU with 1 and 4. field-1000,
/// in several layers, has 17.0, 16.7 and 16.5 G.
constexpr double kFlatStepCost = 4;
/// Most spheres in no cell, unless they have been moved.
constexpr size_t kMostOutside = 16;
/// A sphere is tried outside together with all larger ones where it is so many times the next.
constexpr double kLargeFactor = 2;
/// Most cells, and entries of their lists, for each sphere.
constexpr size_t kMostCells = 8, kMostEntries = 16;
/// Most cells along an axis, whose number limits the rounding errors of a walk.
constexpr double kMostAlongAxis = 256;
/// From one number of cells that is tried to the next, in the length of a cell's edge.
constexpr double kFiner = .8;

struct Size {
    int count[3];
    double cells() const { return 1. * count[0] * count[1] * count[2]; }
};

/// Some of the scene's spheres, in the grid that they would have.
class GridBuilder {
public:
    /// `order`: the spheres by radius, the smallest first; all but those at the end are in the
    /// grid.
    GridBuilder(const Scene& scene, std::span<const int> order, size_t outside)
        : scene_(&scene), order_(order), inside_(order.size() - outside) {
        measure();
    }

    /// Of a ray that enters a box of this area, half the surface.
    double cost(double ofArea) {
        const double outside = static_cast<double>(order_.size() - inside_) * kTestCost;
        if (inside_ == 0) return outside;
        chooseSize();
        return outside + cost_ / ofArea;
    }
    double area() const { return halfArea(high_ - low_); }

    Grid build() const {
        Grid grid;
        grid.header = header_;
        for (int a = 0; a < 3; ++a) grid.header.count[a] = size_.count[a];
        grid.list.assign(order_.begin() + static_cast<std::ptrdiff_t>(inside_), order_.end());
        std::sort(grid.list.begin(), grid.list.end());
        grid.header.outside = static_cast<int>(grid.list.size());
        if (inside_ > 0) fill(grid);
        grid.header.listed = static_cast<int>(grid.list.size());
        return grid;
    }

private:
    const Sphere& sphere(size_t k) const { return scene_->spheres[order_[k]]; }

    /// The box of the spheres in the grid, with what rounding adds to each for rays from home: from
    /// anywhere near the scene.
    void measure() {
        if (inside_ == 0) return;
        low_ = glm::dvec3(1e30);
        high_ = glm::dvec3(-1e30);
        for (size_t k = 0; k < inside_; ++k) {
            low_ = glm::min(low_, sphere(k).center - sphere(k).radius);
            high_ = glm::max(high_, sphere(k).center + sphere(k).radius);
        }
        const auto largest = [](const glm::dvec3& v) { return std::max({v.x, v.y, v.z}); };
        const double reach = largest(glm::max(glm::abs(low_), glm::abs(high_)));
        const double camera = largest(glm::abs(scene_->camera.from));
        header_.reach = static_cast<float>(reach * 1.0001);
        header_.smallest = static_cast<float>(sphere(0).radius);
        header_.largest = static_cast<float>(sphere(inside_ - 1).radius);
        header_.home = static_cast<float>(1.5 * std::max(reach, camera));
        // half a unit in the last place for each step
        constexpr double kSteps = 3 * kMostAlongAxis * 0x1p-25;
        slack_ = slackAt<float>({header_.home, 0, 0}, header_) + kSteps * (header_.home + reach);
        low_ -= slack_;
        high_ += slack_;
    }

    Size sizeOf(double edge) const {
        Size size;
        for (int a = 0; a < 3; ++a)
            size.count[a] = static_cast<int>(
                std::clamp(std::round((high_[a] - low_[a]) / edge), 1., kMostAlongAxis));
        return size;
    }

    void setSize(const Size& size) {
        size_ = size;
        for (int a = 0; a < 3; ++a) {
            edge_[a] = (high_[a] - low_[a]) / size.count[a];
            perUnit_[a] = 1 / edge_[a];
        }
    }

    void chooseSize() {
        cost_ = chooseSize(kStepCost, false);
        // grids are compared at the same price for a step
        if (size_.count[1] == 1) chooseSize(kFlatStepCost, true);
    }

    /// From a single cell to as many as allowed; `flat`: only one layer. Returns the least cost.
    double chooseSize(double step, bool flat) {
        const glm::dvec3 extent = high_ - low_;
        Size best{};
        double least = -1;
        for (double edge = std::max({extent.x, extent.y, extent.z});; edge *= kFiner) {
            setSize(sizeOf(edge));
            if (size_.cells() > static_cast<double>(kMostCells * inside_)) break;
            if (flat && size_.count[1] > 1) break;
            const size_t entries = boxEntries();
            if (entries > kMostEntries * inside_) break;
            const double cost =
                halfArea(edge_) * (size_.cells() * step + static_cast<double>(entries) * kTestCost);
            if (least < 0 || cost < least) {
                least = cost;
                best = size_;
            }
        }
        setSize(best);
        return least;
    }

    int cellOf(double position, int axis) const {
        const double cell = (position - low_[axis]) * perUnit_[axis];
        return static_cast<int>(std::clamp(cell, 0., size_.count[axis] - 1.));
    }

    /// Entries if spheres were cubes, which are no fewer.
    size_t boxEntries() const {
        size_t sum = 0;
        for (size_t k = 0; k < inside_; ++k) {
            const Sphere& s = sphere(k);
            const double r = s.radius + slack_;
            size_t cells = 1;
            for (int a = 0; a < 3; ++a)
                cells *= cellOf(s.center[a] + r, a) - cellOf(s.center[a] - r, a) + 1;
            sum += cells;
        }
        return sum;
    }

    /// Calls visit(cell) for the cells that the sphere reaches.
    template <class Visit>
    void eachCell(const Sphere& s, Visit visit) const {
        const double r = s.radius + slack_;
        int low[3], high[3];
        for (int a = 0; a < 3; ++a) {
            low[a] = cellOf(s.center[a] - r, a);
            high[a] = cellOf(s.center[a] + r, a);
        }
        /// Square of the distance from the sphere's centre to a cell along an axis.
        const auto apart = [&](int cell, int a) {
            const double from = low_[a] + cell * edge_[a];
            const double d = std::max({from - s.center[a], s.center[a] - from - edge_[a], 0.});
            return d * d;
        };
        for (int z = low[2]; z <= high[2]; ++z) {
            for (int y = low[1]; y <= high[1]; ++y) {
                const double yz = apart(z, 2) + apart(y, 1);
                for (int x = low[0]; x <= high[0]; ++x) {
                    if (yz + apart(x, 0) <= r * r)
                        visit((z * size_.count[1] + y) * size_.count[0] + x);
                }
            }
        }
    }

    void fill(Grid& grid) const {
        grid.header.low = toKernel<float>(low_);
        grid.header.perUnit = toKernel<float>(perUnit_);
        grid.cells.resize(static_cast<size_t>(size_.cells()));
        for (size_t k = 0; k < inside_; ++k)
            eachCell(sphere(k), [&](int c) { ++grid.cells[c].end; });
        int first = grid.header.outside;
        for (GridCell& cell : grid.cells) {
            const int count = cell.end;
            cell = {first, first};
            first += count;
        }
        grid.list.resize(first);
        std::vector<int> inside(order_.begin(),
                                order_.begin() + static_cast<std::ptrdiff_t>(inside_));
        std::sort(inside.begin(), inside.end());
        for (const int i : inside)
            eachCell(scene_->spheres[i], [&](int c) { grid.list[grid.cells[c].end++] = i; });
    }

    const Scene* scene_;
    std::span<const int> order_;
    size_t inside_;
    glm::dvec3 low_{0}, high_{0};
    glm::dvec3 edge_{1}, perUnit_{1};  ///< of a cell; 1 / edge
    double slack_ = 0;
    GridHeader header_{};
    Size size_{};
    double cost_ = 0;
};

/// Indices of the spheres, smallest first; equal ones keep their order.
std::vector<int> byRadius(const Scene& scene) {
    std::vector<int> order(scene.spheres.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return scene.spheres[a].radius < scene.spheres[b].radius;
    });
    return order;
}

}  // namespace

Grid buildGrid(const Scene& scene) {
    const std::vector<int> order = byRadius(scene);
    const size_t count = order.size();
    std::vector<Box> boxes = boxesOf(scene), sorted;
    for (const int i : order) sorted.push_back(boxes[i]);
    size_t outside = count - beforeFirstEnclosing(sorted);
    GridBuilder best(scene, order, outside);
    const double area = best.area();
    double least = best.cost(area);
    while (++outside <= std::min(kMostOutside, count)) {
        const size_t first = count - outside;
        const bool leap = first == 0 || scene.spheres[order[first]].radius >
                                            kLargeFactor * scene.spheres[order[first - 1]].radius;
        if (!leap) continue;
        GridBuilder other(scene, order, outside);
        const double cost = other.cost(area);
        if (cost >= least) continue;
        least = cost;
        best = other;
    }
    return best.build();
}

void moveOutside(Grid& grid, int sphere) {
    const auto end = grid.list.begin() + grid.header.outside;
    const auto place = std::lower_bound(grid.list.begin(), end, sphere);
    if (place != end && *place == sphere) return;
    grid.list.insert(place, sphere);
    ++grid.header.outside;
    ++grid.header.listed;
    for (GridCell& cell : grid.cells) {
        ++cell.first;
        ++cell.end;
        const auto first = grid.list.begin() + cell.first, last = grid.list.begin() + cell.end;
        const auto listed = std::find(first, last, sphere);
        if (listed == last) continue;
        std::rotate(listed, listed + 1, last);  // behind the cell's end, where nobody looks
        --cell.end;
    }
}

size_t mostGridCells(size_t spheres) {
    return kMostCells * std::max<size_t>(spheres, 1);
}

size_t mostGridEntries(size_t spheres) {
    return (kMostEntries + 1) * spheres;
}

void EditedGrid::change() {
    built_ = false;
    moved_.clear();
}

bool EditedGrid::move(int sphere) {
    if (std::find(moved_.begin(), moved_.end(), sphere) != moved_.end()) return false;
    moved_.push_back(sphere);
    if (built_) moveOutside(grid_, sphere);
    return true;
}

const Grid& EditedGrid::of(const Scene& scene) {
    if (!built_) {
        grid_ = buildGrid(scene);
        for (const int sphere : moved_) moveOutside(grid_, sphere);
        built_ = true;
    }
    return grid_;
}

}  // namespace rayscope
