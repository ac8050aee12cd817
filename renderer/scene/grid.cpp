#include "renderer/scene/grid.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <numeric>

#include "renderer/core/bvh.h"
#include "renderer/scene/to_kernel.h"

namespace rayscope {

namespace {

/// A sphere is apart if its radius exceeds the median's by this factor, and if there are no more of
/// them than so many.
constexpr double kLargeFactor = 3;
constexpr int kMostApart = 16;
/// A sphere that is larger than a cell lies in several; with edges of at least this times the
/// median radius most lie in few.
constexpr double kLeastEdge = 2;
/// Entries of the list for each sphere, at most; cells grow until that holds.
constexpr size_t kMostEntries = 8;
/// Rounding moves a ray by less than this many units in the last place of the squared coordinate.
constexpr double kGridSquare = 4 * 0x1p-24;

/// The grid is wider than its spheres by this part of a cell, so that a ray is past them before it
/// is past the last cell.
constexpr double kMargin = .02;

struct CellRange {
    int low[3], high[3];  ///< of cells, inclusive
};

class GridBuilder {
public:
    explicit GridBuilder(const Scene& scene) : scene_(scene) {
        order_.resize(scene.spheres.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(),
                         [&](int a, int b) { return radius(a) < radius(b); });
        inside_ = order_.size();
        if (order_.empty()) return;
        const double most = kLargeFactor * radius(order_[order_.size() / 2]);
        while (inside_ > 0 && radius(order_[inside_ - 1]) > most) --inside_;
        if (order_.size() - inside_ > kMostApart) inside_ = order_.size();
    }

    Grid build() {
        grid_.list.assign(order_.begin() + static_cast<std::ptrdiff_t>(inside_), order_.end());
        std::sort(grid_.list.begin(), grid_.list.end());
        grid_.header.outside = static_cast<int>(grid_.list.size());
        measure();
        double edge = firstEdge();
        for (setEdge(edge); entries() > kMostEntries * inside_; setEdge(edge)) edge *= 1.25;
        fill();
        return std::move(grid_);
    }

private:
    double radius(int i) const { return scene_.spheres[i].radius; }

    /// The box of the spheres in the grid, and what rounding adds to each.
    void measure() {
        low_ = glm::dvec3(0);
        high_ = glm::dvec3(1e-3);
        if (inside_ == 0) return;
        low_ = glm::dvec3(1e30);
        high_ = glm::dvec3(-1e30);
        for (size_t k = 0; k < inside_; ++k) {
            const Sphere& s = scene_.spheres[order_[k]];
            low_ = glm::min(low_, s.center - s.radius);
            high_ = glm::max(high_, s.center + s.radius);
        }
        const glm::dvec3 farthest = glm::max(glm::abs(low_), glm::abs(high_));
        const double reach = 3 * std::max({farthest.x, farthest.y, farthest.z});
        const double least = radius(order_[0]);
        slack_ = std::sqrt(least * least + kGridSquare * reach * reach) - least + 0x1p-20 * reach;
        low_ -= slack_;
        high_ += slack_;
    }

    /// As many cells as spheres, or fewer; a flat scene gets a flat grid.
    double firstEdge() const {
        const glm::dvec3 size = high_ - low_;
        const double median = inside_ == 0 ? 1 : radius(order_[inside_ / 2]);
        double edge = std::max(
            std::cbrt(size.x * size.y * size.z / std::max<double>(1, static_cast<double>(inside_))),
            kLeastEdge * median);
        edge = std::max(edge, 1e-6 * std::max({size.x, size.y, size.z}));
        while (cells(edge) > std::max(1., static_cast<double>(inside_))) edge *= 1.05;
        return edge;
    }
    double cells(double edge) const {
        const glm::dvec3 n = counts(edge);
        return n.x * n.y * n.z;
    }
    glm::dvec3 counts(double edge) const { return glm::ceil((high_ - low_) / edge + 2 * kMargin); }

    void setEdge(double edge) {
        GridHeader& h = grid_.header;
        origin_ = low_ - kMargin * edge;
        h.boxLow = toKernel<float>(low_);
        h.boxHigh = toKernel<float>(high_);
        h.low = toKernel<float>(origin_);
        h.edge = static_cast<float>(edge);
        h.perEdge = static_cast<float>(1 / edge);
        const glm::dvec3 n = counts(edge);
        h.cells = 1;
        for (int a = 0; a < 3; ++a) {
            h.count[a] = static_cast<int>(n[a]);
            h.cells *= h.count[a];
        }
    }

    CellRange rangeOf(const Sphere& s) const {
        CellRange r;
        for (int a = 0; a < 3; ++a) {
            const auto cell = [&](double position) {
                const double i = std::floor((position - origin_[a]) / grid_.header.edge);
                return static_cast<int>(std::clamp(i, 0., grid_.header.count[a] - 1.));
            };
            r.low[a] = cell(s.center[a] - s.radius - slack_);
            r.high[a] = cell(s.center[a] + s.radius + slack_);
        }
        return r;
    }

    /// Calls visit(cell) for the cells that the sphere reaches.
    template <class Visit>
    void eachCell(const Sphere& s, Visit visit) const {
        const GridHeader& h = grid_.header;
        const CellRange r = rangeOf(s);
        const double reach = s.radius + slack_;
        for (int z = r.low[2]; z <= r.high[2]; ++z) {
            for (int y = r.low[1]; y <= r.high[1]; ++y) {
                for (int x = r.low[0]; x <= r.high[0]; ++x) {
                    const glm::dvec3 corner = origin_ + glm::dvec3(x, y, z) * double{h.edge};
                    const glm::dvec3 nearest =
                        glm::clamp(s.center, corner, corner + double{h.edge});
                    const glm::dvec3 apart = nearest - s.center;
                    if (glm::dot(apart, apart) <= reach * reach)
                        visit((z * h.count[1] + y) * h.count[0] + x);
                }
            }
        }
    }

    size_t entries() const {
        size_t count = 0;
        for (size_t k = 0; k < inside_; ++k)
            eachCell(scene_.spheres[order_[k]], [&](int) { ++count; });
        return count;
    }

    void fill() {
        std::vector<int>& begins = grid_.begins;
        begins.assign(grid_.header.cells + 1, 0);
        std::vector<int> inGrid(order_.begin(),
                                order_.begin() + static_cast<std::ptrdiff_t>(inside_));
        std::sort(inGrid.begin(), inGrid.end());
        for (const int i : inGrid) eachCell(scene_.spheres[i], [&](int c) { ++begins[c + 1]; });
        begins[0] = grid_.header.outside;
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        grid_.list.resize(begins.back());
        std::vector<int> next(begins.begin(), begins.end() - 1);
        for (const int i : inGrid) {
            eachCell(scene_.spheres[i], [&](int c) { grid_.list[next[c]++] = i; });
        }
    }

    const Scene& scene_;
    std::vector<int> order_;       ///< of spheres, by radius
    size_t inside_ = 0;            ///< how many of them are in the grid
    glm::dvec3 low_{0}, high_{0};  ///< of the spheres in the grid
    glm::dvec3 origin_{0};         ///< of the first cell
    double slack_ = 0;
    Grid grid_;
};

}  // namespace

Grid buildGrid(const Scene& scene) {
    return GridBuilder(scene).build();
}

size_t mostGridBytes(int spheres) {
    const size_t count = std::max(spheres, 1);
    return sizeof(GridHeader) + (count + 1 + kMostEntries * count + kMostApart) * sizeof(int);
}

}  // namespace rayscope
