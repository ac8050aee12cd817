#pragma once

#include "renderer/core/bvh.h"

// Walks the uniform grid of scene/grid.h from cell to cell (Amanatides and Woo 1987, "A Fast Voxel
// Traversal Algorithm for Ray Tracing"). Unlike a hierarchy it needs no stack, and each step costs
// the same; but it knows only one scale.

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// Where a ray goes next along one axis.
struct GridAxis {
    float next;  ///< distance at which it leaves the cell
    float each;  ///< distance from one cell to the next
    int step;    ///< to the index of the next cell
};

/// `at`: the coordinate along the axis of the point in the cell; `stride`: between cells' indices.
RAYSCOPE_FN GridAxis gridAxis(float origin, float inverse, float low, float edge, int cell,
                              int stride) {
    const bool up = inverse > 0;
    const float plane = mulAdd(static_cast<float>(up ? cell + 1 : cell), edge, low);
    return {(plane - origin) * inverse, fabs(edge * inverse), up ? stride : -stride};
}

RAYSCOPE_FN int gridCell(float position, float low, float perEdge, int count) {
    const int cell = static_cast<int>((position - low) * perEdge);
    return minimum(maximum(cell, 0), count - 1);
}

/// As walk() (bvh.h), but a sphere in several cells may be visited more than once, and one that
/// only rounding lets a ray hit, from far outside the grid, may be missed.
template <class Real, Variant V, class Visit>
RAYSCOPE_FN bool walkGrid(const SceneView<Real, V>& scene, const Vec3<Real>& origin,
                          const Vec3<Real>& direction, const Real& limit, Visit visit) {
    const GridHeader& grid = *scene.grid();
    const int* const list = scene.gridList();
    RAYSCOPE_ROLLED for (int k = 0; k < grid.outside; ++k) {
        if (visit(list[k])) return true;
    }
    const Vec3<float> o{static_cast<float>(origin.x), static_cast<float>(origin.y),
                        static_cast<float>(origin.z)};
    const Vec3<float> d{static_cast<float>(direction.x), static_cast<float>(direction.y),
                        static_cast<float>(direction.z)};
    const Vec3<float> inverse{inverseOf(d.x), inverseOf(d.y), inverseOf(d.z)};
    const Vec3<float> a = (grid.boxLow - o) * inverse, b = (grid.boxHigh - o) * inverse;
    const float near =
        fastMax(fastMax(fastMin(a.x, b.x), fastMin(a.y, b.y)), fastMax(fastMin(a.z, b.z), 0.f));
    const float far = fastMin(fastMin(fastMax(a.x, b.x), fastMax(a.y, b.y)), fastMax(a.z, b.z));
    if (!(near <= far)) return false;
    const Vec3<float> p = mulAdd(d, near, o);
    const int x = gridCell(p.x, grid.low.x, grid.perEdge, grid.count[0]);
    const int y = gridCell(p.y, grid.low.y, grid.perEdge, grid.count[1]);
    const int z = gridCell(p.z, grid.low.z, grid.perEdge, grid.count[2]);
    const int row = grid.count[0], layer = grid.count[0] * grid.count[1];
    GridAxis ax = gridAxis(o.x, inverse.x, grid.low.x, grid.edge, x, 1);
    GridAxis ay = gridAxis(o.y, inverse.y, grid.low.y, grid.edge, y, row);
    GridAxis az = gridAxis(o.z, inverse.z, grid.low.z, grid.edge, z, layer);
    int cell = x + y * row + z * layer;
    // from far away, rounding may take a step past the last cell, or none
    for (int steps = row + grid.count[1] + grid.count[2]; steps > 0; --steps) {
        if (static_cast<unsigned>(cell) >= static_cast<unsigned>(grid.cells)) break;
        const int end = scene.cellEnd(cell);
        RAYSCOPE_ROLLED for (int k = scene.cellBegin(cell); k < end; ++k) {
            if (visit(list[k])) return true;
        }
        const float leaves = fastMin(ax.next, fastMin(ay.next, az.next));
        if (!(leaves < far && leaves < static_cast<float>(limit))) return false;
        const bool goesX = ax.next <= leaves, goesY = !goesX && ay.next <= leaves;
        cell += goesX ? ax.step : goesY ? ay.step : az.step;
        ax.next += goesX ? ax.each : 0;
        ay.next += goesY ? ay.each : 0;
        az.next += goesX || goesY ? 0 : az.each;
    }
    return false;
}

/// Calls visit(i) for the spheres that the ray may hit before `limit`, by the scene's structure.
template <class Real, Variant V, class Visit>
RAYSCOPE_FN bool walkScene(const SceneView<Real, V>& scene, const Vec3<Real>& origin,
                           const Vec3<Real>& direction, const Real& limit, Visit visit) {
    if constexpr (V.accel == Accel::grid)
        return walkGrid(scene, origin, direction, limit, visit);
    else
        return walk(scene, origin, direction, limit, visit);
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
