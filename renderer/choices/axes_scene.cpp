// The axes of the scene and of the paths in it.

#include <fmt/format.h>

#include <array>

#include "renderer/choices/axis_rows.h"
#include "renderer/core/footprint.h"
#include "renderer/scene/baked_boxes.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace {

/// Spheres per tile; the sizes of Codeplay's N-body simulation.
constexpr std::array kTiles{32, 64, 128, 256};

std::vector<AxisValue> tileValues() {
    std::vector<AxisValue> values;
    for (int tile : kTiles)
        values.push_back({std::to_string(tile), fmt::format("{} spheres", tile),
                          fmt::format("A block loads {} at a time: large tiles wait less often, "
                                      "small ones leave memory for more blocks.",
                                      tile)});
    return values;
}

constexpr char kNoGrid[] = "this scene has triangles, which are only in hierarchies";
constexpr char kOnHost[] =
    "this scene has triangles, which backend=cuda has in nodes of eight children rather than four";
constexpr char kDoNotMove[] = "this scene has triangles, which do not move";
constexpr char kNotMerged[] = "this scene has no triangles, of which alone clusters are merged";
constexpr char kNotCut[] = "this scene has no triangles, which alone are cut";
constexpr char kBuiltOnHost[] =
    "meshes of this scene stand in several places, over which only hierarchy=sah is built";
constexpr char kTakenTogether[] =
    "meshes of this scene stand in several places, into which a lane does not look while it waits "
    "with a leaf";
constexpr char kNeedsAStack[] =
    "meshes of this scene stand in several places, and which of them a ray is in is on the stack";
constexpr char kNotInTiles[] = "this scene has triangles, and only spheres are loaded as tiles";
constexpr char kNotBaked[] = "this scene has triangles, and only spheres are baked";
constexpr char kNoKey[] = "this scene has triangles, whose numbers do not fit into a key";

template <const char* Why>
std::string withoutTriangles(const Settings&, const Scene& scene) {
    return scene.meshes.empty() ? Why : std::string();
}

template <const char* Why>
std::string withPlaces(const Settings&, const Scene& scene) {
    return hasPlaces(scene) ? Why : std::string();
}

std::string binaryOnGpu(const Settings& s, const Scene& scene) {
    if (s.backend != Backend::cuda || !hasPlaces(scene)) return {};
    return "meshes of this scene stand in several places, which backend=cuda has in hierarchies of "
           "two children";
}

constexpr char kNotForEmbree[] = "this scene has no triangles, which is what Embree is here for";
constexpr char kNotEight[] =
    "this scene has no triangles, which alone are in nodes of eight children";

constexpr Belonging kTrianglesOnly{[](const Settings& s) { return s.triangles; },
                                   "a scene with triangles"};

/// What tests triangles in a way of its own.
std::string ownTest(const Settings& s) {
    if (s.backend != Backend::cpu) return {};
    if (s.variant.accel == Accel::embree) return "accel=embree has a test of its own";
    if (s.variant.accel == Accel::bvh4 || s.variant.accel == Accel::bvh8)
        return "with accel=bvh4 or bvh8 backend=cpu tests eight triangles at once, and only "
               "triangle=watertight is written for that";
    return {};
}

/// Where triangles lie in blocks of eight.
std::string ownBlocks(const Settings& s) {
    const Accel accel = s.variant.accel;
    const bool blocks = accel == Accel::bvh4 || accel == Accel::bvh8 || accel == Accel::embree;
    if (s.backend != Backend::cpu || !blocks) return {};
    return "with accel=bvh4, bvh8 or embree a CPU reads blocks of corners";
}

std::string ownCorners(const Settings& s) {
    return s.variant.accel == Accel::embree ? "accel=embree has corners of its own" : "";
}

std::string noLights(const Settings&, const Scene& scene) {
    const int count = lightCount(scene);
    // all triangles together need a shadow ray, and so does the sky
    const int others = hasLampOfTriangles(scene) + hasLampsInSky(scene);
    if (scene.floor) return "this scene's floor and spheres sample its light already";
    if (count + others == 0 && scene.sky.kind == SkyKind::picture)
        return "this scene has nothing emissive and no bright spot in its sky";
    if (count + others == 0)
        return scene.meshes.empty() ? "this scene has no emissive sphere"
                                    : "this scene has no emissive sphere or triangle";
    if (count + others <= kMaxLights) return {};
    return fmt::format("this scene has {} emissive spheres, at most {} are sampled", count,
                       kMaxLights - others);
}

std::string tooManyForConstants(const Settings& s, const Scene& scene) {
    const size_t bytes = isOfTriangles(scene) ? packedBytes(scene, s.variant, s.hierarchy) : 0;
    if (bytes > kConstantBytes && scene.meshes.empty())
        return fmt::format(
            "with the picture of its sky this scene may need {} bytes, and there "
            "are {}",
            bytes, kConstantBytes);
    if (bytes > kConstantBytes)
        return fmt::format("{} triangles may need {} bytes, and there are {}", triangleCount(scene),
                           bytes, kConstantBytes);
    if (scene.spheres.size() <= kMaxConstantSpheres) return {};
    return fmt::format("{} spheres and their materials do not fit into 64 KiB, at most {} do",
                       scene.spheres.size(), kMaxConstantSpheres);
}

std::string tooLargeForConstants(const Settings& s, const Scene& scene) {
    const size_t bytes = packedBytes(scene, s.variant);
    if (bytes <= kConstantBytes) return {};
    return fmt::format("{} spheres and the {} over them may need {} bytes, and there are {}",
                       scene.spheres.size(), s.variant.accel == Accel::grid ? "grid" : "BVH", bytes,
                       kConstantBytes);
}

std::string tooManyToBake(const Settings&, const Scene& scene) {
    if (scene.spheres.size() <= kMaxBakedSpheres) return {};
    return fmt::format(
        "{} spheres would make more code than the instruction cache holds, at most {} are baked",
        scene.spheres.size(), kMaxBakedSpheres);
}

bool searchesInPaths(const Settings& s) {
    return s.variant.accel == Accel::brute && followsWholePaths(s);
}

/// A box of walls would hold all rays.
std::string withWalls(const Settings&, const Scene& scene) {
    if ((traitsOf(scene).features & kWalls) == 0) return {};
    return "spheres of this scene are walls, and a box around them would hold all rays";
}

std::string withoutBoxes(const Settings&, const Scene& scene) {
    const bool never = scene.spheres.size() > kMaxBakedSpheres || isOfTriangles(scene);
    if (never || !bakedBoxes(scene).empty()) return {};  // the other rules say why
    return "no box around a group of these spheres would save enough tests";
}

std::string tooManyForKeys(const Settings&, const Scene& scene) {
    if (scene.spheres.size() <= kMaxKeySpheres) return {};
    return fmt::format(
        "the numbers of {} spheres would take too many bits of a distance, there is "
        "room for {}",
        scene.spheres.size(), kMaxKeySpheres);
}

std::vector<Rule> sceneMemoryRules() {
    return {
        {.values = "constant|shared",
         .clash = "backend=cpu",
         .why = "backend=cpu has neither constant nor shared memory",
         .remedies = {"scene_memory=global"}},
        {.values = "baked",
         .clash = "engine=packets",
         .why = "engine=packets looks spheres up by their numbers",
         .remedies = {"scene_memory=global", "engine=megakernel"}},
        {.values = "constant",
         .reasonInScene = tooManyForConstants,
         .remedies = {"scene_memory=global"}},
        {.values = "constant",
         .clash = "accel=bvh|grid|bvh4",
         .reasonInScene = tooLargeForConstants,
         .remedies = {"accel=brute", "scene_memory=global"}},
        {.values = "shared",
         .clash = "accel=bvh|grid|bvh4",
         .why = "tiles are read in order, which a BVH or a grid is not",
         .remedies = {"accel=brute", "scene_memory=global"}},
        {.values = "shared",
         .clash = "engine=regeneration",
         .why = "all threads of a block load a tile together, which engine=regeneration does not "
                "let them",
         .remedies = {"engine=megakernel", "scene_memory=global"}},
        {.values = "shared",
         .clash = "path=recursive|stack",
         .why = "all threads of a block load a tile together, which only path=loop lets them",
         .remedies = {"path=loop", "scene_memory=global"}},
        {.values = "baked",
         .clash = "accel=bvh|grid|bvh4",
         .why = "spheres that are numbers in the code cannot be looked up, as a BVH or grid does",
         .remedies = {"accel=brute", "scene_memory=global"}},
        {.values = "baked", .reasonInScene = tooManyToBake, .remedies = {"scene_memory=global"}},
        {.values = "shared",
         .reasonInScene = withTriangles<kNotInTiles>,
         .remedies = {"scene_memory=global"}},
        {.values = "baked",
         .reasonInScene = withTriangles<kNotBaked>,
         .remedies = {"scene_memory=global"}},
    };
}

}  // namespace

std::vector<Axis> sceneAxes() {
    return {
        {.id = "accel",
         .label = "Search",
         .help = "Every ray is tested against every shape, or walks a hierarchy of bounding "
                 "boxes, whose nodes have two, four or eight children, or from cell to cell "
                 "of a uniform grid; or the library Embree finds what it hits.",
         .story = "weekend",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kMember<&Variant::accel>,
         .values =
             {{"brute", "all shapes",
               "Every ray tests every shape: fastest for a few dozen spheres."},
              {"bvh", "BVH",
               "A hierarchy of boxes with two children a node: wins from some hundred shapes on."},
              {"grid", "uniform grid",
               "Cells of one size: wins where spheres of like size are spread evenly."},
              {"bvh4", "BVH of 4 children",
               "Nodes with four children, whose boxes are tested side by side: wins on a CPU's "
               "vectors."},
              {"embree", "Embree (CPU)", "Intel's library, single rays: to compare ours with."},
              {"bvh8", "BVH of 8 children",
               "Nodes with eight children: the fastest for triangles on a CPU."}},
         .rules = {{.values = "grid",
                    .reasonInScene = withTriangles<kNoGrid>,
                    .remedies = {"accel=bvh"}},
                   {.values = "bvh4",
                    .clash = "backend=cuda",
                    .reasonInScene = withTriangles<kOnHost>,
                    .remedies = {"accel=bvh"}},
                   {.values = "bvh8", .reasonInScene = binaryOnGpu, .remedies = {"accel=bvh"}},
                   {.values = "bvh8",
                    .reasonInScene = withoutTriangles<kNotEight>,
                    .remedies = {"accel=bvh"}},
                   {.values = "embree",
                    .clash = "backend=cuda",
                    .why = "there is no Embree for backend=cuda",
                    .remedies = {"accel=bvh"}},
                   {.values = "embree",
                    .clash = "precision=double",
                    .why = "Embree has no precision=double",
                    .remedies = {"precision=float", "accel=bvh"}},
                   {.values = "embree",
                    .clash = "engine=hybrid|packets",
                    .why = "Embree is asked for one ray at a time",
                    .remedies = {"engine=megakernel", "accel=bvh"}},
                   {.values = "embree",
                    .reasonInScene = withoutTriangles<kNotForEmbree>,
                    .remedies = {"accel=bvh"}}}},
        {.id = "hierarchy",
         .label = "Hierarchy",
         .help = "Its nodes are split where boxes have the least surface, or by the shapes' Morton "
                 "codes of 30 or 60 bits, which is quicker to build and slower to walk; or the "
                 "nearest clusters of triangles are merged; or large triangles are cut so that "
                 "boxes overlap less; or it is built once, and its boxes follow spheres that "
                 "move.",
         .story = "codeplay-tracy",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {walksBvh, "accel=bvh, bvh4 or bvh8"},
         .member = kMember<&Settings::hierarchy>,
         .values =
             {{"sah", "surface area",
               "Splits where the surface area is least: the fastest to walk, the slowest to "
               "build."},
              {"lbvh", "Morton codes",
               "By Morton codes of 30 bits: builds about seven times as fast, a little slower to "
               "walk. For scenes that move."},
              {"lbvh60", "Morton codes of 60 bits",
               "Morton codes of 60 bits: for scenes so large that 30 bits put many shapes into one "
               "cell."},
              {"refit", "boxes refitted",
               "Built once; boxes follow the spheres: the cheapest step, ever slower to walk as "
               "bodies mix."},
              {"ploc", "nearest clusters",
               "Nearest clusters are merged: nearly as good as surface area, built on a GPU."},
              {"sbvh", "triangles cut",
               "Large triangles are cut: the least overlap, for scenes with long, thin "
               "triangles."}},
         .rules = {{.values = "lbvh|lbvh60|refit|ploc",
                    .clash = "scene_memory=constant",
                    .why = "a GPU writes the hierarchy into global memory",
                    .remedies = {"scene_memory=global", "hierarchy=sah"}},
                   {.values = "lbvh|lbvh60|refit|ploc|sbvh",
                    .reasonInScene = withPlaces<kBuiltOnHost>,
                    .remedies = {"hierarchy=sah"}},
                   {.values = "refit",
                    .reasonInScene = withTriangles<kDoNotMove>,
                    .remedies = {"hierarchy=sah"}},
                   {.values = "ploc",
                    .clash = "backend=cpu",
                    .why = "backend=cpu does not merge clusters",
                    .remedies = {"hierarchy=sah"}},
                   {.values = "ploc",
                    .clash = "accel=bvh8",
                    .why = "clusters are merged two at a time, and accel=bvh8 has eight children",
                    .remedies = {"accel=bvh", "hierarchy=sah"}},
                   {.values = "ploc",
                    .reasonInScene = withoutTriangles<kNotMerged>,
                    .remedies = {"hierarchy=sah"}},
                   {.values = "sbvh",
                    .reasonInScene = withoutTriangles<kNotCut>,
                    .remedies = {"hierarchy=sah"}}}},
        {.id = "traversal",
         .label = "Traversal",
         .help = "In each turn of a warp its lanes are at nodes or at leaves; or all are at nodes "
                 "until each has found a leaf; or a lane that has found one looks for the next "
                 "until all have one.",
         .story = "triangles",
         .onCuda = true,
         .otherLacks = "a CPU has no warps, whose lanes wait for each other",
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return walksBvh(s) && s.variant.path != Path::recursive;
                       },
                       "accel=bvh, bvh4 or bvh8 and path=loop or stack"},
         .member = kMember<&Variant::traversal>,
         .values =
             {{"if_if", "node or leaf",
               "Each turn a lane does a node or a leaf: the simplest, lanes wait for each other "
               "least in short walks."},
              {"while_while", "nodes, then leaves",
               "All lanes walk nodes until each has a leaf: fewer turns where leaves are "
               "expensive."},
              {"speculative", "leaves together",
               "A lane with a leaf walks on until all have one: fuller warps, some wasted nodes."}},
         .rules = {{.values = "speculative",
                    .reasonInScene = withPlaces<kTakenTogether>,
                    .remedies = {"traversal=while_while"}}}},
        {.id = "stack",
         .label = "Stack",
         .help = "Where a thread notes which subtrees its ray has still to visit: all in local "
                 "memory; the two uppermost in registers, or the lowest in shared memory, and the "
                 "rest there; or nowhere: it finds the way again from the root on.",
         .story = "triangles",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return s.variant.accel == Accel::bvh && !runsPackets(s);
                       },
                       "accel=bvh and an engine other than packets"},
         .member = kMember<&Variant::stack>,
         .values = {{"local", "local memory",
                     "All in local memory, which caches hold: the simplest."},
                    {"registers", "top in registers",
                     "The two uppermost entries in registers: fewer loads, more registers."},
                    {"shared", "bottom in shared memory",
                     "The lowest entries in shared memory: fast, but it limits the blocks that run "
                     "at once."},
                    {"none", "none, restart",
                     "Restarts from the root: no memory, more nodes. For machines with little "
                     "memory a thread."}},
         .rules = {{.values = "shared",
                    .clash = "backend=cpu",
                    .why = "backend=cpu has no shared memory",
                    .remedies = {"stack=local"}},
                   {.values = "none",
                    .reasonInScene = withPlaces<kNeedsAStack>,
                    .remedies = {"stack=local"}}}},
        {.id = "node_memory",
         .label = "Node memory",
         .help = "Rays read the nodes of a hierarchy from global memory; or through the texture "
                 "units; or the uppermost from shared memory, into which each block first copies "
                 "them.",
         .story = "triangles",
         .onCuda = true,
         .otherLacks = "a CPU has neither texture units nor shared memory",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {walksBvh, "accel=bvh, bvh4 or bvh8"},
         .member = kMember<&Variant::nodeMemory>,
         .values = {{"global", "global", "Through the ordinary caches."},
                    {"texture", "texture",
                     "Through the texture units: won on GPUs whose global loads were not cached."},
                    {"shared", "uppermost in shared memory",
                     "The uppermost nodes in shared memory: every ray reads those; costs a copy a "
                     "block."}},
         .rules = {{.values = "texture|shared",
                    .clash = "scene_memory=constant",
                    .why = "with scene_memory=constant the nodes are in constant memory, too",
                    .remedies = {"scene_memory=global", "node_memory=global"}}}},
        {.id = "triangle",
         .label = "Triangle test",
         .help = "A ray intersects a triangle in a basis of its own, in which neighbours agree who "
                 "has their edge; or by Moller's and Trumbore's formula; or Woop's matrix of the "
                 "triangle. By the last two a few rays pass between neighbours.",
         .story = "triangles",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::numbers,
         .belongsTo = kTrianglesOnly,
         .member = kMember<&Variant::triangle>,
         .values = {{"watertight", "watertight",
                     "No ray passes between neighbours: the right picture everywhere."},
                    {"moller_trumbore", "Moller-Trumbore",
                     "Fewer instructions and no table; a few rays pass through edges."},
                    {"woop", "Woop",
                     "A matrix for each triangle: the fewest instructions, 48 bytes to read."}},
         .rules = {{.values = "moller_trumbore|woop",
                    .reason = ownTest,
                    .remedies = {"triangle=watertight", "accel=bvh"}}}},
        {.id = "vertex_layout",
         .label = "Corners",
         .help = "A triangle of the hierarchy's list has its three corners beside each other, or "
                 "their numbers in the list that shading reads, or each component is in an array.",
         .story = "triangles",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return s.triangles && s.variant.triangle != TriangleTest::woop;
                       },
                       "a scene with triangles and triangle=watertight or moller_trumbore"},
         .member = kMember<&Variant::vertexLayout>,
         .values = {{"unrolled", "unrolled",
                     "Three corners side by side: one read a triangle, corners repeated."},
                    {"indexed", "indexed",
                     "Numbers of corners: a third of the bytes, one more load."},
                    {"soa", "struct of arrays", "An array a component: for vectors of triangles."}},
         .rules = {{.values = "indexed|soa",
                    .reason = ownBlocks,
                    .remedies = {"vertex_layout=unrolled", "accel=bvh"}}}},
        {.id = "vertex_precision",
         .label = "Corner precision",
         .help = "Corners of triangles are read in single precision, in 48 bytes a triangle; or "
                 "rounded to half precision, which changes the scene slightly, in 24.",
         .story = "triangles",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::picture,
         .belongsTo = {[](const Settings& s) {
                           const Variant& v = s.variant;
                           return s.triangles && v.triangle != TriangleTest::woop &&
                                  v.vertexLayout == VertexLayout::unrolled;
                       },
                       "a scene with triangles, triangle=watertight or moller_trumbore and "
                       "vertex_layout=unrolled"},
         .member = kMember<&Variant::vertexPrecision>,
         .values = {{"single", "single", "48 bytes a triangle, exact."},
                    {"half", "half",
                     "24 bytes a triangle, rounded: wins where memory is the limit, in a slightly "
                     "different scene."}},
         .rules = {{.values = "half",
                    .reason = ownCorners,
                    .remedies = {"vertex_precision=single", "accel=bvh"}}}},
        {.id = "search",
         .label = "Nearest",
         .help = "Among all spheres, a nearer hit replaces the last by a branch; or distance and "
                 "sphere are packed into one integer, whose minimum needs no branch; or "
                 "the same, but spheres near each other share a bounding box, and a warp whose "
                 "rays all miss it tests none of them.",
         .story = "beyond",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = {searchesInPaths, "accel=brute and engine=megakernel or regeneration"},
         .member = kMember<&Variant::search>,
         .values = {{"branch", "by a branch",
                     "A branch keeps the nearer hit: simple, and good where few are hit."},
                    {"keys", "least key",
                     "The least of integers made of distance and number: no branch in the loop."},
                    {"boxed", "least key, in boxes",
                     "Groups of spheres behind boxes: wins where a warp's rays go the same way."}},
         .rules = {{.values = "keys|boxed",
                    .clash = "precision=double",
                    .why = "a key has 32 bits",
                    .remedies = {"precision=float", "search=branch"}},
                   {.values = "keys|boxed",
                    .clash = "scene_memory=shared",
                    .why = "the index of a sphere in its tile is not its index in the scene",
                    .remedies = {"scene_memory=constant", "search=branch"}},
                   {.values = "keys|boxed",
                    .reasonInScene = tooManyForKeys,
                    .remedies = {"search=branch"}},
                   {.values = "keys|boxed",
                    .reasonInScene = withTriangles<kNoKey>,
                    .remedies = {"search=branch"}},
                   {.values = "boxed",
                    .clash = "scene_memory=global|constant",
                    .why = "boxes are baked into the code, as the spheres are",
                    .remedies = {"scene_memory=baked", "search=keys"}},
                   {.values = "boxed",
                    .reasonInScene = withWalls,
                    .remedies = {"search=keys", "search=branch"}},
                   {.values = "boxed",
                    .reasonInScene = withoutBoxes,
                    .remedies = {"search=keys", "search=branch"}}}},
        {.id = "roots",
         .label = "Roots",
         .help = "A ray computes both crossings with each sphere, or only one where the scene "
                 "guarantees that all paths are outside it, or all inside.",
         .story = "beyond",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return searchesInPaths(s) && s.variant.sceneMemory == SceneMemory::baked;
                       },
                       "scene_memory=baked and engine=megakernel or regeneration"},
         .member = kMember<&Variant::roots>,
         .values = {{"both", "both",
                     "Both crossings of every sphere: needs no promise of the scene."},
                    {"known", "one where known",
                     "One crossing where the scene guarantees the side: half the comparisons."}},
         .rules = {{.values = "known",
                    .clash = "search=branch",
                    .why = "a branch looks at the second crossing only where the first is no hit",
                    .remedies = {"search=keys", "roots=both"}}}},
        {.id = "scene_layout",
         .label = "Scene layout",
         .help = "Spheres and materials as an array of structs or as one "
                 "array for each component; on the CPU only the latter becomes vector code.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kMember<&Variant::sceneLayout>,
         .values =
             {{"aos", "array of structs",
               "A sphere's members side by side: good where one thread reads a whole sphere."},
              {"soa", "struct of arrays",
               "An array for each component: becomes vector code on a CPU."}}},
        {.id = "scene_memory",
         .label = "Scene memory",
         .help = "Kernels read the spheres from global memory through the caches, from "
                 "the constant bank, which broadcasts to a whole warp, from tiles that a "
                 "block loads into shared memory, or have them in their code.",
         .story = "voxel-tracer, codeplay-tracy",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kMember<&Variant::sceneMemory>,
         .values = {{"global", "global", "Global memory behind the caches: works for every scene."},
                    {"constant", "constant",
                     "The constant bank sends one word to all 32 lanes at once: wins where all "
                     "read the same sphere, up to 64 KiB."},
                    {"shared", "shared tiles",
                     "A block loads tiles of spheres for all its threads: wins where caches are "
                     "too slow for many spheres."},
                    {"baked", "baked into the code",
                     "Numbers in the code itself: no loads at all. The fastest for a few dozen "
                     "spheres; each edit compiles anew."}},
         .rules = sceneMemoryRules()},
        {.id = "tile",
         .label = "Tile",
         .help = "How many spheres a block loads into shared memory at a time.",
         .story = "codeplay-tracy",
         .onCuda = true,
         .otherLacks = "a CPU has no shared memory",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return s.variant.sceneMemory == SceneMemory::shared;
                       },
                       "scene_memory=shared"},
         .member = kListed<&Variant::tile, kTiles>,
         .values = tileValues()},
    };
}

std::vector<Axis> pathAxes() {
    return {
        {.id = "light_sampling",
         .label = "Light sampling",
         .help = "From each diffuse hit a shadow ray to every light (all triangles count as one, "
                 "the bright parts of a sky's picture as another), instead of waiting for paths "
                 "to find it: more rays, less noise.",
         .story = "voxel-tracer",
         .kind = AxisKind::toggle,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::paths,
         .member = kMember<&Variant::lightSampling>,
         .values = {{"off", "off",
                     "Paths find lights by chance: few rays, much noise where lights are small."},
                    {"on", "on",
                     "A shadow ray to every light from each diffuse hit: more rays, far less noise "
                     "where lights are small."}},
         .rules = {{.values = "on",
                    .reasonInScene = noLights,
                    .remedies = {"light_sampling=off"}}}},
        {.id = "light_queue",
         .label = "Light queue",
         .help = "Hits that sample the lights wait until every lane has one, so that no lane idles "
                 "while others trace shadow rays.",
         .story = "lanes, beyond",
         .kind = AxisKind::toggle,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           const Variant& v = s.variant;
                           if (runsPackets(s)) return v.lightSampling;
                           return mayQueueLights(v);
                       },
                       "light_sampling=on and engine=packets; or engine=regeneration, "
                       "samples_from=warp|queue, begin=merged, accel=brute, search=keys|boxed, "
                       "scene_memory=baked, scene_layout=aos and at most 512 threads a block"},
         .member = kMember<&Variant::lightQueue>,
         .values =
             {{"off", "off", "Lanes whose hit samples no light wait for those whose does."},
              {"on", "on",
               "Hits wait until every lane has one to sample: fuller warps, some bookkeeping."}}},
        {.id = "depth",
         .label = "Depth",
         .help = "The longest path, in rays.",
         .story = "voxel-tracer",
         .kind = AxisKind::number,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::picture,
         .member = kMember<&Settings::depth>,
         .minimum = 1,
         .maximum = kMaxDepth},
    };
}

}  // namespace rayscope
