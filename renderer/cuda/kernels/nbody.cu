#include "renderer/core/gravity.h"
#include "renderer/core/scene_view.h"
#include "renderer/cuda/kernels/kernel.h"

// A simulation's kernels, compiled at run time by NVRTC for one ForceVariant.

namespace rayscope {

template <ForceVariant V>
using RealOfForces = typename RealOf<V.precision>::Type;

/// The thread's bodies, and what they have been attracted with so far.
template <ForceVariant V, class Real>
struct Pulled {
    static constexpr int kBodies = bodiesOfThread(V);
    Body<Real> own[kBodies];
    Vec3<Real> a[kBodies];

    __device__ __forceinline__ void load(const GravityParams<Real>& p, int first) {
        for (int k = 0; k < kBodies; ++k) {
            own[k] = loadBody<V.layout>(p.bodies, p.capacity, first + k * V.tile);
            a[k] = {0, 0, 0};
        }
    }
    __device__ __forceinline__ void add(const Body<Real>& other, Real softening2) {
#pragma unroll
        for (int k = 0; k < kBodies; ++k) attract<V>(a[k], own[k], other, softening2);
    }
    __device__ __forceinline__ void store(const GravityParams<Real>& p, int first) const {
        Real* const x = p.accelerations + 3 * p.capacity * blockIdx.y;
        for (int k = 0; k < kBodies; ++k) {
            const int i = first + k * V.tile;
            x[i] = a[k].x;
            x[p.capacity + i] = a[k].y;
            x[2 * p.capacity + i] = a[k].z;
        }
    }
};

/// Adds what the slice's bodies attract with, a tile after the other.
template <ForceVariant V, class Real>
__device__ __forceinline__ void addTiles(Pulled<V, Real>& pulled, const GravityParams<Real>& p) {
    __shared__ Body<Real> tile[V.tile];
    const int tiles = (p.count + V.tile - 1) / V.tile;
    const int last = tiles * (blockIdx.y + 1) / gridDim.y;
    for (int t = tiles * blockIdx.y / gridDim.y; t < last; ++t) {
        __syncthreads();
        tile[threadIdx.x] = loadBody<V.layout>(p.bodies, p.capacity, t * V.tile + threadIdx.x);
        __syncthreads();
        // a root in double precision is long, and would need the registers of what is beside it
        constexpr int kUnrolled = (sizeof(Real) == 4 ? 32 : 8) / bodiesOfThread(V);
#pragma unroll kUnrolled
        for (int j = 0; j < V.tile; ++j) pulled.add(tile[j], p.softening2);
    }
}

/// A thread for bodiesOfThread() bodies; blockIdx.y is the slice.
template <ForceVariant V>
__global__ void __launch_bounds__(V.tile)
    accelerate(const __grid_constant__ GravityParams<RealOfForces<V>> p) {
    const int first = p.first + blockIdx.x * V.tile * bodiesOfThread(V) + threadIdx.x;
    Pulled<V, RealOfForces<V>> pulled;
    pulled.load(p, first);
    if constexpr (V.forces == Forces::untiled) {
        for (int j = 0; j < p.count; ++j)
            pulled.add(loadBody<V.layout>(p.bodies, p.capacity, j), p.softening2);
    } else {
        addTiles(pulled, p);
    }
    pulled.store(p, first);
}

/// A thread a body.
template <ForceVariant V>
__global__ void move(const __grid_constant__ GravityParams<RealOfForces<V>> p) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.count) moveBody<V.layout>(p, i);
}

/// A thread a body.
template <ForceVariant V>
__global__ void potential(const __grid_constant__ GravityParams<RealOfForces<V>> p) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const double before = p.from == 0 ? 0 : p.potentials[i];
    p.potentials[i] = before + potentialAt<V.layout>(p, i, p.from, p.until);
}

/// Whether a body is further away than `most` in any coordinate, or its position is no number. A
/// thread a body.
template <ForceVariant V>
__global__ void lose(const __grid_constant__ GravityParams<RealOfForces<V>> p, int* lost,
                     RealOfForces<V> most) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const auto body = loadBody<V.layout>(p.bodies, p.capacity, i);
    const bool near = fabs(body.x) <= most && fabs(body.y) <= most && fabs(body.z) <= most;
    if (!near) *lost = 1;
}

/// The sphere of a body, with a power that is exact before it is rounded (CenterSphere).
template <class Real>
__device__ __forceinline__ CenterSphere<Real> sphereOf(const Body<Real>& body, Real inverseRadius) {
    const double x = body.x, y = body.y, z = body.z, radius = 1 / double(inverseRadius);
    const double power = x * x + y * y + z * z - radius * radius;
    return {{body.x, body.y, body.z}, static_cast<Real>(power)};
}

/// Moves the spheres of the bodies to where these are. A thread a body.
template <ForceVariant V>
__global__ void place(const __grid_constant__ GravityParams<RealOfForces<V>> p,
                      const __grid_constant__ BodySpheres<RealOfForces<V>> to) {
    using Real = RealOfForces<V>;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const Body<Real> body = loadBody<V.layout>(p.bodies, p.capacity, i);
    if (to.layout == SceneLayout::aos) {
        auto* const spheres = reinterpret_cast<CenterSphere<Real>*>(to.scene);
        const auto* const materials =
            reinterpret_cast<const MaterialRecord<Real>*>(spheres + to.padded);
        spheres[i] = sphereOf(body, materials[i].inverseRadius);
        return;
    }
    Real* const field = to.scene + i;
    const int inverseRadius = geometryFields(false) + kInverseRadius;
    const CenterSphere<Real> sphere = sphereOf(body, field[inverseRadius * to.padded]);
    field[kX * to.padded] = sphere.center.x;
    field[kY * to.padded] = sphere.center.y;
    field[kZ * to.padded] = sphere.center.z;
    field[kScale * to.padded] = sphere.power;
}

}  // namespace rayscope
