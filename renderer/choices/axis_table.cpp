// The rows of the table of axes.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

struct Block {
    int x, y;
};

/// One warp's worth to 1024 threads, square, wide and flat: the shapes of the four stories.
constexpr std::array<Block, 13> kBlocks{{{8, 4},
                                         {8, 8},
                                         {16, 8},
                                         {16, 16},
                                         {32, 2},
                                         {32, 4},
                                         {32, 8},
                                         {32, 16},
                                         {64, 1},
                                         {128, 1},
                                         {160, 1},
                                         {256, 1},
                                         {1024, 1}}};

/// Spheres a tile; the sizes of Codeplay's N-body.
constexpr std::array<int, 4> kTiles{32, 64, 128, 256};

/// Register caps that change how many blocks fit on a multiprocessor; 0 is no cap.
constexpr std::array<int, 9> kRegisterCaps{0, 32, 40, 48, 64, 80, 96, 128, 168};

template <size_t N, class T, class Equal>
int indexOf(const std::array<T, N>& table, Equal equal) {
    const auto found = std::find_if(table.begin(), table.end(), equal);
    return found == table.end() ? 0 : static_cast<int>(found - table.begin());
}

std::vector<AxisValue> blockValues() {
    std::vector<AxisValue> values;
    for (const Block& b : kBlocks) {
        const std::string id = fmt::format("{}x{}", b.x, b.y);
        values.push_back({id, fmt::format("{} x {}  ({})", b.x, b.y, b.x * b.y)});
    }
    return values;
}

std::vector<AxisValue> tileValues() {
    std::vector<AxisValue> values;
    for (int tile : kTiles)
        values.push_back({std::to_string(tile), fmt::format("{} spheres", tile)});
    return values;
}

std::vector<AxisValue> registerValues() {
    std::vector<AxisValue> values{{"none", "no cap"}};
    for (size_t i = 1; i < kRegisterCaps.size(); ++i) {
        values.push_back({std::to_string(kRegisterCaps[i]), std::to_string(kRegisterCaps[i])});
    }
    return values;
}

/// A row of the table whose get and set go through one member.
#define RAYSCOPE_MEMBER(member, Type)                             \
    [](const Settings& s) { return static_cast<int>(s.member); }, \
        [](Settings& s, int value) { s.member = static_cast<Type>(value); }

bool always(const Settings&) {
    return true;
}

Axis choice(std::string_view id, std::string_view label, std::string_view help,
            std::string_view story, AxisGroup group, bool onCpu, bool onCuda,
            std::vector<AxisValue> values, int (*get)(const Settings&),
            void (*set)(Settings&, int)) {
    const int last = static_cast<int>(values.size()) - 1;
    return {id, label, help, story, AxisKind::choice, group, onCpu, onCuda, std::move(values),
            0,  last,  get,  set,   always,           {}};
}

Axis toggle(std::string_view id, std::string_view label, std::string_view help,
            std::string_view story, AxisGroup group, bool onCpu, bool onCuda,
            int (*get)(const Settings&), void (*set)(Settings&, int)) {
    Axis axis = choice(id, label, help, story, group, onCpu, onCuda, {{"off", "off"}, {"on", "on"}},
                       get, set);
    axis.kind = AxisKind::toggle;
    return axis;
}

Axis number(std::string_view id, std::string_view label, std::string_view help,
            std::string_view story, AxisGroup group, bool onCpu, bool onCuda, int minimum,
            int maximum, int (*get)(const Settings&), void (*set)(Settings&, int)) {
    return {id,      label,   help, story, AxisKind::number, group, onCpu, onCuda, {},
            minimum, maximum, get,  set,   always,           {}};
}

/// The axis, with meaning only where this says so, in code and in words.
Axis where(bool (*relevant)(const Settings&), std::string_view belongsTo, Axis axis) {
    axis.relevant = relevant;
    axis.belongsTo = belongsTo;
    return axis;
}

bool megakernel(const Settings& s) {
    return s.variant.engine == Engine::megakernel;
}
bool wavefront(const Settings& s) {
    return s.variant.engine == Engine::wavefront;
}
bool hybrid(const Settings& s) {
    return s.variant.engine == Engine::hybrid;
}
/// One thread follows a path to its end.
bool wholePaths(const Settings& s) {
    return megakernel(s) || s.variant.engine == Engine::regeneration;
}

void addBackend(std::vector<Axis>& rows) {
    using enum AxisGroup;
    rows.push_back(choice("backend", "Backend", "Which processor traces the rays.", "all", backend,
                          true, true, {{"cpu", "CPU"}, {"cuda", "CUDA"}},
                          RAYSCOPE_MEMBER(backend, Backend)));
    rows.push_back(choice(
        "opt", "Optimisation",
        "The compiler's optimisation level for the CPU kernels; native adds "
        "this processor's own vector instructions.",
        "business card", backend, true, false,
        {{"O0", "-O0"}, {"O1", "-O1"}, {"O2", "-O2"}, {"O3", "-O3"}, {"native", "native vectors"}},
        RAYSCOPE_MEMBER(opt, Opt)));
    rows.push_back(
        where([](const Settings& s) { return s.backend == Backend::cpu || hybrid(s); },
              "backend=cpu or engine=hybrid",
              number("threads", "Threads", "How many CPU threads trace; 0 is one for each core.",
                     "business card", backend, true, true, 0, 512, RAYSCOPE_MEMBER(threads, int))));
    rows.push_back(
        choice("display", "Display path",
               "How the film reaches the screen: written by CUDA into the "
               "OpenGL buffer, copied through pinned host memory, or written by the CPU.",
               "codeplay-tracy", backend, true, true,
               {{"interop", "interop"}, {"copy", "copy"}, {"host", "host"}},
               RAYSCOPE_MEMBER(display, Display)));
    rows.push_back(choice("code", "Code",
                          "Whether kernels are loaded as machine code or as PTX, which the driver "
                          "translates first.",
                          "business card", backend, false, true,
                          {{"machine", "machine code"}, {"ptx", "PTX"}},
                          RAYSCOPE_MEMBER(variant.code, Code)));
    rows.push_back(choice("context", "Context",
                          "Whether the wall clock of a rendering runs from before the CUDA context "
                          "is made until the picture is in host memory, or while kernels run only; "
                          "the viewer has one already, so there it changes nothing.",
                          "business card", backend, false, true,
                          {{"before", "made before the clock"}, {"inside", "inside the clock"}},
                          RAYSCOPE_MEMBER(context, Context)));
}

void addKernel(std::vector<Axis>& rows) {
    using enum AxisGroup;
    rows.push_back(
        choice("engine", "Engine",
               "Who moves a path's data: one thread to its end; a thread that starts the next "
               "sample at once; one kernel a stage with paths in memory between them; or the CPU, "
               "with the GPU finding the hits.",
               "voxel-tracer", kernel, true, true,
               {{"megakernel", "megakernel"},
                {"regeneration", "regeneration"},
                {"wavefront", "wavefront"},
                {"hybrid", "CPU and GPU"}},
               RAYSCOPE_MEMBER(variant.engine, Engine)));
    rows.push_back(
        where(megakernel, "engine=megakernel",
              choice("path", "Path",
                     "How a path is followed: a function that calls itself, an explicit stack of "
                     "vertices, or a loop that carries the throughput.",
                     "smallpt, business card", kernel, true, true,
                     {{"recursive", "recursion"}, {"stack", "explicit stack"}, {"loop", "loop"}},
                     RAYSCOPE_MEMBER(variant.path, Path))));
    rows.push_back(where(
        [](const Settings& s) { return s.variant.engine == Engine::regeneration; },
        "engine=regeneration",
        choice("regeneration", "Regeneration",
               "A thread stops after its quota of samples, or, as published, after a budget of "
               "rays: the light of the path it leaves unfinished counts, the sample does not, and "
               "the picture is too bright.",
               "voxel-tracer", kernel, true, true,
               {{"quota", "sample quota"}, {"budget", "ray budget (biased)"}},
               RAYSCOPE_MEMBER(variant.regeneration, Regeneration))));
    rows.push_back(choice("precision", "Precision",
                          "The floating-point type of all geometry and light.", "smallpt", kernel,
                          true, true, {{"double", "double"}, {"float", "float"}},
                          RAYSCOPE_MEMBER(variant.precision, Precision)));
    rows.push_back(
        choice("math", "Maths",
               "Exact divisions, roots and library functions; the fast device functions "
               "called by name; or those and --use_fast_math for the whole kernel.",
               "business card", kernel, false, true,
               {{"precise", "precise"}, {"intrinsics", "intrinsics"}, {"fast", "fast math"}},
               RAYSCOPE_MEMBER(variant.math, Math)));
    rows.push_back(choice("sampling", "Sampling",
                          "Points on spheres and disks are drawn in a loop until one lies inside, "
                          "or by a formula without one.",
                          "voxel-tracer", kernel, false, true,
                          {{"rejection", "rejection"}, {"closed_form", "closed form"}},
                          RAYSCOPE_MEMBER(variant.sampling, Sampling)));
    rows.push_back(choice("material_dispatch", "Materials",
                          "The lanes of a warp take a branch for each material, or one formula "
                          "that fits them all.",
                          "voxel-tracer", kernel, false, true,
                          {{"branch", "a branch each"}, {"single", "one formula"}},
                          RAYSCOPE_MEMBER(variant.dispatch, Dispatch)));
    rows.push_back(where(
        megakernel, "engine=megakernel",
        choice("random", "Random state",
               "Each path has its own; a row has one, which runs on along it on the CPU and on the "
               "GPU gives all its pixels the same noise; or all threads share one: behind a lock "
               "on the CPU, racing on the GPU. The latter two are wrong pictures on the GPU.",
               "business card", kernel, true, true,
               {{"per_path", "one a path"},
                {"per_row", "one a row (GPU: wrong)"},
                {"shared", "shared (GPU: wrong)"}},
               RAYSCOPE_MEMBER(variant.random, Random))));
}

void addWavefront(std::vector<Axis>& rows) {
    using enum AxisGroup;
    const auto add = [&](Axis axis) {
        rows.push_back(where(rayscope::wavefront, "engine=wavefront", std::move(axis)));
    };
    const auto eitherKind = [](const Settings& s) { return rayscope::wavefront(s) || hybrid(s); };
    add(choice("ray_source", "Camera rays",
               "Made by the CPU and copied to the device, by a kernel of their own, or by the "
               "kernel that traces them.",
               "voxel-tracer", wavefront, false, true,
               {{"host", "by the CPU"}, {"kernel", "own kernel"}, {"fused", "fused"}},
               RAYSCOPE_MEMBER(variant.raySource, RaySource)));
    add(choice(
        "kernels", "Stages",
        "Finding a hit and scattering there are two kernels, one kernel for camera rays, "
        "or one kernel for all rays.",
        "voxel-tracer", wavefront, true, true,
        {{"separate", "separate"}, {"fused_primary", "camera rays fused"}, {"fused", "fused"}},
        RAYSCOPE_MEMBER(variant.stages, Stages)));
    rows.push_back(where(eitherKind, "engine=wavefront or hybrid",
                         choice("compaction", "Compaction",
                                "Paths that have ended keep their place, or a list of those that "
                                "go on is kept by the CPU or by a queue on the device.",
                                "voxel-tracer", wavefront, true, true,
                                {{"off", "off"}, {"host", "by the CPU"}, {"device", "by a queue"}},
                                RAYSCOPE_MEMBER(variant.compaction, Compaction))));
    add(choice("state_layout", "Rays and hits",
               "Rays and hits between the stages as arrays of structs or as one array a component.",
               "voxel-tracer", wavefront, true, true,
               {{"aos", "array of structs"}, {"soa", "struct of arrays"}},
               RAYSCOPE_MEMBER(variant.stateLayout, StateLayout)));
    rows.push_back(
        where(eitherKind, "engine=wavefront or hybrid",
              choice("record", "Records",
                     "Wide: a hit carries its position and normal. Compact: only distance "
                     "and sphere, the rest is computed again.",
                     "voxel-tracer", wavefront, false, true,
                     {{"wide", "wide (28 + 32 B)"}, {"compact", "compact (24 + 8 B)"}},
                     RAYSCOPE_MEMBER(variant.record, Record))));
    add(choice("sample_layout", "Samples",
               "Radiance and throughput of a path as one struct, as two arrays of three floats or "
               "as six arrays.",
               "voxel-tracer", wavefront, false, true,
               {{"aos", "one struct"}, {"float3", "2 x float3"}, {"split", "6 x float"}},
               RAYSCOPE_MEMBER(variant.sampleLayout, SampleLayout)));
    add(choice(
        "access", "Access",
        "Stages use rays, hits and samples through references into global memory, copy them "
        "into local variables, or copy the material too.",
        "voxel-tracer", wavefront, false, true,
        {{"reference", "references"}, {"copy_state", "state copied"}, {"copy_all", "all copied"}},
        RAYSCOPE_MEMBER(variant.access, Access)));
    add(choice("accumulate", "Accumulate",
               "Samples are summed by the CPU, which gets them whole or only their colour as one "
               "array or three after every launch, or on the device.",
               "voxel-tracer", wavefront, false, true,
               {{"host_samples", "CPU, whole samples"},
                {"host_colour", "CPU, colour"},
                {"host_split", "CPU, 3 arrays"},
                {"device", "device"}},
               RAYSCOPE_MEMBER(variant.accumulate, Accumulate)));
    const auto copies = [](const Settings& s) {
        const Variant& v = s.variant;
        return hybrid(s) || (rayscope::wavefront(s) && (v.raySource == RaySource::host ||
                                                        v.accumulate != Accumulate::device ||
                                                        v.compaction == Compaction::host));
    };
    rows.push_back(where(copies, "engine=hybrid, or a wavefront that copies to or from the CPU",
                         choice("host_memory", "Host memory",
                                "What is copied to and from the device lies in ordinary "
                                "memory or in memory that stays where it is.",
                                "voxel-tracer", wavefront, false, true,
                                {{"pageable", "pageable"}, {"pinned", "pinned"}},
                                RAYSCOPE_MEMBER(hostMemory, HostMemory))));
}

void addScene(std::vector<Axis>& rows) {
    using enum AxisGroup;
    rows.push_back(
        choice("accel", "Search",
               "Every ray is tested against every sphere, or walks a hierarchy of bounding boxes.",
               "weekend", scene, true, true, {{"brute", "all spheres"}, {"bvh", "BVH"}},
               RAYSCOPE_MEMBER(variant.accel, Accel)));
    rows.push_back(
        choice("scene_layout", "Scene layout",
               "Spheres and materials as an array of structs or as one "
               "array for each component; on the CPU only the latter becomes vector code.",
               "voxel-tracer", scene, true, true,
               {{"aos", "array of structs"}, {"soa", "struct of arrays"}},
               RAYSCOPE_MEMBER(variant.sceneLayout, SceneLayout)));
    rows.push_back(choice("scene_memory", "Scene memory",
                          "Kernels read the spheres from global memory through the caches, from "
                          "the constant bank, which broadcasts to a whole warp, from tiles that a "
                          "block loads into shared memory, or have them in their code.",
                          "voxel-tracer, codeplay-tracy", scene, false, true,
                          {{"global", "global"},
                           {"constant", "constant"},
                           {"shared", "shared tiles"},
                           {"baked", "baked into the code"}},
                          RAYSCOPE_MEMBER(variant.sceneMemory, SceneMemory)));
    rows.push_back(
        where([](const Settings& s) { return s.variant.sceneMemory == SceneMemory::shared; },
              "scene_memory=shared",
              choice(
                  "tile", "Tile", "How many spheres a block loads into shared memory at a time.",
                  "codeplay-tracy", scene, false, true, tileValues(),
                  [](const Settings& s) {
                      return indexOf(kTiles, [&](int tile) { return tile == s.variant.tile; });
                  },
                  [](Settings& s, int value) { s.variant.tile = kTiles[value]; })));
}

void addPath(std::vector<Axis>& rows) {
    using enum AxisGroup;
    rows.push_back(toggle("light_sampling", "Light sampling",
                          "One shadow ray to every lamp from each diffuse hit, "
                          "instead of waiting for paths to find the lamps: more rays, less noise.",
                          "voxel-tracer", path, true, true,
                          RAYSCOPE_MEMBER(variant.lightSampling, bool)));
    rows.push_back(number("depth", "Depth", "The longest path, in rays.", "voxel-tracer", path,
                          true, true, 1, kMaxDepth, RAYSCOPE_MEMBER(depth, int)));
}

void addLaunch(std::vector<Axis>& rows) {
    using enum AxisGroup;
    rows.push_back(choice(
        "block", "Block", "Threads of a block, width x height.", "voxel-tracer, smallpt", launch,
        false, true, blockValues(),
        [](const Settings& s) {
            return indexOf(kBlocks, [&](const Block& b) {
                return b.x == s.variant.blockX && b.y == s.variant.blockY;
            });
        },
        [](Settings& s, int value) {
            s.variant.blockX = kBlocks[value].x;
            s.variant.blockY = kBlocks[value].y;
        }));
    rows.push_back(choice(
        "max_registers", "Register cap",
        "The most registers a thread may use: fewer let more warps "
        "run at once, too few spill to memory.",
        "smallpt", launch, false, true, registerValues(),
        [](const Settings& s) {
            return indexOf(kRegisterCaps, [&](int cap) { return cap == s.variant.maxRegisters; });
        },
        [](Settings& s, int value) { s.variant.maxRegisters = kRegisterCaps[value]; }));
    rows.push_back(
        where(wholePaths, "engine=megakernel or regeneration",
              choice("samples_as", "Samples as",
                     "A thread takes the samples of its pixel one after the other, or each "
                     "sample has a thread and a warp the samples of one pixel.",
                     "voxel-tracer", launch, false, true,
                     {{"loop", "loop in a thread"}, {"threads", "a thread each"}},
                     RAYSCOPE_MEMBER(variant.samplesAs, SamplesAs))));
    rows.push_back(where(
        [](const Settings& s) {
            return s.backend == Backend::cpu ||
                   (wholePaths(s) && s.variant.samplesAs == SamplesAs::loop);
        },
        "samples_as=loop",
        choice("order", "Pixel order",
               "Whether the 32 lanes of a warp (on the CPU: a thread's piece of "
               "work) cover a row of pixels, a column or a compact tile.",
               "voxel-tracer, business card", launch, true, true,
               {{"rows", "rows"}, {"columns", "columns"}, {"tiles", "tiles"}},
               RAYSCOPE_MEMBER(variant.order, Order))));
    rows.push_back(
        number("samples", "Samples / launch",
               "Samples a pixel that one launch traces; the window takes fewer where they "
               "would not fit into a frame.",
               "voxel-tracer", launch, true, true, 1, 1024, RAYSCOPE_MEMBER(samples, int)));
    rows.push_back(number("launches", "Launches / present",
                          "Launches between two presented frames, as far as the "
                          "frame budget allows.",
                          "codeplay-tracy", launch, true, true, 1, 64,
                          RAYSCOPE_MEMBER(launches, int)));
}

std::vector<Axis> makeAxes() {
    std::vector<Axis> rows;
    for (auto add : {addBackend, addKernel, addWavefront, addScene, addPath, addLaunch}) add(rows);
    return rows;
}

#undef RAYSCOPE_MEMBER

}  // namespace

const std::vector<Axis>& axes() {
    static const std::vector<Axis> table = makeAxes();
    return table;
}

}  // namespace rayscope
