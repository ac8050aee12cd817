// The axes of the scene, of the paths in it and of the launch.

#include <fmt/format.h>

#include <array>

#include "renderer/choices/axis_rows.h"

namespace rayscope {

namespace {

/// Spheres per tile; the sizes of Codeplay's N-body simulation.
constexpr std::array kTiles{32, 64, 128, 256};

/// Register caps that change how many blocks fit on a multiprocessor; 0 is no cap.
constexpr std::array kRegisterCaps{0, 32, 40, 48, 64, 80, 96, 128, 168};

struct Block {
    int x, y;
    bool operator==(const Block&) const = default;
};

/// From one warp to 1024 threads, square, wide and flat: the shapes of the stories.
constexpr std::array kBlocks{Block{8, 4},   Block{8, 8},   Block{16, 8},  Block{16, 16},
                             Block{32, 2},  Block{32, 4},  Block{32, 8},  Block{32, 16},
                             Block{64, 1},  Block{128, 1}, Block{160, 1}, Block{256, 1},
                             Block{1024, 1}};

/// Registers of a multiprocessor, on every CUDA device so far; allocated to whole blocks.
constexpr int kRegisters = 65536;

std::vector<AxisValue> tileValues() {
    std::vector<AxisValue> values;
    for (int tile : kTiles)
        values.push_back({std::to_string(tile), fmt::format("{} spheres", tile)});
    return values;
}

std::vector<AxisValue> registerValues() {
    std::vector<AxisValue> values;
    for (int cap : kRegisterCaps) values.push_back({std::to_string(cap), std::to_string(cap)});
    values.front() = {"none", "no cap"};
    return values;
}

std::vector<AxisValue> blockValues() {
    std::vector<AxisValue> values;
    for (const Block& b : kBlocks) {
        values.push_back(
            {fmt::format("{}x{}", b.x, b.y), fmt::format("{} x {}  ({})", b.x, b.y, b.x * b.y)});
    }
    return values;
}

constexpr AxisMember kBlock{
    [](const Settings& s) {
        const Block block{s.variant.blockX, s.variant.blockY};
        const auto found = std::find(kBlocks.begin(), kBlocks.end(), block);
        return found == kBlocks.end() ? 0 : static_cast<int>(found - kBlocks.begin());
    },
    [](Settings& s, int value) {
        s.variant.blockX = kBlocks[value].x;
        s.variant.blockY = kBlocks[value].y;
    }};

std::string tooManyRegisters(const Settings& s) {
    const Variant& v = s.variant;
    const int threads = v.blockX * v.blockY;
    if (v.maxRegisters * threads <= kRegisters) return {};
    return fmt::format("a block of {} threads has more than the {} registers of a multiprocessor",
                       threads, kRegisters);
}

std::string noLights(const Settings&, const Scene& scene) {
    const int count = lightCount(scene);
    if (scene.floor) return "this scene's floor and spheres sample its lamp already";
    if (count == 0) return "this scene has no emissive sphere";
    if (count <= kMaxLights) return {};
    return fmt::format("this scene has {} emissive spheres, at most {} are sampled", count,
                       kMaxLights);
}

std::string tooManyForConstants(const Settings&, const Scene& scene) {
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

std::string tooManyForKeys(const Settings&, const Scene& scene) {
    if (scene.spheres.size() <= kMaxKeySpheres) return {};
    return fmt::format(
        "the numbers of {} spheres would take too many bits of a distance, there is "
        "room for {}",
        scene.spheres.size(), kMaxKeySpheres);
}

std::vector<Rule> sceneMemoryRules() {
    return {
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
    };
}

}  // namespace

std::vector<Axis> sceneAxes() {
    return {
        {.id = "accel",
         .label = "Search",
         .help = "Every ray is tested against every sphere, or walks a hierarchy of bounding "
                 "boxes, whose nodes have two or four children, or from cell to cell of a "
                 "uniform grid.",
         .story = "weekend",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kMember<&Variant::accel>,
         .values = {{"brute", "all spheres"},
                    {"bvh", "BVH"},
                    {"grid", "uniform grid"},
                    {"bvh4", "BVH of 4 children"}}},
        {.id = "hierarchy",
         .label = "Hierarchy",
         .help =
             "Its nodes are split where boxes have the least surface, or by the spheres' Morton "
             "codes of 30 or 60 bits, which is quicker to build and slower to walk; or it is "
             "built once, and its boxes follow spheres that move.",
         .story = "codeplay-tracy",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {walksBvh, "accel=bvh or bvh4"},
         .member = kMember<&Settings::hierarchy>,
         .values = {{"sah", "surface area"},
                    {"lbvh", "Morton codes"},
                    {"lbvh60", "Morton codes of 60 bits"},
                    {"refit", "boxes refitted"}},
         .rules = {{.values = "lbvh|lbvh60|refit",
                    .clash = "scene_memory=constant",
                    .why = "a GPU writes the hierarchy into global memory",
                    .remedies = {"scene_memory=global", "hierarchy=sah"}}}},
        {.id = "search",
         .label = "Nearest",
         .help = "Among all spheres, a nearer hit replaces the last by a branch; or distance and "
                 "sphere are packed into one integer, whose minimum needs no branch.",
         .story = "beyond",
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = {searchesInPaths, "accel=brute and engine=megakernel or regeneration"},
         .member = kMember<&Variant::search>,
         .values = {{"branch", "by a branch"}, {"keys", "least key"}},
         .rules = {{.values = "keys",
                    .clash = "precision=double",
                    .why = "a key has 32 bits",
                    .remedies = {"precision=float", "search=branch"}},
                   {.values = "keys",
                    .clash = "scene_memory=shared",
                    .why = "the index of a sphere in its tile is not its index in the scene",
                    .remedies = {"scene_memory=constant", "search=branch"}},
                   {.values = "keys",
                    .reasonInScene = tooManyForKeys,
                    .remedies = {"search=branch"}}}},
        {.id = "roots",
         .label = "Roots",
         .help = "A ray computes both crossings with each sphere, or only one where the scene "
                 "guarantees that all paths are outside it, or all inside.",
         .story = "beyond",
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return searchesInPaths(s) && s.variant.sceneMemory == SceneMemory::baked;
                       },
                       "scene_memory=baked and engine=megakernel or regeneration"},
         .member = kMember<&Variant::roots>,
         .values = {{"both", "both"}, {"known", "one where known"}},
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
         .values = {{"aos", "array of structs"}, {"soa", "struct of arrays"}}},
        {.id = "scene_memory",
         .label = "Scene memory",
         .help = "Kernels read the spheres from global memory through the caches, from "
                 "the constant bank, which broadcasts to a whole warp, from tiles that a "
                 "block loads into shared memory, or have them in their code.",
         .story = "voxel-tracer, codeplay-tracy",
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kMember<&Variant::sceneMemory>,
         .values = {{"global", "global"},
                    {"constant", "constant"},
                    {"shared", "shared tiles"},
                    {"baked", "baked into the code"}},
         .rules = sceneMemoryRules()},
        {.id = "tile",
         .label = "Tile",
         .help = "How many spheres a block loads into shared memory at a time.",
         .story = "codeplay-tracy",
         .onCuda = true,
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
         .help = "One shadow ray to every lamp from each diffuse hit, "
                 "instead of waiting for paths to find the lamps: more rays, less noise.",
         .story = "voxel-tracer",
         .kind = AxisKind::toggle,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::paths,
         .member = kMember<&Variant::lightSampling>,
         .rules = {{.values = "on",
                    .reasonInScene = noLights,
                    .remedies = {"light_sampling=off"}}}},
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

std::vector<Axis> launchAxes() {
    return {
        {.id = "block",
         .label = "Block",
         .help = "Threads of a block, width x height.",
         .story = "voxel-tracer, smallpt",
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kBlock,
         .values = blockValues()},
        {.id = "max_registers",
         .label = "Register cap",
         .help = "The most registers a thread may use: fewer let more warps "
                 "run at once, too few spill to memory.",
         .story = "smallpt",
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .member = kListed<&Variant::maxRegisters, kRegisterCaps>,
         .values = registerValues(),
         .rules = {{.reason = tooManyRegisters, .remedies = {"max_registers=none", "block=32x4"}}}},
        {.id = "samples_as",
         .label = "Samples as",
         .help = "A thread takes the samples of its pixel one after the other, or each "
                 "sample has a thread and a warp the samples of one pixel.",
         .story = "voxel-tracer",
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {followsWholePaths, "engine=megakernel or regeneration"},
         .member = kMember<&Variant::samplesAs>,
         .values = {{"loop", "loop in a thread"}, {"threads", "a thread each"}}},
        {.id = "order",
         .label = "Pixel order",
         .help = "Whether the 32 lanes of a warp (on the CPU: a thread's piece of "
                 "work) cover a row of pixels, a column or a compact tile.",
         .story = "voxel-tracer, business card",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return s.backend == Backend::cpu ||
                                  (followsWholePaths(s) && s.variant.samplesAs == SamplesAs::loop);
                       },
                       "samples_as=loop"},
         .member = kMember<&Variant::order>,
         .values = {{"rows", "rows"}, {"columns", "columns"}, {"tiles", "tiles"}}},
        {.id = "samples",
         .label = "Samples / launch",
         .help = "Samples a pixel that one launch traces; the window takes fewer where they "
                 "would not fit into a frame.",
         .story = "voxel-tracer",
         .kind = AxisKind::number,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kMember<&Settings::samples>,
         .minimum = 1,
         .maximum = 1024},
        {.id = "pace",
         .label = "Frame",
         .help = "A frame of the window has as many launches as its time allows, or the same "
                 "number of them in every frame.",
         .story = "codeplay-tracy",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::host,
         .effect = Effect::nothing,
         .member = kMember<&Settings::pace>,
         .values = {{"fill", "filled"}, {"fixed", "launches as set"}}},
        {.id = "launches",
         .label = "Launches / present",
         .help = "Launches between two presented frames, as far as the "
                 "frame budget allows.",
         .story = "codeplay-tracy",
         .kind = AxisKind::number,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::host,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) { return s.pace == Pace::fixed; }, "pace=fixed"},
         .member = kMember<&Settings::launches>,
         .minimum = 1,
         .maximum = 64},
    };
}

}  // namespace rayscope
