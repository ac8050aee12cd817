// A simulation's forces and steps, for bodies begin ... end - 1. Sums are made in any order
// (-ffast-math), so that the compiler can make them in the lanes of vectors.

#include <utility>

#include "renderer/core/gravity.h"
#include "renderer/core/real.h"
#ifdef __AVX2__
#include "renderer/cpu/kernels/pack.h"
#endif

namespace rayscope {

/// Of a variant's precision.
template <ForceVariant V>
using ForceReal = typename RealOf<V.precision>::Type;

template <class Real>
void storeAcceleration(const GravityParams<Real>& p, int i, Vec3<Real> a) {
    p.accelerations[i] = a.x;
    p.accelerations[p.capacity + i] = a.y;
    p.accelerations[2 * p.capacity + i] = a.z;
}

template <ForceVariant V, class Real>
void accelerateOne(const GravityParams<Real>& p, int i) {
    const Body<Real> own = loadBody<V.layout>(p.bodies, p.capacity, i);
    Vec3<Real> a{0, 0, 0};
    for (int j = 0; j < p.count; ++j)
        attract<V>(a, own, loadBody<V.layout>(p.bodies, p.capacity, j), p.softening2);
    storeAcceleration(p, i, a);
}

template <ForceVariant V, class Real>
void accelerateRange(const GravityParams<Real>& p, int begin, int end) {
    for (int i = begin; i < end; ++i) accelerateOne<V>(p, i);
}

#ifdef __AVX2__
/// A body in each lane.
template <BodyLayout L>
Body<Floats> loadLanes(const GravityParams<float>& p, int first) {
    alignas(64) float x[kWidth], y[kWidth], z[kWidth];
    for (int lane = 0; lane < kWidth; ++lane) {
        const Body<float> body = loadBody<L>(p.bodies, p.capacity, first + lane);
        x[lane] = body.x;
        y[lane] = body.y;
        z[lane] = body.z;
    }
    return {load(x), load(y), load(z), 0.f};
}

/// Several vectors of bodies share what is loaded of each other body.
template <ForceVariant V, int... K>
void accelerateLanes(const GravityParams<float>& p, int first, std::integer_sequence<int, K...>) {
    const Body<Floats> own[] = {loadLanes<V.layout>(p, first + K * kWidth)...};
    Vec3<Floats> a[] = {((void)K, Vec3<Floats>{0.f, 0.f, 0.f})...};
    const Floats softening2 = p.softening2;
    for (int j = 0; j < p.count; ++j) {
        const Body<float> body = loadBody<V.layout>(p.bodies, p.capacity, j);
        const Body<Floats> other{body.x, body.y, body.z, body.mass};
        (attract<V>(a[K], own[K], other, softening2), ...);
    }
    const auto keep = [&](int i, const Vec3<Floats>& sum) {
        store(p.accelerations + i, sum.x);
        store(p.accelerations + p.capacity + i, sum.y);
        store(p.accelerations + 2 * p.capacity + i, sum.z);
    };
    (keep(first + K * kWidth, a[K]), ...);
}

/// What is left of the range is done one by one.
template <ForceVariant V>
requires(V.forces == Forces::registers) void accelerateRange(const GravityParams<float>& p,
                                                             int begin, int end) {
    constexpr int kVectors = bodiesOfThread(V), kBodies = kVectors * kWidth;
    int i = begin;
    for (; i + kBodies <= end; i += kBodies)
        accelerateLanes<V>(p, i, std::make_integer_sequence<int, kVectors>());
    for (; i < end; ++i) accelerateOne<V>(p, i);
}
#endif

/// Accelerations of bodies begin ... end - 1.
template <ForceVariant V>
void accelerate(const GravityParams<ForceReal<V>>& p, int begin, int end) {
    accelerateRange<V>(p, begin, end);
}

template <ForceVariant V>
void move(const GravityParams<ForceReal<V>>& p, int begin, int end) {
    for (int i = begin; i < end; ++i) moveBody<V.layout>(p, i);
}

template <ForceVariant V>
void potential(const GravityParams<ForceReal<V>>& p, int begin, int end) {
    for (int i = begin; i < end; ++i) p.potentials[i] = potentialAt<V.layout>(p, i, 0, p.count);
}

}  // namespace rayscope
