#pragma once

#include "renderer/core/shapes.h"

// Corners of triangles in half precision (VertexPrecision::half): relative to the middle of all
// corners of the scene, and scaled so that none is too large. scene/half_corners.h rounds the scene
// to them, in single precision, so that whatever is made of it agrees.

namespace rayscope {

/// A corner stored in half precision as h stands for the point h * scale + middle.
struct HalfFrame {
    Vec3<float> middle;
    float scale;  ///< a power of two
};

/// A shape of the list: two coordinates in a word, the first in the lower bits. Of a sphere only
/// its number is set. Three loads of 8 bytes.
struct alignas(8) HalfShape {
    unsigned xy[3];  ///< of each corner
    unsigned zz, z;  ///< of a and b, of c
    ShapeId id;
};
static_assert(sizeof(HalfShape) == 24);

/// Coordinates are scaled to this at most.
inline constexpr float kMostHalf = 32768;

/// The nearest number in half precision, ties to even; subnormal numbers become 0. |x| must not
/// exceed kMostHalf.
RAYSCOPE_FN unsigned toHalf(float x) {
    const unsigned bits = __builtin_bit_cast(unsigned, x), magnitude = bits & 0x7fffffffu;
    if (magnitude < 0x38800000u) return 0;
    const unsigned rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
    return (bits >> 16 & 0x8000u) | (rounded - 0x38000000u) >> 13;
}

RAYSCOPE_FN Vec3<float> fromHalves(unsigned x, unsigned y, unsigned z, const HalfFrame& frame) {
    return mulAdd(Vec3<float>{fromHalf(x), fromHalf(y), fromHalf(z)}, frame.scale, frame.middle);
}

RAYSCOPE_FN Vec3<unsigned> toHalves(const Vec3<float>& p, const HalfFrame& frame) {
    const Vec3<float> d = (p - frame.middle) * (1 / frame.scale);
    return {toHalf(d.x), toHalf(d.y), toHalf(d.z)};
}

/// Where a corner is after rounding.
RAYSCOPE_FN Vec3<float> rounded(const Vec3<float>& p, const HalfFrame& frame) {
    const Vec3<unsigned> h = toHalves(p, frame);
    return fromHalves(h.x, h.y, h.z, frame);
}

RAYSCOPE_FN HalfShape halfShape(const Vec3<float>& a, const Vec3<float>& b, const Vec3<float>& c,
                                ShapeId id, const HalfFrame& frame) {
    const Vec3<unsigned> p = toHalves(a, frame), q = toHalves(b, frame), r = toHalves(c, frame);
    return {{p.x | p.y << 16, q.x | q.y << 16, r.x | r.y << 16}, p.z | q.z << 16, r.z, id};
}

}  // namespace rayscope
