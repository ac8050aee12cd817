#include "renderer/scene/polygons.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

namespace rayscope {

namespace {

/// Most looks at corners for each corner of a polygon: the time is linear in its size.
constexpr long long kStepsPerCorner = 400;

/// Twice the polygon's area times its normal (Newell).
glm::dvec3 newellNormal(std::span<const glm::dvec3> points) {
    glm::dvec3 normal{0, 0, 0};
    for (std::size_t i = 1; i + 1 < points.size(); ++i)
        normal += glm::cross(points[i] - points[0], points[i + 1] - points[0]);
    return normal;
}

}  // namespace

const std::vector<Triangulation::Corners>& Triangulation::of(std::span<const glm::dvec3> points) {
    triangles_.clear();
    if (points.size() < 3) return triangles_;
    if (points.size() == 3) {
        triangles_.push_back({0, 1, 2});
        return triangles_;
    }
    project(points);
    if (isFan(0))
        fan(0);
    else if (points.size() == 4 && isFan(1))
        fan(1);
    else
        cutEars();
    return triangles_;
}

/// Along the axis that is nearest to the normal.
void Triangulation::project(std::span<const glm::dvec3> points) {
    const glm::dvec3 normal = newellNormal(points), size = glm::abs(normal);
    int x = 0, y = 1;
    if (size.x >= size.y && size.x >= size.z) {
        x = 1;
        y = 2;
    } else if (size.y >= size.z) {
        x = 2;
        y = 0;
    }
    if (normal[3 - x - y] < 0) std::swap(x, y);
    flat_.clear();
    for (const glm::dvec3& p : points) flat_.emplace_back(p[x] - points[0][x], p[y] - points[0][y]);
}

double Triangulation::turn(int a, int b, int c) const {
    const glm::dvec2 ab = flat_[b] - flat_[a], ac = flat_[c] - flat_[a];
    return ab.x * ac.y - ab.y * ac.x;
}

bool Triangulation::isFan(std::size_t around) const {
    const std::size_t count = flat_.size();
    for (std::size_t i = 1; i + 1 < count; ++i) {
        const auto at = [&](std::size_t k) { return static_cast<int>((around + k) % count); };
        if (!(turn(at(0), at(i), at(i + 1)) >= 0)) return false;
    }
    return true;
}

void Triangulation::fan(std::size_t around) {
    const std::size_t count = flat_.size();
    const auto at = [&](std::size_t k) { return static_cast<int>((around + k) % count); };
    for (std::size_t i = 1; i + 1 < count; ++i) triangles_.push_back({at(0), at(i), at(i + 1)});
}

void Triangulation::cutEars() {
    const int count = static_cast<int>(flat_.size());
    before_.resize(flat_.size());
    after_.resize(flat_.size());
    reflex_.assign(flat_.size(), false);
    for (int i = 0; i < count; ++i) {
        before_[i] = (i + count - 1) % count;
        after_[i] = (i + 1) % count;
    }
    for (int i = 0; i < count; ++i) reflex_[i] = !(turn(before_[i], i, after_[i]) > 0);
    sortReflex();
    steps_ = kStepsPerCorner * count;
    int left = count, missed = 0, at = 0;
    bool sure = true;
    while (left > 3) {
        const bool forced = steps_ <= 0 || missed > left;
        if (forced || isEar(at)) {
            sure = sure && !forced;
            cut(at);
            --left;
            missed = 0;
            at = after_[after_[at]];  // cutting every other one makes fewer slivers
        } else {
            ++missed;
            at = after_[at];
        }
        --steps_;
    }
    triangles_.push_back({before_[at], at, after_[at]});
    if (!sure) ++doubtful_;
}

void Triangulation::sortReflex() {
    low_ = flat_[0];
    glm::dvec2 high = low_;
    int count = 0;
    for (std::size_t i = 0; i < flat_.size(); ++i) {
        low_ = glm::min(low_, flat_[i]);
        high = glm::max(high, flat_[i]);
        if (reflex_[i]) ++count;
    }
    side_ = std::clamp(static_cast<int>(std::sqrt(count)), 1, 1024);
    cell_ = glm::max((high - low_) / static_cast<double>(side_), glm::dvec2(1e-300));
    const auto cellOf = [&](const glm::dvec2& p) {
        const glm::dvec2 at = (p - low_) / cell_;
        return std::clamp(static_cast<int>(at.y), 0, side_ - 1) * side_ +
               std::clamp(static_cast<int>(at.x), 0, side_ - 1);
    };
    firstOfCell_.assign(static_cast<std::size_t>(side_) * side_ + 1, 0);
    for (std::size_t i = 0; i < flat_.size(); ++i) {
        if (reflex_[i]) ++firstOfCell_[cellOf(flat_[i]) + 1];
    }
    for (std::size_t c = 1; c < firstOfCell_.size(); ++c) firstOfCell_[c] += firstOfCell_[c - 1];
    inCells_.resize(static_cast<std::size_t>(count));
    std::vector<int> next(firstOfCell_.begin(), firstOfCell_.end() - 1);
    for (std::size_t i = 0; i < flat_.size(); ++i) {
        if (reflex_[i]) inCells_[next[cellOf(flat_[i])]++] = static_cast<int>(i);
    }
}

/// Points on the triangle's border are not in the way: an outline touches itself where an edge
/// leads to a hole and back. A corner without an angle is an ear, but makes no triangle.
bool Triangulation::isEar(int corner) {
    const int a = before_[corner], c = after_[corner];
    const double area = turn(a, corner, c);
    if (!(area > 0)) return area == 0;
    const auto cellAt = [&](double p, int axis) {
        return std::clamp(static_cast<int>((p - low_[axis]) / cell_[axis]), 0, side_ - 1);
    };
    const glm::dvec2 low = glm::min(glm::min(flat_[a], flat_[c]), flat_[corner]);
    const glm::dvec2 high = glm::max(glm::max(flat_[a], flat_[c]), flat_[corner]);
    const int left = cellAt(low.x, 0), right = cellAt(high.x, 0), top = cellAt(high.y, 1);
    for (int row = cellAt(low.y, 1); row <= top; ++row) {
        const int first = firstOfCell_[row * side_ + left];
        const int end = firstOfCell_[row * side_ + right + 1];
        steps_ -= end - first + 1;
        for (int i = first; i < end; ++i) {
            const int p = inCells_[i];
            if (reflex_[p] && turn(a, corner, p) > 0 && turn(corner, c, p) > 0 && turn(c, a, p) > 0)
                return false;
        }
    }
    return true;
}

void Triangulation::cut(int corner) {
    const int a = before_[corner], c = after_[corner];
    if (turn(a, corner, c) > 0) triangles_.push_back({a, corner, c});
    after_[a] = c;
    before_[c] = a;
    reflex_[corner] = false;
    for (const int i : {a, c}) reflex_[i] = reflex_[i] && !(turn(before_[i], i, after_[i]) > 0);
}

}  // namespace rayscope
