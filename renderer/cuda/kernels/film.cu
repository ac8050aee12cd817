#include "renderer/core/film_sum.h"

namespace rayscope {

/// Adds pixel by pixel; a thread for each. `rest`: what rounding keeps out of the film; nullptr: it is
/// lost. `empties`: leaves zeros in `more`.
__global__ void addFilm(Pixel* film, Pixel* rest, Pixel* more, int pixels, bool empties) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= pixels) return;
    const float4 m = reinterpret_cast<const float4*>(more)[i];
    if (m.w == 0 && m.x == 0 && m.y == 0 && m.z == 0) return;
    const float4 f = reinterpret_cast<const float4*>(film)[i];
    float4 r = {0, 0, 0, 0};
    if (rest != nullptr) r = reinterpret_cast<const float4*>(rest)[i];
    Pixel sum{f.x, f.y, f.z, f.w}, low{r.x, r.y, r.z, r.w};
    addPixelWithRest(sum, low, {m.x, m.y, m.z, m.w});
    reinterpret_cast<float4*>(film)[i] = {sum.r, sum.g, sum.b, sum.samples};
    if (rest != nullptr) reinterpret_cast<float4*>(rest)[i] = {low.r, low.g, low.b, low.samples};
    if (empties) reinterpret_cast<float4*>(more)[i] = {0, 0, 0, 0};
}

}  // namespace rayscope
