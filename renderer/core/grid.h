#pragma once

#include "renderer/core/bvh.h"

// Walks the uniform grid of scene/grid.h from cell to cell (Amanatides and Woo 1987, "A Fast Voxel
// Traversal Algorithm for Ray Tracing"). Unlike a hierarchy it needs no stack, and each step costs
// the same; but it knows only one scale.

namespace rayscope {

/// A ray in units of cells. Plane k of an axis is at the distance k * inverse - offset.
struct GridRay {
    Vec3<float> origin, direction, inverse, offset;
    float near, far;  ///< where it is in the grid; near > far: never
};

/// `slack`: by how much the grid is widened.
RAYSCOPE_FN GridRay gridRay(const GridHeader& grid, const Vec3<float>& o, const Vec3<float>& d,
                            float slack) {
    GridRay ray;
    ray.origin = (o - grid.low) * grid.perUnit;
    ray.direction = d * grid.perUnit;
    ray.inverse = {inverseOf(ray.direction.x), inverseOf(ray.direction.y),
                   inverseOf(ray.direction.z)};
    ray.offset = ray.origin * ray.inverse;
    const Vec3<float> wide = grid.perUnit * slack;
    const auto plane = [&](float k, float inverse, float offset) RAYSCOPE_INLINED {
        return mulAdd(k, inverse, -offset);
    };
    const float x0 = plane(-wide.x, ray.inverse.x, ray.offset.x);
    const float y0 = plane(-wide.y, ray.inverse.y, ray.offset.y);
    const float z0 = plane(-wide.z, ray.inverse.z, ray.offset.z);
    const float x1 = plane(static_cast<float>(grid.count[0]) + wide.x, ray.inverse.x, ray.offset.x);
    const float y1 = plane(static_cast<float>(grid.count[1]) + wide.y, ray.inverse.y, ray.offset.y);
    const float z1 = plane(static_cast<float>(grid.count[2]) + wide.z, ray.inverse.z, ray.offset.z);
    ray.near = fastMax(fastMax(fastMin(x0, x1), fastMin(y0, y1)), fastMax(fastMin(z0, z1), 0.f));
    ray.far = fastMin(fastMin(fastMax(x0, x1), fastMax(y0, y1)), fastMax(z0, z1));
    return ray;
}

constexpr RAYSCOPE_FN int cellsOf(const GridHeader& grid) {
    return grid.count[0] * grid.count[1] * grid.count[2];
}

/// Where a ray goes next along one axis. Distances are summed, which takes the fewest registers;
/// the builder leaves room for the errors.
struct GridAxis {
    float next;  ///< distance at which it leaves the cell
    float each;  ///< distance from one cell to the next
    int stride;  ///< to the index of the next cell
};

RAYSCOPE_FN GridAxis gridAxis(float inverse, float offset, int cell, int stride) {
    const bool up = inverse > 0;
    const auto plane = static_cast<float>(up ? cell + 1 : cell);
    return {mulAdd(plane, inverse, -offset), fabs(inverse), up ? stride : -stride};
}

/// The cell of a position, or the nearest one.
RAYSCOPE_FN int gridCell(float position, int count) {
    return static_cast<int>(fastMin(fastMax(position, 0.f), static_cast<float>(count - 1)));
}

template <class Cells, class Visit>
RAYSCOPE_FN bool visitCell(const Cells& cells, int cell, Visit visit) {
    const GridCell part = cells.elements[cell];
    RAYSCOPE_ROLLED for (int k = part.first; k < part.end; ++k) {
        const auto sphere = cells.spheres[k];
        if (visit(cells.ids[k], sphere)) return true;
    }
    return false;
}

/// From a cell on, until the ray has passed `limit`. A sphere that the walk meets before its hit is
/// no mistake: the walk goes on until it has passed the hit.
template <class Real, class Cells, class Visit>
RAYSCOPE_FN bool walkOn(const Cells& cells, const GridHeader& grid, int cell, GridAxis ax,
                        GridAxis ay, GridAxis az, float far, const Real& limit, Visit visit) {
    const int count = kept(cellsOf(grid));
    while (true) {
        // rounding may let the last step pass the last cell
        if (static_cast<unsigned>(cell) >= static_cast<unsigned>(count)) return false;
        if (visitCell(cells, cell, visit)) return true;
        const float leaves = fastMin(ax.next, fastMin(ay.next, az.next));
        if (!(leaves < fastMin(far, static_cast<float>(limit)))) return false;
        const bool x = ax.next == leaves, y = !x & (ay.next == leaves), z = !(x | y);
        ax.next += x ? ax.each : 0;
        ay.next += y ? ay.each : 0;
        az.next += z ? az.each : 0;
        cell += x ? ax.stride : y ? ay.stride : az.stride;
    }
}

template <class Real, class Cells, class Visit>
RAYSCOPE_FN bool walkCells(const Cells& cells, const GridHeader& grid, const GridRay& ray,
                           const Real& limit, Visit visit) {
    const Vec3<float> start = mulAdd(ray.direction, ray.near, ray.origin);
    const int x = gridCell(start.x, grid.count[0]);
    const int y = gridCell(start.y, grid.count[1]);
    const int z = gridCell(start.z, grid.count[2]);
    const int row = grid.count[0], layer = grid.count[0] * grid.count[1];
    const GridAxis ax = gridAxis(ray.inverse.x, ray.offset.x, x, 1);
    const GridAxis ay = gridAxis(ray.inverse.y, ray.offset.y, y, row);
    const GridAxis az = gridAxis(ray.inverse.z, ray.offset.z, z, layer);
    return walkOn(cells, grid, x + y * row + z * layer, ax, ay, az, ray.far, limit, visit);
}

/// The components, beginning with one of the axes.
template <class T>
RAYSCOPE_FN Vec3<T> turned(const Vec3<T>& v, int axis) {
    return {axis == 0   ? v.x
            : axis == 1 ? v.y
                        : v.z,
            axis == 0   ? v.y
            : axis == 1 ? v.z
                        : v.x,
            axis == 0   ? v.z
            : axis == 1 ? v.x
                        : v.y};
}

/// Cells between two positions, first and last.
RAYSCOPE_FN GridCell cellsBetween(float a, float b, float slack, int count) {
    const float low = fastMin(a, b) - slack, high = fastMax(a, b) + slack;
    const auto most = static_cast<float>(count);
    return {static_cast<int>(fastMin(fastMax(low, 0.f), most)),
            high < 0 ? -1 : static_cast<int>(fastMin(high, most - 1))};
}

/// For rays from so far away that rounding lets them hit spheres from beside the cells which list
/// these: visits, slice by slice of the axis along which the ray goes farthest, all cells within
/// `slack` of it.
template <class Real, class Cells, class Visit>
RAYSCOPE_FN bool walkSlices(const Cells& cells, const GridHeader& grid, const GridRay& ray,
                            float slack, const Real& limit, Visit visit) {
    const float dx = fabs(ray.direction.x), dy = fabs(ray.direction.y);
    const float dz = fabs(ray.direction.z);
    const int axis = dx >= dy && dx >= dz ? 0 : dy >= dz ? 1 : 2;
    const Vec3<float> o = turned(ray.origin, axis), d = turned(ray.direction, axis);
    const Vec3<float> wide = turned(grid.perUnit * slack, axis);
    const Vec3<int> count = turned(Vec3<int>{grid.count[0], grid.count[1], grid.count[2]}, axis);
    const Vec3<int> stride =
        turned(Vec3<int>{1, grid.count[0], grid.count[0] * grid.count[1]}, axis);
    const float inverse = inverseOf(d.x);
    RAYSCOPE_ROLLED for (int s = 0; s < count.x; ++s) {
        const int slice = inverse > 0 ? s : count.x - 1 - s;
        const float low = (static_cast<float>(slice) - wide.x - o.x) * inverse;
        const float high = (static_cast<float>(slice + 1) + wide.x - o.x) * inverse;
        const float enters = fastMax(fastMin(low, high), 0.f), leaves = fastMax(low, high);
        if (!(enters <= static_cast<float>(limit))) return false;
        if (leaves < enters) continue;
        const GridCell across =
            cellsBetween(mulAdd(d.y, enters, o.y), mulAdd(d.y, leaves, o.y), wide.y, count.y);
        const GridCell along =
            cellsBetween(mulAdd(d.z, enters, o.z), mulAdd(d.z, leaves, o.z), wide.z, count.z);
        RAYSCOPE_ROLLED for (int z = along.first; z <= along.end; ++z) {
            RAYSCOPE_ROLLED for (int y = across.first; y <= across.end; ++y) {
                const int cell = slice * stride.x + y * stride.y + z * stride.z;
                if (visitCell(cells, cell, visit)) return true;
            }
        }
    }
    return false;
}

/// True for rays that need walkGrid<true>(). A GPU does without: there the second walk would take
/// the first one's registers, and all that it finds is what single precision makes of spheres that
/// the ray passes by.
template <class Real, Variant V>
RAYSCOPE_FN bool startsAfar(const SceneView<Real, V>& scene, const Vec3<Real>& o) {
    if (kOnDevice) return false;
    const auto x = static_cast<float>(fabs(o.x)), y = static_cast<float>(fabs(o.y));
    return !(fastMax(fastMax(x, y), static_cast<float>(fabs(o.z))) <= scene.grid()->home);
}

/// As walk() (bvh.h), but a sphere may be visited more than once.
template <bool Afar, class Real, Variant V, class Visit>
RAYSCOPE_FN bool walkGrid(const SceneView<Real, V>& scene, const Vec3<Real>& origin,
                          const Vec3<Real>& direction, const Real& limit, Visit visit) {
    const GridHeader& grid = *scene.grid();
    const auto cells = scene.template sphereList<GridCell>(grid.listed, cellsOf(grid));
    RAYSCOPE_ROLLED for (int k = 0; k < grid.outside; ++k) {
        const int i = cells.ids[k];
        if (visit(i, scene.geometryOf(i))) return true;
    }
    if (grid.count[0] == 0) return false;
    const Vec3<float> o{static_cast<float>(origin.x), static_cast<float>(origin.y),
                        static_cast<float>(origin.z)};
    const Vec3<float> d{static_cast<float>(direction.x), static_cast<float>(direction.y),
                        static_cast<float>(direction.z)};
    const float slack = Afar ? slackAt<Real>(o, grid) : 0;
    const GridRay ray = gridRay(grid, o, d, slack);
    if (!(ray.near <= fastMin(ray.far, static_cast<float>(limit)))) return false;
    if constexpr (Afar)
        return walkSlices(cells, grid, ray, slack, limit, visit);
    else
        return walkCells(cells, grid, ray, limit, visit);
}

}  // namespace rayscope
