#pragma once

// What makes a different kernel. This header is compiled by g++, clang and NVRTC alike, so it
// includes nothing. A Variant is a template argument: `template <Variant V>`, decided with
// `if constexpr`.

namespace rayscope {

/// How a path is followed: calls itself, keeps a stack of vertices, or carries its throughput.
enum class Path { recursive, stack, loop };

enum class Precision { float64, float32 };

/// How the spheres and materials lie in memory: array of structs or struct of arrays.
enum class SceneLayout { aos, soa };

enum class SceneMemory { global, constant };

/// precise: IEEE divisions and roots, library functions. intrinsics: the fast device functions are
/// called by name. fast: intrinsics, and the kernel is compiled with --use_fast_math.
enum class Math { precise, intrinsics, fast };

/// Which pixels a warp covers: consecutive ones of a row, or an 8x4 tile.
enum class Order { rows, tiles };

/// What a scene contains. Kernels are compiled for what is there; bits, joined in Traits::features.
enum Feature : unsigned {
    kLambert = 1u << 0,
    kMetal = 1u << 1,
    kDielectric = 1u << 2,  ///< Schlick, one branch drawn with the probability of reflection
    kGlass = 1u << 3,       ///< smallpt's glass: branch drawn with P = .25 + .5 Re and weighted
    kGlossy = 1u << 4,      ///< the business card's spheres: highlight and half a mirror
    kFloor = 1u << 5,       ///< the business card's checkered plane z = 0
    kGradientSky = 1u << 6,
    kPowerSky = 1u << 7,  ///< colour (1 - d.z)^4
    kRoulette = 1u << 8,
    /// Some sphere is so large that o - c loses the scene in single precision; all spheres are
    /// then kept as a point on the surface, the normal there and the curvature (intersect.h).
    kWalls = 1u << 9,
    /// Some sphere is large enough for rounding to matter to rays that leave it: they are told not
    /// to meet it again where they start.
    kLarge = 1u << 10,
    kBlack = 1u << 11,  ///< some material reflects nothing, and paths end there
    kAllFeatures = (1u << 12) - 1,
};

/// What the kernel may know of the scene at compile time. Not chosen: derived from the scene.
struct Traits {
    unsigned features = kAllFeatures & ~kWalls;
    int sphereCount = 0;  ///< 0: known at run time only
    bool operator==(const Traits&) const = default;
};

/// The largest path length, in rays, and so the deepest stack of the stack variant.
inline constexpr int kMaxDepth = 64;

struct Variant {
    Path path = Path::loop;
    Precision precision = Precision::float32;
    SceneLayout sceneLayout = SceneLayout::soa;
    SceneMemory sceneMemory = SceneMemory::constant;
    Math math = Math::fast;
    bool lightSampling = false;
    int blockX = 32;
    int blockY = 4;
    int maxRegisters = 0;  ///< a thread; 0: as many as the compiler likes
    Order order = Order::tiles;
    int stackLevels = kMaxDepth;  ///< derived from the depth; read by Path::stack only
    bool countDepths = false;     ///< count rays for each depth too; for proofs, never timed
    Traits traits;
    bool operator==(const Variant&) const = default;
};

}  // namespace rayscope
