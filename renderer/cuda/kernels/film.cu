#include "renderer/core/types.h"

namespace rayscope {

/// Adds pixel by pixel; a thread for each.
__global__ void addFilm(Pixel* film, const Pixel* more, int pixels) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= pixels) return;
    const float4 a = reinterpret_cast<const float4*>(film)[i];
    const float4 b = reinterpret_cast<const float4*>(more)[i];
    reinterpret_cast<float4*>(film)[i] = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

}  // namespace rayscope
