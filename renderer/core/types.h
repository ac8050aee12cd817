#pragma once

// The plain types that the host passes to kernels.

#include "renderer/core/variant.h"

namespace rayscope {

template <class Real>
struct Vec3 {
    Real x, y, z;
    bool operator==(const Vec3&) const = default;
};

enum class MaterialKind : int { lambert, metal, dielectric, glass, glossy, checker };
/// What a ray has hit, for statistics. glass: also MaterialKind::dielectric; emissive: any material
/// that emits.
enum class HitKind : int { sky, emissive, lambert, metal, glass, glossy, floor };
inline constexpr int kHitKinds = 7;
enum class SkyKind : int { gradient, power, picture };
/// What a texture shows beyond its edges.
enum class Wrap : int { repeat, clamp, mirror };

/// Most emissive spheres for which light sampling is offered; each costs one shadow ray per hit.
inline constexpr int kMaxLights = 16;

/// SoA arrays are padded to a multiple of this with spheres that nothing hits.
inline constexpr int kPadding = 16;

/// Spheres that fit into constant memory with their materials, in double precision.
inline constexpr int kMaxConstantSpheres = 496;
inline constexpr int kConstantBytes = 64 * 1024 - 1024;

/// Most spheres that are baked into the code, at about 150 bytes each.
inline constexpr int kMaxBakedSpheres = 128;

/// From this radius on, a hit is accurate only to 1e-5 of the scene's size, and rays that leave
/// along a tangent would hit their own sphere again (kLarge).
inline constexpr double kLargeRadius = 500;

/// Most spheres with a key (keys.h). Seven bits for the number leave distances that are exact to
/// 2^-16.
inline constexpr int kMaxKeySpheres = 128;

/// Where paths are, seen from a sphere.
enum class PathSide : int { both, outside, inside };

/// Most spheres of which some camera rays may start on another side than the rest of all paths.
inline constexpr int kMaxDoubtful = 4;

template <class Real>
struct LightSphere {
    Vec3<Real> center;
    Real radius;
    Vec3<Real> emission;
    int id;
};

template <class Real>
struct SceneParams {
    int sphereCount;
    int paddedCount;
    Real tMin, tMax;
    int floor;  ///< 1: there is the plane z = 0
    SkyKind sky;
    Vec3<Real> skyMiddle, skyHalf;  ///< gradient: of bottom and top, and the way to the top
    Vec3<Real> skyTop;              ///< power
    Vec3<Real> cardLightCorner;
    Real cardLightSize;
    int rouletteDepth;
    int lightCount;
    LightSphere<Real> lights[kMaxLights];
    /// Roots::known: spheres of which camera rays may start on another side than all paths; more
    /// than kMaxDoubtful: too many to list. The complement of the number: all paths are inside.
    int doubtfulCount;
    int doubtful[kMaxDoubtful];
    unsigned keyMask;           ///< the bits of a key (keys.h) that are the distance
    unsigned long long texels;  ///< NodeMemory::texture: a part of the packed scene as a texture,
    unsigned firstTexel;        ///< which begins there, in units of 16 bytes
};

/// The point of the image at (x, y) in pixels, from its upper left corner, is seen through the
/// point corner + x right + y down, relative to the origin, in the plane in focus.
template <class Real>
struct CameraParams {
    Vec3<Real> origin, corner, right, down;
    Vec3<Real> lensRight, lensUp;  ///< lens radius times the unit vectors
    Real start;                    ///< fraction of the target vector at which rays start
    int lens;                      ///< 0: none, 1: disk, 2: square
    int tent;                      ///< pixel filter: smallpt's tents over 2x2 sub-pixels
    Real aimRadius;                ///< Aim::radius of camera rays: -1 with a lens
};

/// One pixel of the film: sum of radiance and number of samples.
struct alignas(16) Pixel {
    float r, g, b, samples;
};

/// Light, or a sum of it, in fixed point (fixed_film.h).
using Fixed = unsigned long long;

/// One launch: samples [firstSample, firstSample + samples) of the pixels of a rectangle.
template <class Real>
struct LaunchParams {
    Pixel* film;
    int width, height;
    int x0, y0, x1, y1;
    int firstSample, samples;
    int maxDepth;
    unsigned seed;
    const unsigned char*
        scene;  ///< packScene's bytes; not read where the scene is in constant memory
    unsigned long long* counters;  ///< camera, closest, shadow, one per depth, tickets
    CameraParams<Real> camera;
    SceneParams<Real> params;
    unsigned char* lengths;  ///< of each pixel's samples, in rays; Variant::recordLengths
    unsigned long long* hits;  ///< of each depth, kHitKinds numbers; Variant::recordLengths
    union {
        unsigned* ticks;  ///< of each pixel; Variant::recordTime
        Fixed* sums;      ///< of all pixels' red, then green, then blue; FilmSums::fixed
    };
};

/// Index of the counter of pieces that warps have taken (SamplesFrom::queue).
inline constexpr int kTickets = 3 + kMaxDepth;
inline constexpr int kCounters = kTickets + 1;

}  // namespace rayscope
