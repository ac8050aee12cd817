#pragma once

#include "renderer/core/grid.h"
#include "renderer/cpu/kernels/packet_view.h"

// Each lane walks the uniform grid by itself, as core/grid.h does for a ray: unlike in a hierarchy,
// every lane has a cell of its own at each step, and the next sphere of that cell's list.

namespace rayscope {

RAYSCOPE_FN Floats minimumOf(const Vec3<Floats>& a) {
    return fastMin(a.x, fastMin(a.y, a.z));
}

/// The list of a grid: its spheres as CenterSphere or CurvedSphere, the cells' parts, the numbers.
template <Variant V>
struct GridLists {
    using Geometry = typename GeometryOf<float, PacketView<V>::kCurved>::Type;
    SphereList<Geometry, GridCell> cells;
    static constexpr int kFields = sizeof(Geometry) / sizeof(float);

    explicit RAYSCOPE_FN GridLists(const GridHeader& grid) {
        const auto* const spheres = reinterpret_cast<const Geometry*>(&grid + 1);
        const auto* const first =
            reinterpret_cast<const GridCell*>(spheres + paddedList(grid.listed));
        const int count = grid.count[0] * grid.count[1] * grid.count[2];
        cells = {spheres, first, reinterpret_cast<const int*>(first + count)};
    }
    RAYSCOPE_FN Words id(Words k) const { return gather(cells.ids, k); }
    RAYSCOPE_FN Words first(Words cell) const {
        return gather(&cells.elements->first, cell + cell);
    }
    RAYSCOPE_FN Words end(Words cell) const { return gather(&cells.elements->end, cell + cell); }
    RAYSCOPE_FN auto sphere(Words k) const {
        const auto* const table = reinterpret_cast<const float*>(cells.spheres);
        const Words base = k * Words(kFields);
        const auto field = [&](int f) RAYSCOPE_INLINED { return gather(table + f, base); };
        const Vec3<Floats> point{field(0), field(1), field(2)};
        if constexpr (PacketView<V>::kCurved)
            return CurvedSphere<Floats>{point, field(3), {field(4), field(5), field(6)}, 0};
        else
            return CenterSphere<Floats>{point, field(3)};
    }
};

/// Rays in units of cells; GridRay and its GridAxis for each lane.
struct GridLanes {
    Vec3<Floats> next, each;  ///< distances at which a ray leaves its cell, and from cell to cell
    Vec3<Words> stride;
    Words cell;
    Floats far;
    Mask on;  ///< lanes that still walk

    /// For the rays of the mask that are in the grid before the limit.
    RAYSCOPE_FN GridLanes(const GridHeader& grid, const Ray<Floats>& ray, const Floats& limit,
                          Mask where) {
        const Vec3<Floats> scale = spread(grid.perUnit);
        const Vec3<Floats> o = (ray.origin - spread(grid.low)) * scale, d = ray.direction * scale;
        const Vec3<Floats> inverse{inverseOf(d.x), inverseOf(d.y), inverseOf(d.z)};
        const auto high = [&](int axis) RAYSCOPE_INLINED {
            return Floats(static_cast<float>(grid.count[axis]));
        };
        const Floats x0 = -o.x * inverse.x, x1 = (high(0) - o.x) * inverse.x;
        const Floats y0 = -o.y * inverse.y, y1 = (high(1) - o.y) * inverse.y;
        const Floats z0 = -o.z * inverse.z, z1 = (high(2) - o.z) * inverse.z;
        const Floats near =
            fastMax(fastMax(fastMin(x0, x1), fastMin(y0, y1)), fastMax(fastMin(z0, z1), Floats(0)));
        far = fastMin(fastMin(fastMax(x0, x1), fastMax(y0, y1)), fastMax(z0, z1));
        on = where & (near <= fastMin(far, limit));
        const Vec3<Floats> start = mulAdd(d, near, o);
        const int row = grid.count[0], layer = row * grid.count[1];
        const Words x = begin(start.x, o.x, inverse.x, grid.count[0], 1, next.x, each.x, stride.x);
        const Words y =
            begin(start.y, o.y, inverse.y, grid.count[1], row, next.y, each.y, stride.y);
        const Words z =
            begin(start.z, o.z, inverse.z, grid.count[2], layer, next.z, each.z, stride.z);
        cell = select(on, x + y * Words(row) + z * Words(layer), Words(0));
    }

    /// Goes on to the next cell in the lanes of the mask, and stops those that are through.
    RAYSCOPE_FN void step(Mask lanes, const Floats& limit, int cells) {
        const Floats leaves = minimumOf(next);
        const Mask x = next.x == leaves, notX = !x, y = notX & (next.y == leaves);
        const Mask z = !(x | y);
        const Mask goes = lanes & (leaves < fastMin(far, limit));
        const Words to = cell + select(x, stride.x, select(y, stride.y, stride.z));
        // rounding may let the last step pass the last cell
        const Mask inside = goes & (to >= Words(0)) & (to < Words(cells));
        cell = select(inside, to, cell);
        next.x = select(x & inside, next.x + each.x, next.x);
        next.y = select(y & inside, next.y + each.y, next.y);
        next.z = select(z & inside, next.z + each.z, next.z);
        const Mask others = !lanes;
        on = on & (inside | others);
    }

private:
    static RAYSCOPE_FN Words begin(Floats start, Floats o, Floats inverse, int count, int stride,
                                   Floats& next, Floats& each, Words& strides) {
        const Words at =
            truncated(fastMin(fastMax(start, Floats(0)), Floats(static_cast<float>(count - 1))));
        const Mask up = inverse > 0;
        next = (Floats(select(up, at + Words(1), at)) - o) * inverse;
        each = fabs(inverse);
        strides = select(up, Words(stride), Words(-stride));
        return at;
    }
};

RAYSCOPE_FN float laneOf(const Floats& a, int lane) {
    alignas(64) float lanes[kWidth];
    store(lanes, a);
    return lanes[lane];
}
RAYSCOPE_FN int laneOf(const Words& a, int lane) {
    alignas(64) unsigned lanes[kWidth];
    store(lanes, a);
    return static_cast<int>(lanes[lane]);
}
RAYSCOPE_FN Vec3<float> laneOf(const Vec3<Floats>& a, int lane) {
    return {laneOf(a.x, lane), laneOf(a.y, lane), laneOf(a.z, lane)};
}

/// visit(i) for a lane by itself, and its limit, which that may reduce.
template <class Visit>
struct VisitAlone {
    const Floats& limit;
    int lane;
    Visit& visit;
    float left = laneOf(limit, lane);

    template <class Sphere>
    bool operator()(int i, const Sphere&) {
        visit(i);
        left = laneOf(limit, lane);
        return false;
    }
};

/// For a lane from afar (walkSlices).
template <Variant V, class Visit>
RAYSCOPE_CALL void walkFromAfar(const GridLists<V>& lists, const GridHeader& grid,
                                 const Ray<Floats>& rays, const Floats& limit, int lane,
                                 Visit visit) {
    const Vec3<float> o = laneOf(rays.origin, lane);
    const float slack = slackAt<float>(o, grid);
    const GridRay ray = gridRay(grid, o, laneOf(rays.direction, lane), slack);
    VisitAlone<Visit> alone{limit, lane, visit};
    if (ray.near <= fastMin(ray.far, alone.left))
        walkSlices(lists.cells, grid, ray, slack, alone.left,
                   [&](int i, const auto& sphere) { return alone(i, sphere); });
}

/// For a lane of the last ones, which then do not wait for each other.
template <Variant V, class Visit>
RAYSCOPE_CALL void walkAlone(const GridLists<V>& lists, const GridHeader& grid,
                              const GridLanes& walk, const Floats& limit, int lane, Visit visit) {
    const auto axis = [&](const Floats& next, const Floats& each, const Words& stride) {
        return GridAxis{laneOf(next, lane), laneOf(each, lane), laneOf(stride, lane)};
    };
    VisitAlone<Visit> alone{limit, lane, visit};
    walkOn(lists.cells, grid, laneOf(walk.cell, lane),
           axis(walk.next.x, walk.each.x, walk.stride.x),
           axis(walk.next.y, walk.each.y, walk.stride.y),
           axis(walk.next.z, walk.each.z, walk.stride.z), laneOf(walk.far, lane), alone.left,
           [&](int i, const auto& sphere) { return alone(i, sphere); });
}

/// So few lanes take longer together than one after the other.
inline constexpr int kFewLanes = 3;

/// Calls visit(i) for the spheres that are in no cell, and visit(ids, spheres, lanes) for those of
/// the cells that the rays of the mask are in before `limit`, which visit() may reduce.
template <Variant V, class Visit>
RAYSCOPE_FN void walkGridInLanes(const PacketView<V>& view, const Ray<Floats>& ray,
                                 const Floats& limit, Mask where, Visit visit) {
    const GridHeader& grid = *static_cast<const GridHeader*>(view.scene.structure);
    const GridLists<V> lists(grid);
    for (int k = 0; k < grid.outside; ++k) visit(lists.cells.ids[k]);
    if (grid.count[0] == 0) return;
    const Vec3<Floats>& o = ray.origin;
    const Mask home = fastMax(fastMax(fabs(o.x), fabs(o.y)), fabs(o.z)) <= Floats(grid.home);
    for (unsigned afar = (where & !home).bits(); afar != 0; afar &= afar - 1)
        walkFromAfar(lists, grid, ray, limit, __builtin_ctz(afar), visit);
    const int cells = grid.count[0] * grid.count[1] * grid.count[2];
    GridLanes walk(grid, ray, limit, where & home);
    Words k = lists.first(walk.cell), end = lists.end(walk.cell);
    while (count(walk.on) > kFewLanes) {
        const Mask full = walk.on & (k < end);
        if (2 * count(full) >= count(walk.on)) {  // what more lanes wait for
            const Words at = select(full, k, Words(0));
            visit(lists.id(at), lists.sphere(at), full);
            k = select(full, k + Words(1), k);
        } else {
            const Mask others = !full, empty = walk.on & others;
            walk.step(empty, limit, cells);
            const Mask moved = empty & walk.on;
            k = select(moved, lists.first(walk.cell), k);
            end = select(moved, lists.end(walk.cell), end);
        }
    }
    for (unsigned last = walk.on.bits(); last != 0; last &= last - 1)
        walkAlone(lists, grid, walk, limit, __builtin_ctz(last), visit);
}

}  // namespace rayscope
