#include "renderer/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace rayscope {

namespace {

struct Block {
    int x, y;
};

/// One warp's worth to 512 threads, square, wide and flat: the shapes of the four stories.
constexpr std::array<Block, 12> kBlocks{{{8, 4},
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
                                         {256, 1}}};

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
        values.push_back({id, fmt::format("{} x {}  ({} threads)", b.x, b.y, b.x * b.y)});
    }
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

Axis choice(std::string_view id, std::string_view label, std::string_view help,
            std::string_view story, AxisGroup group, bool onCpu, bool onCuda,
            std::vector<AxisValue> values, int (*get)(const Settings&),
            void (*set)(Settings&, int)) {
    const int last = static_cast<int>(values.size()) - 1;
    return {id, label, help, story, AxisKind::choice, group, onCpu, onCuda, std::move(values),
            0,  last,  get,  set};
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
            minimum, maximum, get,  set};
}

std::vector<Axis> makeAxes() {
    using enum AxisGroup;
    std::vector<Axis> rows;
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
    rows.push_back(number("threads", "Threads",
                          "How many CPU threads trace; 0 is one for each core.", "business card",
                          backend, true, false, 0, 256, RAYSCOPE_MEMBER(threads, int)));
    rows.push_back(
        choice("path", "Path",
               "How a path is followed: a function that calls itself, an explicit stack of "
               "vertices, or a loop that carries the throughput.",
               "smallpt, business card", kernel, true, true,
               {{"recursive", "recursion"}, {"stack", "explicit stack"}, {"loop", "loop"}},
               RAYSCOPE_MEMBER(variant.path, Path)));
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
    rows.push_back(
        choice("scene_layout", "Scene layout",
               "Spheres and materials as an array of structs or as one "
               "array for each component; on the CPU only the latter becomes vector code.",
               "voxel-tracer", scene, true, true,
               {{"aos", "array of structs"}, {"soa", "struct of arrays"}},
               RAYSCOPE_MEMBER(variant.sceneLayout, SceneLayout)));
    rows.push_back(choice("scene_memory", "Scene memory",
                          "Whether kernels read the scene from global memory through "
                          "the caches or from the constant bank, which broadcasts to a whole warp.",
                          "voxel-tracer", scene, false, true,
                          {{"global", "global"}, {"constant", "constant"}},
                          RAYSCOPE_MEMBER(variant.sceneMemory, SceneMemory)));
    rows.push_back(toggle("light_sampling", "Light sampling",
                          "One shadow ray to every lamp from each diffuse hit, "
                          "instead of waiting for paths to find the lamps: more rays, less noise.",
                          "voxel-tracer", path, true, true,
                          RAYSCOPE_MEMBER(variant.lightSampling, bool)));
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
    rows.push_back(choice("order", "Pixel order",
                          "Whether the 32 lanes of a warp (on the CPU: a thread's piece of "
                          "work) cover a row of pixels or a compact tile.",
                          "voxel-tracer", launch, true, true,
                          {{"rows", "rows"}, {"tiles", "tiles"}},
                          RAYSCOPE_MEMBER(variant.order, Order)));
    rows.push_back(number("samples", "Samples / launch", "Samples a pixel that one launch traces.",
                          "voxel-tracer", launch, true, true, 1, 1024,
                          RAYSCOPE_MEMBER(samples, int)));
    rows.push_back(number("launches", "Launches / present",
                          "Launches between two presented frames, as far as the "
                          "frame budget allows.",
                          "codeplay-tracy", launch, true, true, 1, 64,
                          RAYSCOPE_MEMBER(launches, int)));
    rows.push_back(number("depth", "Depth", "The longest path, in rays.", "voxel-tracer", path,
                          true, true, 1, kMaxDepth, RAYSCOPE_MEMBER(depth, int)));
    rows.push_back(
        choice("display", "Display path",
               "How the film reaches the screen: written by CUDA into the "
               "OpenGL buffer, copied through pinned host memory, or written by the CPU.",
               "codeplay-tracy", backend, true, true,
               {{"interop", "interop"}, {"copy", "copy"}, {"host", "host"}},
               RAYSCOPE_MEMBER(display, Display)));
    return rows;
}

#undef RAYSCOPE_MEMBER

std::string listOf(const std::vector<AxisValue>& values) {
    std::string list;
    for (const AxisValue& v : values) list += (list.empty() ? "" : ", ") + v.id;
    return list;
}

}  // namespace

const std::vector<Axis>& axes() {
    static const std::vector<Axis> table = makeAxes();
    return table;
}

const Axis* findAxis(std::string_view id) {
    for (const Axis& axis : axes()) {
        if (axis.id == id) return &axis;
    }
    return nullptr;
}

std::string valueOf(const Axis& axis, const Settings& settings) {
    const int value = axis.get(settings);
    return axis.kind == AxisKind::number ? std::to_string(value) : axis.values[value].id;
}

std::string assign(Settings& settings, std::string_view assignment) {
    const size_t equals = assignment.find('=');
    const std::string_view id = assignment.substr(0, equals);
    const Axis* axis = findAxis(id);
    if (axis == nullptr) {
        std::string known;
        for (const Axis& a : axes()) known += (known.empty() ? "" : ", ") + std::string(a.id);
        return fmt::format("unknown axis '{}': the axes are {}", id, known);
    }
    if (equals == std::string_view::npos)
        return fmt::format("'{}' lacks a value: write {}=VALUE", id, id);
    const std::string_view value = assignment.substr(equals + 1);
    if (axis->kind == AxisKind::number) {
        int n = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
        if (error != std::errc() || end != value.data() + value.size() || n < axis->minimum ||
            n > axis->maximum) {
            return fmt::format("{}={} is not possible: {} is a whole number from {} to {}", id,
                               value, id, axis->minimum, axis->maximum);
        }
        axis->set(settings, n);
        return {};
    }
    for (size_t i = 0; i < axis->values.size(); ++i) {
        if (axis->values[i].id != value) continue;
        axis->set(settings, static_cast<int>(i));
        return {};
    }
    return fmt::format("{}={} is not possible: {} is one of {}", id, value, id,
                       listOf(axis->values));
}

std::string unsupported(const Settings& settings, const Scene& scene) {
    const Variant& v = settings.variant;
    if (v.lightSampling) {
        if (scene.floor)
            return "light_sampling=on: this scene's floor and spheres sample its lamp already";
        if (lightCount(scene) == 0) return "light_sampling=on: this scene has no emissive sphere";
        if (lightCount(scene) > kMaxLights) {
            return fmt::format(
                "light_sampling=on: this scene has {} emissive spheres, at most {} are sampled",
                lightCount(scene), kMaxLights);
        }
    }
    if (settings.backend == Backend::cpu) {
        if (settings.display != Display::host) {
            return fmt::format("display={}: the cpu backend writes host memory (display=host)",
                               settings.display == Display::interop ? "interop" : "copy");
        }
        return {};
    }
    if (settings.display == Display::host)
        return "display=host: the cuda backend writes device memory";
    if (v.sceneMemory == SceneMemory::constant && scene.spheres.size() > kMaxConstantSpheres) {
        return fmt::format(
            "scene_memory=constant: {} spheres and their materials do not fit into "
            "64 KiB, at most {} do",
            scene.spheres.size(), kMaxConstantSpheres);
    }
    // Every CUDA device so far has 65536 registers a multiprocessor, given out to whole blocks.
    if (v.maxRegisters * v.blockX * v.blockY > 65536) {
        return fmt::format(
            "max_registers={} times {} threads a block is more than the 65536 "
            "registers of a multiprocessor",
            v.maxRegisters, v.blockX * v.blockY);
    }
    return {};
}

std::string describe(const Settings& settings) {
    std::string text;
    for (const Axis& axis : axes()) {
        if (!axis.appliesTo(settings.backend)) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis.id, valueOf(axis, settings));
    }
    return text;
}

std::string difference(const Settings& before, const Settings& after) {
    std::string text;
    for (const Axis& axis : axes()) {
        if (!axis.appliesTo(after.backend) || axis.get(before) == axis.get(after)) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis.id, valueOf(axis, after));
    }
    return text;
}

}  // namespace rayscope
