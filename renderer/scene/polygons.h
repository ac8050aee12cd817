#pragma once

#include <array>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

namespace rayscope {

/// Splits polygons into triangles by cutting ears (Meisters 1975, "Polygons have ears"). Polygons
/// may be concave, and may have holes as files write them: the edge to the hole and back is in the
/// outline. They need not be flat: what counts is how they look along their normal.
class Triangulation {
public:
    using Corners = std::array<int, 3>;

    /// Triangles by the numbers of the points, with the polygon's sense of rotation. A polygon is
    /// a fan around its first point where that is right. Valid until the next call.
    const std::vector<Corners>& of(std::span<const glm::dvec3> points);
    /// Polygons that crossed themselves, or were too intricate for the time that their size
    /// allows: some triangles of theirs cover what they should not.
    int doubtful() const { return doubtful_; }

private:
    void project(std::span<const glm::dvec3> points);
    bool isFan(std::size_t around) const;
    void fan(std::size_t around);
    void cutEars();
    void sortReflex();
    bool isEar(int corner);
    void cut(int corner);
    double turn(int a, int b, int c) const;

    std::vector<Corners> triangles_;
    std::vector<glm::dvec2> flat_;  ///< counter-clockwise
    std::vector<int> before_, after_;
    std::vector<bool> reflex_;
    // the reflex corners, by the cells of a grid over the polygon
    std::vector<int> firstOfCell_, inCells_;
    glm::dvec2 low_{0, 0}, cell_{1, 1};
    int side_ = 1;         ///< cells along each side
    long long steps_ = 0;  ///< corners that may still be looked at
    int doubtful_ = 0;
};

}  // namespace rayscope
