#pragma once

#include "renderer/core/mesh_test.h"
#include "renderer/core/mesh_tree.h"

// What rays hit among meshes that stand in several places (Feature::kPlaces), and spheres: a tree
// over these, whose leaves have one each, and below a place the tree of what stands there, in its
// own space. One stack serves both, so that the lanes of a warp need not be in the same place.

namespace rayscope {

/// The stack of a walk through both: what is beside the way to a place, the way out of it, and what
/// is beside the way to a triangle.
inline constexpr int kPlacesStack = 2 * kBvhLevels + 2;

/// On the stack below all that is in a place. No leaf has so many shapes.
inline constexpr int kWayOut = leafReference(0, 2 * kMaxLeafSpheres - 1);
/// Nothing that is nearer makes this wait.
inline constexpr float kAtOnce = -1;

/// A ray in the space of the shapes that it is tested against.
template <class Real>
struct RayInPlace {
    TestedRay<Real> tested;
    int shift = 0;  ///< from the numbers of shapes in the list to those in the scene
};

template <class Real>
RAYSCOPE_FN Ray<Real> ownRay(const PlaceRecord<Real>& place, const Ray<Real>& ray) {
    return {pointIn(place, ray.origin), directionIn(place, ray.direction), ray.from - place.shift};
}

template <Variant V, TriangleTest Test, class Real>
RAYSCOPE_FN RayInPlace<Real> rayIn(const PlaceRecord<Real>& place, const Ray<Real>& ray) {
    const Ray<Real> own = ownRay(place, ray);
    if constexpr (Test == TriangleTest::watertight)
        return {{own, acrossStretchedRay<V>(own.origin, own.direction)}, place.shift};
    else
        return {{own, {}}, place.shift};
}

template <class Real>
RAYSCOPE_FN SlabRay<float> slabRayIn(const PlaceRecord<Real>& place, const Ray<Real>& own) {
    BvhHeader header{};
    header.reach = header.smallest = place.reach;
    return slabRay(own.origin, own.direction, header);
}

/// Without a tree: all spheres, and all triangles in all places, one after the other.
template <Variant V, TriangleTest Test, class Real, class Tree, class Visit>
RAYSCOPE_FN bool visitAllPlaces(const Tree& tree, const PlaceRecord<Real>* places,
                                const Ray<Real>& ray, int outside, Visit visit) {
    RayInPlace<Real> at{testedRay<V, Test>(ray)};
    const auto visitHere = [&](const auto& id, const auto& shape)
                               RAYSCOPE_INLINED { return visit(id, shape, at); };
    const auto visitPlace = [&](int number) RAYSCOPE_INLINED {
        const PlaceRecord<Real>& place = places[number];
        at = rayIn<V, Test>(place, ray);
        const int count = places[number + 1].first - place.first;
        RAYSCOPE_ROLLED for (int k = 0; k < count; ++k) {
            if (tree.visit(place.root + k, visitHere, [](int) { return false; })) return true;
        }
        at = {testedRay<V, Test>(ray)};
        return false;
    };
    RAYSCOPE_ROLLED for (int k = 0; k < outside; ++k) {
        if (tree.visit(k, visitHere, visitPlace)) return true;
    }
    return false;
}

/// As walk(): calls visit(id, shape, ray) with the ray as a RayInPlace.
template <TriangleTest Test, class Real, Variant V, class Visit>
RAYSCOPE_FN bool walkPlaces(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                            const Real& limit, Visit visit) {
    const auto tree = meshTree<Test>(scene);
    const MeshView<Real> mesh = meshOf(scene);
    const auto* const places = mesh.template at<PlaceRecord<Real>>(mesh.header->places);
    const BvhHeader header = tree.head();
    if constexpr (V.accel == Accel::brute)
        return visitAllPlaces<V, Test>(tree, places, ray, header.outside, visit);
    RayInPlace<Real> at{testedRay<V, Test>(ray)};
    const auto visitHere = [&](const auto& id, const auto& shape)
                               RAYSCOPE_INLINED { return visit(id, shape, at); };
    for (int k = 0; k < header.outside; ++k) {
        if (tree.visit(k, visitHere, [](int) { return false; })) return true;  // spheres
    }
    SlabRay<float> slab = slabRay(ray.origin, ray.direction, header);
    return traverse<walkStyle(V), kPlacesStack>(
        limit,
        [&](int reference, auto& stack) RAYSCOPE_INLINED {
            return nearerChild(tree.node(reference), slab, static_cast<float>(limit), stack);
        },
        [&](int leaf, auto& stack) RAYSCOPE_INLINED {
            if (leaf == kWayOut) {
                at = {testedRay<V, Test>(ray)};
                slab = slabRay(ray.origin, ray.direction, header);
                return false;
            }
            const auto goIn = [&](int number) RAYSCOPE_INLINED {
                const PlaceRecord<Real> place = places[number];
                at = rayIn<V, Test>(place, ray);
                slab = slabRayIn(place, at.tested.ray);
                stack.push(kWayOut, kAtOnce);
                stack.push(place.root, kAtOnce);
                return false;
            };
            const int first = leafFirst(leaf);
            const int end = first + leafCount(leaf);
            RAYSCOPE_ROLLED for (int k = first; k < end; ++k) {
                if (tree.visit(k, visitHere, goIn)) return true;
            }
            return false;
        });
}

template <TriangleTest Test, class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestPlaced(SceneView<Real, V> scene, Ray<Real> ray) {
    const Real tMin = scene.params.tMin;
    Hit<Real> hit{scene.params.tMax, kNoShape};
    walkPlaces<Test>(
        scene, ray, hit.distance,
        [&](const auto& id, const auto& shape, const RayInPlace<Real>& at) RAYSCOPE_INLINED {
            const Real t = distanceTo<Test>(scene, shape, id, at.tested);
            const ShapeId number = id + at.shift;
            const bool nearer = t < hit.distance || (t == hit.distance && number < hit.shape);
            if (t > tMin && nearer && !goesThroughHole(scene, number, ray, t)) hit = {t, number};
            return false;
        });
    return hit;
}

template <TriangleTest Test, class Real, Variant V>
RAYSCOPE_FN bool anyPlaced(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                              ShapeId except) {
    const Real tMin = scene.params.tMin;
    return walkPlaces<Test>(scene, ray, distance,
                            [&](const auto& id, const auto& shape, const RayInPlace<Real>& at)
                                RAYSCOPE_INLINED {
                                    const Real t = distanceTo<Test>(scene, shape, id, at.tested);
                                    const ShapeId number = id + at.shift;
                                    return t > tMin && t < distance && number != except &&
                                           !goesThroughHole(scene, number, ray, t);
                                });
}

}  // namespace rayscope
