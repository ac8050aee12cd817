#pragma once

#include "renderer/core/grid.h"
#include "renderer/core/keys.h"

// The grid (grid.h) in shared memory: what every ray reads of any grid; and all of a flat grid, of
// one layer of cells, where the scene is small. Distances count from tMin, as for keys (keys.h).

namespace rayscope {

/// A sphere in a cell. It is tested relative to the ray's origin, which is exact enough for rays
/// that leave it to need no special case, unless it is large.
struct alignas(16) NearSphere {
    Vec3<float> center;
    float squaredRadius;
};

template <Variant V>
struct NearGrid {
    /// Of the spheres in no cell; others are read from the scene.
    static constexpr int kMost = 16;
    /// Whether the cells of a flat grid fit, as a rule. Each block has a copy, which in smaller
    /// blocks would leave room for fewer warps, or for less of a cache (field-500 with 128x1: 12.6
    /// instead of 19 G rays/s on an H200).
    static constexpr bool kSmall =
        V.traits.sphereCount > 0 && V.traits.sphereCount <= 512 && V.blockX* V.blockY >= 256;
    /// Of cells, and of entries in their lists.
    static constexpr int kMostCells = kSmall ? 1024 : 1, kMostListed = kSmall ? 1024 : 1;

    GridHeader header;
    CenterSphere<float> outside[kMost];
    NearSphere spheres[kMostListed];
    unsigned cells[kMostCells];         ///< 16 bits each: the first of spheres, and the end
    unsigned ids[kMost + kMostListed];  ///< the scene's numbers of outside, then of spheres

    RAYSCOPE_FN bool isFlat() const { return header.count[1] == 1; }
    /// Whether all cells are here, and none lists a sphere that is large.
    RAYSCOPE_FN bool holdsCells() const {
        return kSmall && header.largest < kLargeRadius && header.outside <= kMost &&
               cellsOf(header) <= kMostCells && header.listed - header.outside <= kMostListed;
    }
};

/// What one of these threads copies.
template <Variant V>
RAYSCOPE_FN void copyNear(const SceneView<float, V>& scene, int thread, int threads,
                          NearGrid<V>& near) {
    using Near = NearGrid<V>;
    const GridHeader& grid = *scene.grid();
    const auto list = scene.template sphereList<GridCell>(grid.listed, cellsOf(grid));
    if (thread == 0) near.header = grid;
    for (int k = thread; k < minimum(grid.outside, Near::kMost); k += threads) {
        near.ids[k] = static_cast<unsigned>(list.ids[k]);
        near.outside[k] = scene.sphere(list.ids[k]);
    }
    if constexpr (Near::kSmall) {
        const int listed = minimum(grid.listed - grid.outside, Near::kMostListed);
        for (int k = thread; k < listed; k += threads) {
            const int i = list.ids[grid.outside + k];
            const float curvature = scene.material(i).inverseRadius;
            near.ids[Near::kMost + k] = static_cast<unsigned>(i);
            near.spheres[k] = {scene.sphere(i).center, 1 / (curvature * curvature)};
        }
        const int cells = minimum(cellsOf(grid), Near::kMostCells);
        for (int k = thread; k < cells; k += threads) {
            const GridCell cell = list.elements[k];
            near.cells[k] = static_cast<unsigned>(cell.first - grid.outside) |
                            static_cast<unsigned>(cell.end - grid.outside) << 16;
        }
    }
}

/// Where a ray is on its way through the cells, and what it has met so far.
struct CellWalk {
    int cell = kEnded;
    float x, y, z;        ///< distances at which it leaves the cell
    Vec3<float> inverse;  ///< the distances between two planes, with the direction's signs
    float far;            ///< where it leaves the grid, or has met a sphere in no cell
    float distance;       ///< of the nearest sphere
    ShapeId shape = kNoShape;

    static constexpr int kEnded = -1;
    RAYSCOPE_FN bool goesOn() const { return cell >= 0; }
};

/// A flat grid whose cells are near. Spheres are numbered as in NearGrid::ids.
template <Variant V>
class NearCells {
public:
    RAYSCOPE_FN NearCells(const NearGrid<V>& grid, float tMin)
        : grid_(grid),
          memory_(&grid),
          tMin_(kept(tMin)),
          columns_(kept(static_cast<float>(grid.header.count[0]))),
          rows_(kept(static_cast<float>(grid.header.count[2]))),
          row_(kept(grid.header.count[0])) {}

    /// The scene's number of a sphere.
    RAYSCOPE_FN ShapeId idOf(ShapeId shape) const {
        return static_cast<ShapeId>(memory_.at(&NearGrid<V>::ids, static_cast<unsigned>(shape)));
    }

    /// Begins a walk: what is in no cell, and the first cell.
    RAYSCOPE_FN void enter(const KeyRay<V>& ray, float tMax, CellWalk& walk) const {
        const GridHeader& grid = grid_.header;
        walk = {};
        walk.distance = tMax;
        for (int k = 0; k < grid.outside; ++k) meetOutside(ray, k, walk);

        const Vec3<float> o = (ray.origin - grid.low) * grid.perUnit;
        const Vec3<float> kTiny{1e-20f, 1e-20f, 1e-20f};  // so that nothing is infinite
        const Vec3<float> d = ray.direction * grid.perUnit + kTiny;
        const Vec3<float> inverse{1 / d.x, 1 / d.y, 1 / d.z}, offset = o * inverse;
        const float x0 = -offset.x, x1 = mulAdd(columns_, inverse.x, x0);
        const float y0 = -offset.y, y1 = inverse.y + y0;
        const float z0 = -offset.z, z1 = mulAdd(rows_, inverse.z, z0);
        const float near =
            fastMax(fastMax(fastMin(x0, x1), fastMin(y0, y1)), fastMax(fastMin(z0, z1), 0.f));
        const float far = fastMin(fastMin(fastMax(x0, x1), fastMax(y0, y1)), fastMax(z0, z1));
        walk.far = fastMin(far, walk.distance);
        if (!(near < walk.far)) return;
        const int x = cellOf(mulAdd(d.x, near, o.x), columns_);
        const int z = cellOf(mulAdd(d.z, near, o.z), rows_);
        walk.cell = x + row_ * z;
        walk.inverse = inverse;
        walk.x = gridAxis(inverse.x, offset.x, x, 1).next;
        walk.z = gridAxis(inverse.z, offset.z, z, 1).next;
    }

    /// Meets the spheres of a cell and goes to the next.
    RAYSCOPE_FN void step(const KeyRay<V>& ray, int count, CellWalk& walk) const {
        const auto at = static_cast<unsigned>(walk.cell);
        const unsigned part = memory_.at(&NearGrid<V>::cells, at);
        RAYSCOPE_ROLLED for (unsigned k = part & 0xffff; k < part >> 16; ++k) meetIn(ray, k, walk);
        const bool x = walk.x < walk.z;
        const float leaves = x ? walk.x : walk.z;
        const bool on = leaves < fastMin(walk.far, walk.distance);
        const float inverse = x ? walk.inverse.x : walk.inverse.z;
        const int stride = x ? 1 : row_;
        if (x)
            walk.x += fabs(inverse);
        else
            walk.z += fabs(inverse);
        walk.cell += inverse > 0 ? stride : -stride;
        // rounding may let the last step pass the last cell
        if (!on || static_cast<unsigned>(walk.cell) >= static_cast<unsigned>(count))
            walk.cell = CellWalk::kEnded;
    }

private:
    RAYSCOPE_FN static int cellOf(float position, float count) {
        return static_cast<int>(fastMin(fastMax(position, 0.f), count - 1));
    }

    /// Of what was met and both roots, the nearest that does not lie behind the ray: as unsigned
    /// integers, negative numbers and NaN are larger than all distances.
    RAYSCOPE_FN static void meet(float b, float discriminant, ShapeId shape, CellWalk& walk) {
        const auto bits = [](float v) { return __builtin_bit_cast(unsigned, v); };
        const float root = sqrt(discriminant);
        const unsigned before = bits(walk.distance);
        const unsigned nearest = least(before, bits(b - root), bits(b + root));
        walk.distance = __builtin_bit_cast(float, nearest);
        walk.shape = nearest != before ? shape : walk.shape;
    }

    /// As crossKey(), which is right for large spheres, too.
    RAYSCOPE_FN void meetOutside(const KeyRay<V>& ray, int k, CellWalk& walk) const {
        const auto s = memory_.at(&NearGrid<V>::outside, static_cast<unsigned>(k));
        const Vec3<float> c = s.center, d = ray.direction, o = ray.origin;
        const float b =
            mulAdd(c.z, d.z, mulAdd(c.y, d.y, mulAdd(c.x, d.x, ray.originDotDirection)));
        const float along = mulAdd(c.z, o.z, mulAdd(c.y, o.y, c.x * o.x));
        const float minusC = mulAdd(along, 2.f, ray.originSquared - s.power);
        const bool leaving = has(V, kLarge) && k == ray.from;
        const float h = leaving ? tMin_ * mulAdd(2.f, b, tMin_) : minusC;
        meet(b, mulAdd(b, b, h), k, walk);
    }

    RAYSCOPE_FN void meetIn(const KeyRay<V>& ray, unsigned k, CellWalk& walk) const {
        const auto s = memory_.at(&NearGrid<V>::spheres, k);
        const Vec3<float> c = s.center - ray.origin, d = ray.direction;
        const float b = mulAdd(c.z, d.z, mulAdd(c.y, d.y, c.x * d.x));
        const Vec3<float> p = mulAdd(d, -b, c);  // from the point of the ray nearest to the centre
        const float discriminant =
            mulAdd(p.z, -p.z, mulAdd(p.y, -p.y, mulAdd(p.x, -p.x, s.squaredRadius)));
        meet(b, discriminant, static_cast<ShapeId>(k) + NearGrid<V>::kMost, walk);
    }

    const NearGrid<V>& grid_;
    NearMembers<NearGrid<V>> memory_;
    float tMin_, columns_, rows_;
    int row_;
};

}  // namespace rayscope
