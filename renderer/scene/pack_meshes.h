#pragma once

#include "renderer/core/mesh.h"
#include "renderer/scene/bvh.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// A material as kernels read it.
template <class Real>
MaterialRecord<Real> materialRecord(const Material& material, double inverseRadius);

/// Children of a node that lie side by side in scenes with triangles (core/mesh_wide.h); 0: they do
/// not.
constexpr int lanesOf(Accel accel) {
    return accel == Accel::bvh4 ? 4 : accel == Accel::bvh8 ? 8 : 0;
}

inline ListForm formOf(const TrianglePacking& packing) {
    return listForm(packing.test, packing.layout, packing.precision);
}

/// Appends what MeshView (core/mesh.h) reads, to a packed scene of spheres. `bvh`: over all shapes;
/// nullptr: every ray tests all of them, or a GPU builds it. `lanes`: lanesOf(). `halves`: of the
/// corners, with VertexPrecision::half. Returns the bytes of the hierarchy's nodes and of the list.
template <class Real>
std::size_t appendMeshes(PackedScene& packed, const Scene& scene, const Bvh* bvh, int lanes,
                         const TrianglePacking& packing, const HalfFrame& halves);

/// Lets another library, which outlives it, search a scene with triangles packed in single
/// precision.
void setPeer(PackedScene& packed, const Scene& scene, SceneLayout layout, const PeerSearch& peer);

/// Upper bound on the bytes of appendMeshes().
std::size_t meshBytes(const Scene& scene, const Variant& variant, Hierarchy hierarchy);

}  // namespace rayscope
