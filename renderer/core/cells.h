#pragma once

#include "renderer/core/compact.h"
#include "renderer/core/near_cells.h"

// The loop of compact.h where rays walk a grid (grid.h). Rays take different numbers of steps: when
// few lanes of the warp are still walking, the others go on to their next rays, and all walk on
// together.

namespace rayscope {

constexpr RAYSCOPE_FN bool isAmongCells(const Variant& v) {
    constexpr unsigned kUnknown = kWalls | kRoulette | kBlack | kTextures | kPictureSky;
    return shadesCompactly(v) && !v.lightSampling && v.accel == Accel::grid &&
           v.precision == Precision::float32 && (v.traits.features & kUnknown) == 0;
}

/// For a lane without a path: any ray, in the fewest operations.
template <Variant V>
RAYSCOPE_FN void idle(CompactPath<V>& path, CompactStart& start) {
    path.pixel = kNoPixel;
    path.left = 0;
    start.position = path.ray.origin;
    start.from = kNoShape;
    start.aim.axis = path.ray.direction;
    start.aim.radius = 0;
}

/// A walk's hit, as bounce() takes it.
struct CellFound {
    float at;
    ShapeId id;
    RAYSCOPE_FN float distance() const { return at; }
    RAYSCOPE_FN unsigned shape() const { return static_cast<unsigned>(id); }
};

/// What shading reads of a sphere, straight from the scene: there are too many for shared memory.
template <Variant V>
struct FarSurfaces {
    const SceneView<float, V>& scene;
    template <class Part>
    RAYSCOPE_FN Part part(unsigned i, Part CompactSurface::*member) const {
        return compactSurface(scene, static_cast<int>(i)).*member;
    }
};

/// As many lanes at most may still walk when the others go on (weekend and field-1000 on an H200:
/// 30.5 G and 15.5 G rays/s with six, 29.0 G and 16.6 G with twelve; with near cells, weekend
/// with five, six, seven and ten: 37.0, 36.8, 36.7 and 35.1 G).
template <CompactCase C>
inline constexpr int kFewWalk = !kOnDevice ? 0
                                : C.near   ? 5
                                : C.flat   ? 6
                                           : 12;

/// crossKey() with fewer operations where no sphere is baked, and without a branch: the lanes of a
/// warp are at spheres of their own.
template <Variant V>
RAYSCOPE_FN void meet(const CenterSphere<float>& s, ShapeId i, const KeyRay<V>& ray, float tMin,
                      CellWalk& walk) {
    const Vec3<float> c = s.center, d = ray.direction, o = ray.origin;
    const float b = mulAdd(c.z, d.z, mulAdd(c.y, d.y, mulAdd(c.x, d.x, ray.originDotDirection)));
    const float along = mulAdd(c.z, o.z, mulAdd(c.y, o.y, c.x * o.x));
    const float gap = mulAdd(along, -2.f, s.power - ray.originSquared);
    const bool leaving = has(V, kLarge) && i == ray.from;
    const float t =
        nearestRoot<false>(Crossing<float>{b, 0, 0, mulAdd(b, b, leaving ? 0.f : -gap)}, tMin);
    const bool nearer = (t > tMin) & (t < walk.distance);
    walk.distance = nearer ? t : walk.distance;
    walk.shape = nearer ? i : walk.shape;
}

/// Begins a walk: what is in no cell, and the first cell.
template <CompactCase C, Variant V>
RAYSCOPE_FN void enter(const SceneView<float, V>& scene, const NearGrid<V>& near,
                       const KeyRay<V>& ray, CellWalk& walk) {
    const GridHeader& grid = near.header;
    const float tMin = scene.params.tMin;
    walk = {};
    walk.distance = scene.params.tMax;
    const int first = minimum(grid.outside, NearGrid<V>::kMost);
    for (int k = 0; k < first; ++k)
        meet(near.outside[k], static_cast<ShapeId>(near.ids[k]), ray, tMin, walk);
    RAYSCOPE_ROLLED for (int k = first; k < grid.outside; ++k) {
        const int i = scene.template sphereList<GridCell>(grid.listed, cellsOf(grid)).ids[k];
        meet(scene.sphere(i), i, ray, tMin, walk);
    }
    const GridRay inside = gridRay(grid, ray.origin, ray.direction, 0);
    walk.far = fastMin(inside.far, walk.distance);
    if (!(inside.near < walk.far)) return;
    const Vec3<float> start = mulAdd(inside.direction, inside.near, inside.origin);
    const int x = gridCell(start.x, grid.count[0]);
    const int y = C.flat ? 0 : gridCell(start.y, grid.count[1]);
    const int z = gridCell(start.z, grid.count[2]);
    walk.cell = x + grid.count[0] * (y + grid.count[1] * z);
    walk.inverse = inside.inverse;
    walk.x = gridAxis(inside.inverse.x, inside.offset.x, x, 1).next;
    walk.y = C.flat ? 0 : gridAxis(inside.inverse.y, inside.offset.y, y, 1).next;
    walk.z = gridAxis(inside.inverse.z, inside.offset.z, z, 1).next;
}

/// Meets the spheres of a cell and goes to the next.
template <CompactCase C, Variant V, class Cells>
RAYSCOPE_FN void step(const Cells& cells, const GridHeader& grid, int count, float tMin,
                      const KeyRay<V>& ray, CellWalk& walk) {
    visitCell(cells, walk.cell, [&](int i, const auto& sphere) RAYSCOPE_INLINED {
        meet(sphere, i, ray, tMin, walk);
        return false;
    });
    const float leaves = fastMin(walk.x, C.flat ? walk.z : fastMin(walk.y, walk.z));
    const bool on = leaves < fastMin(walk.far, walk.distance);
    const bool x = walk.x == leaves, y = !C.flat & !x & (walk.y == leaves), z = !(x | y);
    const int row = grid.count[0], layer = grid.count[0] * grid.count[1];
    const int stride = x ? 1 : y ? row : layer;
    const float inverse = x ? walk.inverse.x : y ? walk.inverse.y : walk.inverse.z;
    walk.x += x ? fabs(walk.inverse.x) : 0;
    if (!C.flat) walk.y += y ? fabs(walk.inverse.y) : 0;
    walk.z += z ? fabs(walk.inverse.z) : 0;
    walk.cell += inverse > 0 ? stride : -stride;
    // rounding may let the last step pass the last cell
    if (!on || static_cast<unsigned>(walk.cell) >= static_cast<unsigned>(count))
        walk.cell = CellWalk::kEnded;
}

template <CompactCase C, Variant V>
RAYSCOPE_FN void followAmongCells(const SceneView<float, V>& scene,
                                  const LaunchParams<float>& launch, const NearGrid<V>& near,
                                  SamplePool<float, V>& pool, CountsOf<V>& counts) {
    const int count = kept(cellsOf(near.header));
    const auto cells = scene.template sphereList<GridCell>(near.header.listed, count);
    const NearCells<V> nearCells(near, scene.params.tMin);
    const FarSurfaces<V> surfaces{scene};
    CompactPath<V> path{};
    path.pixel = kNoPixel;
    path.ray.direction = {0, 1, 0};
    CellWalk walk{};
    int few = kFewWalk<C>;
    while (!pool.exhausted() || lanesWhere(path.pixel != kNoPixel) != 0) {
        if (pool.exhausted()) few = 0;
        while (countOf(lanesWhere(walk.goesOn())) > few) {
            if (!walk.goesOn()) continue;
            if constexpr (C.near)
                nearCells.step(path.ray, count, walk);
            else
                step<C>(cells, near.header, count, scene.params.tMin, path.ray, walk);
        }
        const bool on = !walk.goesOn() && walk.shape != kNoShape && path.left > 0;
        Claim claim;
        const bool taken = pool.take(!walk.goesOn() && !on, claim);
        if (walk.goesOn()) continue;
        CompactStart start;
        start.aim.side = {0, 0, 0};
        if (on) {
            const ShapeId shape = C.near ? nearCells.idOf(walk.shape) : walk.shape;
            const CellFound found{walk.distance, shape};
            const auto reflection = surfaces.part(found.shape(), &CompactSurface::early);
            bounce<C>(scene, launch, surfaces, reflection, found, path, start);
            if constexpr (C.near) start.from = walk.shape;
        } else {
            end(launch, skyRadiance(scene, path.ray.direction), path);
            if (taken) {
                begin<C>(launch, pool, claim, path, start);
            } else {
                idle(path, start);
            }
        }
        leave<C>(scene, launch, start, path, counts);
        if constexpr (C.near)
            nearCells.enter(path.ray, scene.params.tMax, walk);
        else
            enter<C>(scene, near, path.ray, walk);
        if (path.left == 0) walk.cell = CellWalk::kEnded;
    }
    counts.camera += pool.samples();
}

/// renderPieces().
template <Variant V>
RAYSCOPE_FN void renderPiecesAmongCells(const LaunchParams<float>& launch, const NearGrid<V>& near,
                                        int piece, CountsOf<V>& counts) {
    const SceneView<float, V> scene{launch.scene, launch.params};
    SamplePool<float, V> pool(launch, piece);
    const auto follow = [&]<CompactCase C>() RAYSCOPE_INLINED {
        followAmongCells<C>(scene, launch, near, pool, counts);
    };
    // few loops, as each takes its time to compile: in a small scene, flat means near
    constexpr bool kNear = NearGrid<V>::kSmall;
    const bool flat = near.isFlat() && (!kNear || near.holdsCells());
    const bool lens = launch.camera.lens != 0;
    if (flat && lens)
        follow.template operator()<CompactCase{false, true, false, true, kNear}>();
    else if (flat)
        follow.template operator()<CompactCase{false, false, false, true, kNear}>();
    else if (lens)
        follow.template operator()<CompactCase{false, true}>();
    else
        follow.template operator()<CompactCase{false, false}>();
}

}  // namespace rayscope
