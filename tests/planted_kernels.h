#pragma once

// Kernels that lose lanes in a known way, under the names of the real sources' files and functions,
// so that their parts are known, too.

#include <string>
#include <vector>

#include "renderer/cuda/compiler.h"

namespace rayscope {

/// branched(float*, int steps): every lane makes all steps of a "path", and one lane in four does
/// in each of them what others wait for, in scatterMetal.
/// uneven(float*, int steps): every other lane makes as many steps, and those between thrice as
/// many.
inline const std::vector<KernelSource>& plantedSources() {
    static const std::vector<KernelSource> sources{
        {"renderer/cuda/kernels/planted.cu", R"(#include "renderer/core/path.h"
namespace rayscope {
__global__ void branched(float* out, int steps) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = followLoop<true>(steps);
}
__global__ void uneven(float* out, int steps) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = followLoop<false>(threadIdx.x & 1 ? 3 * steps : steps);
}
}
)"},
        {"renderer/core/path.h", R"(#include "renderer/core/intersect.h"
#include "renderer/core/shade.h"
namespace rayscope {
template <bool Branches>
__device__ __forceinline__ float followLoop(int steps) {
    float x = threadIdx.x;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        x = closestHit(x);
        if (Branches && ((threadIdx.x + step) & 3) == 0) x = scatterMetal(x);
    }
    return x;
}
}
)"},
        {"renderer/core/intersect.h", R"(namespace rayscope {
__device__ __forceinline__ float closestHit(float x) {
#pragma unroll
    for (int i = 0; i < 8; ++i) x = x * 1.25f + .5f;
    return x;
}
}
)"},
        {"renderer/core/shade.h", R"(namespace rayscope {
__device__ __forceinline__ float scatterMetal(float x) {
#pragma unroll 1
    for (int i = 0; i < 20; ++i) x = sqrtf(x * 1.5f + 2.f);
    return x;
}
}
)"}};
    return sources;
}

inline Result<CompiledKernel> plantedKernels(int architecture) {
    KernelProgram program = programOf(Variant{}, architecture);
    program.source = plantedSources().front().name;
    program.kernels = {{Stage::whole, "rayscope::branched"}, {Stage::whole, "rayscope::uneven"}};
    return compileProgram(program, plantedSources());
}

inline std::vector<std::string> plantedNames() {
    std::vector<std::string> names;
    for (const KernelSource& source : plantedSources()) names.push_back(source.name);
    return names;
}

}  // namespace rayscope
