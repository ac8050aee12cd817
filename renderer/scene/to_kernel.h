#pragma once

#include <glm/vec3.hpp>

#include "renderer/core/types.h"

namespace rayscope {

/// The host uses glm's vectors of doubles; kernels, which NVRTC compiles without host headers, have
/// their own. This is the only conversion.
template <class Real>
Vec3<Real> toKernel(const glm::dvec3& v) {
    return {static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z)};
}

}  // namespace rayscope
