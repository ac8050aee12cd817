#pragma once

#include "renderer/core/shapes.h"
#include "renderer/core/triangle.h"

// Meshes that stand in several places (Feature::kPlaces): rays, points and normals in the space
// where their corners are.

namespace rayscope {

/// A place of a piece of a mesh, in the order of the numbers of its triangles.
template <class Real>
struct PlaceRecord {
    AffineRecord<Real> x, y, z;  ///< coordinates in its own space, of a point of the scene
    int first;                   ///< of its triangles' numbers in the scene
    int shift;                   ///< from a face's number to a triangle's in the scene
    int root;     ///< of its hierarchy; without one, the first of its entries in the list
    float reach;  ///< as in BvhHeader, of its hierarchy
};

template <class Real>
RAYSCOPE_FN Vec3<Real> pointIn(const PlaceRecord<Real>& place, const Vec3<Real>& p) {
    return {valueAt(place.x, p), valueAt(place.y, p), valueAt(place.z, p)};
}
/// Not of unit length, so that distances along it are those in the scene.
template <class Real>
RAYSCOPE_FN Vec3<Real> directionIn(const PlaceRecord<Real>& place, const Vec3<Real>& d) {
    return {dot(place.x.a, d), dot(place.y.a, d), dot(place.z.a, d)};
}
/// In the scene, not of unit length, of a normal in the place's own space.
template <class Real>
RAYSCOPE_FN Vec3<Real> normalFrom(const PlaceRecord<Real>& place, const Vec3<Real>& n) {
    return mulAdd(place.x.a, n.x, mulAdd(place.y.a, n.y, place.z.a * n.z));
}

}  // namespace rayscope
