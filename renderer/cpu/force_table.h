#pragma once

#include "renderer/core/force_variant.h"

// A simulation's kernels, compiled ahead of time. forces.cpp is built once for each optimisation
// level and instruction set, as kernels.cpp is (kernel_table.h).

namespace rayscope {

/// Works on bodies begin ... end - 1.
template <class Real>
using ForceKernel = void (*)(const GravityParams<Real>&, int begin, int end);

/// accelerate by Forces (0: untiled, 1: registers) and BodyLayout, the others by BodyLayout.
template <class Real>
struct ForceKernels {
    ForceKernel<Real> accelerate[2][2];
    ForceKernel<Real> move[2];
    ForceKernel<Real> potential[2];
};

}  // namespace rayscope
