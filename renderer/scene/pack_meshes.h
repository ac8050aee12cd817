#pragma once

#include "renderer/scene/bvh.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// A material as kernels read it.
template <class Real>
MaterialRecord<Real> materialRecord(const Material& material, double inverseRadius);

/// Appends what MeshView (core/mesh.h) reads, to a packed scene of spheres. `bvh`: over all shapes;
/// nullptr: every ray tests all of them.
template <class Real>
void appendMeshes(PackedScene& packed, const Scene& scene, const Bvh* bvh);

/// Upper bound on the bytes of appendMeshes().
std::size_t meshBytes(const Scene& scene, const Variant& variant);

}  // namespace rayscope
