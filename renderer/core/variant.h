#pragma once

// Every choice that makes a different kernel. This header is compiled by g++, clang and NVRTC
// alike, so it includes nothing. A Variant is a template argument, `template <Variant V>`, which
// code reads with `if constexpr`.

namespace rayscope {

/// How paths are scheduled. megakernel: one thread follows a path to its end. regeneration: the
/// same, but a thread whose path ends starts the next sample at once. wavefront: one kernel per
/// stage, with the paths in memory between stages. hybrid: the CPU makes and scatters rays, the GPU
/// finds their hits.
enum class Engine { megakernel, regeneration, wavefront, hybrid, packets };

/// How Engine::megakernel follows a path: by recursive calls, with a stack of vertices, or in a
/// loop that carries the throughput.
enum class Path { recursive, stack, loop };

/// When a thread of Engine::regeneration stops. quota: after its fixed number of samples. budget:
/// after samples x depth rays, as published; the light of the path left unfinished is kept but not
/// counted as a sample, so the picture is too bright.
enum class Regeneration { quota, budget };

/// Which samples a lane of Engine::regeneration takes when its path has ended. pixel: those of its
/// own pixel. warp: the next of the warp's 32 pixels, so that no lane waits while others have
/// samples left. queue: the same, and a warp that has none left takes another piece, of 32 pixels
/// and a few samples, from a queue of the launch.
enum class SamplesFrom { pixel, warp, queue };

/// How rays of Engine::regeneration come about. branch: camera rays and scattered rays each have
/// code of their own. merged: both leave by one formula, axis + radius * a random point (Aim,
/// shade.h).
enum class Begin { branch, merged };

enum class Precision { float64, float32 };

/// How the spheres and materials lie in memory: array of structs or struct of arrays.
enum class SceneLayout { aos, soa };

/// shared: spheres are tiled through shared memory. baked: they are constants in the kernel's code.
enum class SceneMemory { global, constant, shared, baked };

/// How the closest sphere is found: by testing all, by walking a bounding volume hierarchy, from
/// cell to cell of a uniform grid, by a hierarchy of four children to a node, by the library Embree
/// (on the CPU), or by a hierarchy of eight (these two in scenes of triangles).
enum class Accel { brute, bvh, grid, bvh4, embree, bvh8 };

/// How the lanes of a warp take turns in a hierarchy (Aila and Laine 2009, "Understanding the
/// Efficiency of Ray Traversal on GPUs"). ifIf: in each turn at a node or at a leaf. whileWhile: at
/// nodes until each has a leaf. speculative: a lane that has one goes on until all have.
enum class Traversal { ifIf, whileWhile, speculative };

/// Where a thread notes which subtrees its ray has still to visit. local: all in local memory.
/// registers: the two uppermost in registers. shared: the lowest in shared memory. none: nowhere; a
/// bit for each level tells which child comes next, and a walk goes there from the root on (Laine
/// 2010, "Restart Trail for Stackless BVH Traversal").
enum class StackIn { local, registers, shared, none };

/// How a ray reads the nodes of a hierarchy. global: from global memory. texture: through the
/// texture units, as a buffer of 16-byte texels. shared: the uppermost from shared memory, where
/// each block has copied them, and the others from global memory.
enum class NodeMemory { global, texture, shared };

/// How a ray is tested against a triangle. watertight: in a basis of the ray, where neighbours
/// agree on which side of their edge it passes. moller_trumbore: by Cramer's rule, from the
/// corners. woop: by a matrix, made beforehand, that maps the triangle on the unit triangle.
enum class TriangleTest { watertight, mollerTrumbore, woop };

/// Where a ray reads the corners of a triangle. unrolled: beside each other. indexed: by their
/// numbers, where neighbours share them. soa: from an array for each component.
enum class VertexLayout { unrolled, indexed, soa };

/// The precision of corners with VertexLayout::unrolled (half.h). Whatever is made of the scene,
/// its corners are rounded first.
enum class VertexPrecision { single, half };

/// How the nearest of the spheres is kept while all are tried. branch: a distance and a sphere,
/// which a nearer hit replaces. keys: one integer, the distance with the sphere in its lowest bits,
/// whose minimum needs no branch. boxed: keys, but a warp whose rays all miss the box
/// around some neighbouring spheres tests none of these.
enum class Search { branch, keys, boxed };

/// Which of a sphere's two crossings are looked at. known: only one where all paths are on the same
/// side of the sphere (kBakedSides, baked_scene.h).
enum class Roots { both, known };

/// precise: IEEE divisions and roots, library functions. intrinsics: the fast device functions are
/// called by name. fast: intrinsics, and the kernel is compiled with --use_fast_math.
enum class Math { precise, intrinsics, fast };

/// How points in balls and disks are drawn: in a loop until one lies inside, or by a formula.
enum class Sampling { rejection, closedForm };

/// How a warp shades hits on different materials: a branch for each, or one formula for all.
enum class Dispatch { branch, single };

/// Which random state is used: one per path, one per row of pixels, or one shared by all.
enum class Random { perPath, perRow, shared };

/// How a path's random numbers follow each other: PCG permutes the state of its linear congruential
/// generator, lcg takes that state's upper bits as they are.
enum class Numbers { pcg, lcg };

/// Whether a thread takes all samples of its pixel in turn, or each sample has its own thread.
enum class SamplesAs { loop, threads };

/// How the light is summed that many threads give to a pixel. atomic: as floats, in the order in
/// which it comes, on which the last bits depend. fixed: as integers (fixed_film.h), whose sum is
/// the same in any order; a kernel of its own adds it to the film.
enum class FilmSums { atomic, fixed };

/// Which pixels a warp covers: consecutive ones of a row, of a column, or an 8x4 tile.
enum class Order { rows, columns, tiles };

/// How the rays and hits of Engine::wavefront lie in memory between the stages.
enum class StateLayout { aos, soa };

/// How radiance and throughput lie: a struct of both, two arrays of float3, or six of floats.
enum class SampleLayout { aos, float3, split };

/// wide: ray 28 bytes, hit 32 (with position and normal). compact: ray 24, hit 8 (distance and
/// sphere). In double precision twice that.
enum class Record { wide, compact };

/// How a stage accesses the path state: by references into global memory, copied into locals, or
/// with the material copied too.
enum class Access { reference, copyState, copyAll };

/// Which stages are fused: none, or hit and scatter, for camera rays only or for all rays.
enum class Stages { separate, fusedPrimary, fused };

/// Who keeps the list of live paths: nobody, the CPU, or a queue on the device.
enum class Compaction { off, host, device };

/// Where camera rays are made: by the CPU, by a kernel, or in the first kernel that traces them.
enum class RaySource { host, kernel, fused };

/// Where samples are summed. For the host, whole samples or only their colour (one array or three)
/// are copied back after every launch.
enum class Accumulate { hostSamples, hostColour, hostSplit, device };

/// By what the live paths of Engine::wavefront are sorted before their rays are traced: by the cell
/// where a ray begins, then the octant in which it goes; or by the octant first (sort_keys.h).
enum class RayOrder { none, origin, octant };

/// Whether hits are sorted by the kind of their materials before these scatter.
enum class MaterialOrder { none, sorted };

/// What is loaded: machine code, or PTX that the driver translates.
enum class Code { machine, ptx };

/// Which compiler makes a CPU's kernels.
enum class HostCompiler { gcc, clang };

/// Optimisation level of a CPU's kernels. native: -O2 without vector copies of records, or -O3 for
/// packets, with this processor's own instructions.
enum class Opt { O0, O1, O2, O3, native };

/// The widest vectors that a CPU's compiler makes of loops, with Opt::native; and how many spheres
/// are tested side by side. widest: as wide as the processor's registers.
enum class Vectors { widest, scalar, bits128, bits256, bits512 };

/// Engine::packets: lanes of a packet. widest: as many as the processor's registers have.
enum class PacketLanes { widest, eight, sixteen };

/// Engine::packets: what a free lane takes. rays: a camera ray. hits: what a camera ray has hit;
/// they are traced first, a packet at a time.
enum class LanesTake { rays, hits };

/// Engine::packets: how all spheres are tested. each: one after the other to the end. listed: first
/// without a branch which of them any ray may hit, then these. rows: the same, and consecutive
/// spheres with equal y and z share the terms of these.
enum class Scan { each, listed, rows };

/// What a scene contains, as bits of Traits::features. Kernels are compiled for these alone.
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
    /// then stored as a point on the surface, the normal there and the curvature (shapes.h).
    kWalls = 1u << 9,
    /// Some sphere is so large that rays which leave it could hit it again at their origin, due to
    /// rounding; cross() (shapes.h) excludes that.
    kLarge = 1u << 10,
    kBlack = 1u << 11,       ///< some material reflects nothing, so paths end there
    kTent = 1u << 12,        ///< the pixel filter: smallpt's tents over 2x2 sub-pixels
    kSquareLens = 1u << 13,  ///< the business card's camera
    kRough = 1u << 14,       ///< some metal is rough
    kGlows = 1u << 15,       ///< some material emits and reflects
    kAllFeatures = (1u << 16) - 1,
    /// There are meshes, or a picture as the sky, which lies beside them (mesh.h); only some
    /// kernels can.
    kTriangles = 1u << 16,
    kTextures = 1u << 17,    ///< some triangles have textures (picture.h)
    kPictureSky = 1u << 18,  ///< the sky is a picture
    kPlaces = 1u << 19,      ///< meshes stand in several places (places.h)
    /// Pictures say how metallic, rough or bright some triangles are (with kTextures).
    kSurfaceTextures = 1u << 20,
    kHoles = 1u << 21,  ///< textures have holes, through which rays go (with kTextures)
    kPictures = kTextures | kPictureSky | kSurfaceTextures | kHoles,
    /// The kernel is for scenes that may lack some of its other features: it looks at run time
    /// whether there are textures, holes and lights.
    kAnyScene = 1u << 22,
};

/// What a kernel knows about the scene at compile time; derived from the scene, not chosen.
struct Traits {
    unsigned features = kAllFeatures & ~kWalls;
    int sphereCount = 0;  ///< 0: known at run time only
    unsigned baked = 0;   ///< SceneMemory::baked: which scene (scene/bake.h)
    bool operator==(const Traits&) const = default;
};

/// The largest path length, in rays, and so the deepest stack of the stack variant.
inline constexpr int kMaxDepth = 64;

/// A new member must also be listed in variant_members.h. canonical() (choices/axes.h) resets
/// members that have no effect with the other choices, so that they do not make a second, equal
/// kernel.
struct Variant {
    Engine engine = Engine::megakernel;
    Path path = Path::loop;
    Regeneration regeneration = Regeneration::quota;
    SamplesFrom samplesFrom = SamplesFrom::pixel;
    Begin begin = Begin::branch;
    Precision precision = Precision::float32;
    SceneLayout sceneLayout = SceneLayout::soa;
    SceneMemory sceneMemory = SceneMemory::constant;
    int tile = 128;  ///< spheres; SceneMemory::shared
    Accel accel = Accel::brute;
    Traversal traversal = Traversal::ifIf;
    StackIn stack = StackIn::local;
    NodeMemory nodeMemory = NodeMemory::global;
    TriangleTest triangle = TriangleTest::watertight;
    VertexLayout vertexLayout = VertexLayout::unrolled;
    VertexPrecision vertexPrecision = VertexPrecision::single;
    Search search = Search::branch;
    Roots roots = Roots::both;
    Math math = Math::fast;
    Sampling sampling = Sampling::closedForm;
    Dispatch dispatch = Dispatch::branch;
    Random random = Random::perPath;
    Numbers numbers = Numbers::pcg;
    SamplesAs samplesAs = SamplesAs::loop;
    FilmSums film = FilmSums::atomic;
    StateLayout stateLayout = StateLayout::soa;
    SampleLayout sampleLayout = SampleLayout::split;
    Record record = Record::compact;
    Access access = Access::copyAll;
    Stages stages = Stages::fused;
    Compaction compaction = Compaction::device;
    RaySource raySource = RaySource::fused;
    Accumulate accumulate = Accumulate::device;
    RayOrder rayOrder = RayOrder::none;
    MaterialOrder materialOrder = MaterialOrder::none;
    Code code = Code::machine;
    HostCompiler compiler = HostCompiler::gcc;
    Opt opt = Opt::native;
    Vectors vectors = Vectors::widest;
    PacketLanes lanes = PacketLanes::widest;
    Scan scan = Scan::rows;
    LanesTake lanesTake = LanesTake::hits;
    bool laneRefill = true;  ///< a lane whose path ends starts the next sample at once
    bool lightSampling = false;
    bool lightQueue = true;  ///< hits that sample lights wait until every lane has one
    int blockX = 32;
    int blockY = 4;
    int maxRegisters = 0;  ///< a thread; 0: the compiler decides
    Order order = Order::tiles;
    int stackLevels = kMaxDepth;  ///< derived from the depth; read by Path::stack only
    /// Of a CPU's kernels, derived: the level of x86-64 (psABI), whose instructions they have; 1 is
    /// that of any processor.
    int isa = 1;
    /// Derived: children of a node whose boxes a CPU tests at once in scenes with triangles
    /// (mesh_wide.h). 0: nodes are binary or, on a GPU, compressed.
    int wide = 0;
    /// Off only to measure what counting costs: rays are not reported, so the compiler removes the
    /// counters that nothing else reads. path=recursive counts anyway.
    bool countRays = true;
    bool countDepths = false;  ///< also count rays by depth; for checks of equal work, never timed
    bool recordLengths = false;  ///< store the length of each path and count hits; never timed
    bool recordTime = false;     ///< store the time of each pixel; never timed
    Traits traits;
    bool operator==(const Variant&) const = default;
};

}  // namespace rayscope
