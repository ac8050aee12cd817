#pragma once

#include <vector>

#include "renderer/core/force_variant.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// Bodies as kernels read them (GravityParams), in host memory.
template <class Real>
struct PackedBodies {
    using Numbers = std::vector<Real, AlignedAllocator<Real>>;
    int count = 0, capacity = 0;
    Numbers bodies, velocities;  ///< four numbers a body
};

/// A multiple of kBodyPadding.
int bodyCapacity(int count);

/// Bodies that are too many for `count` are kFarAway.
template <class Real>
PackedBodies<Real> packBodies(const Bodies& bodies, BodyLayout layout);

template <class Real>
Bodies unpackBodies(const PackedBodies<Real>& packed, BodyLayout layout);

}  // namespace rayscope
