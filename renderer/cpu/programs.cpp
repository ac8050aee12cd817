#include "renderer/cpu/programs.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "renderer/choices/kernel_variant.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/host_compiler.h"

namespace rayscope {

namespace {

const char* sourceOf(const Variant& v) {
    switch (v.engine) {
        case Engine::wavefront:
            return kHostWaves;
        case Engine::packets:
            return kHostPackets;
        default:
            return kHostPaths;
    }
}

KernelProgram program(const Variant& v, const char* source) {
    return {&hostCompiler(v.compiler), source, {}, hostFlags(v)};
}

std::string expression(const char* kernel, const Variant& v) {
    return fmt::format("rayscope::{}<{}>", kernel, variantExpression(v));
}

}  // namespace

BuildRequest hostRequest(const Variant& v, int source, const std::string& baked) {
    KernelProgram wanted = program(v, sourceOf(v));
    wanted.kernels.push_back({Stage::whole, expression("render", v)});
    return {std::move(wanted), v, source, kernelSourcesVersion(source),
            v.sceneMemory == SceneMemory::baked ? baked : std::string()};
}

std::string editedProblem(const KernelProgram& program, int source) {
    if (source == kBuiltIn) return {};
    if (sourcesOf(program, kernelSources(source)) == sourcesOf(program, embeddedKernelSources()))
        return {};
    return fmt::format(
        "on a CPU this is found out with source=built_in only: {} is edited, or what it includes",
        program.source);
}

KernelProgram recordProgram(const Variant& v) {
    KernelProgram wanted = program(v, kHostPaths);
    wanted.kernels.push_back({Stage::record, expression("record", v)});
    return wanted;
}

KernelProgram forceProgram(const ForceVariant& forces, const Variant& options) {
    KernelProgram wanted = program(options, kHostForces);
    wanted.flags.insert(wanted.flags.end(), {"-ffast-math", "-ffp-contract=fast"});
    const auto value = [](const char* type, auto number) {
        return fmt::format("rayscope::{}({})", type, static_cast<int>(number));
    };
    const std::string variant = fmt::format(
        "rayscope::ForceVariant{{{}, {}, {}, {}, {}, {}}}", value("Forces", forces.forces),
        forces.tile, value("BodyLayout", forces.layout), value("Precision", forces.precision),
        value("Math", forces.math), forces.equalMasses);
    for (const Stage stage : {Stage::accelerate, Stage::move, Stage::potential})
        wanted.kernels.push_back({stage, fmt::format("rayscope::{}<{}>", nameOf(stage), variant)});
    return wanted;
}

KernelProgram stageProgram(const Variant& gpu, SampleLayout summed) {
    Variant v = gpu;
    Variant host;
    v.code = host.code;
    v.maxRegisters = host.maxRegisters;
    v.blockX = host.blockX;
    v.blockY = host.blockY;
    v.sceneLayout = SceneLayout::soa;
    v.sceneMemory = SceneMemory::global;
    v.accel = Accel::brute;
    v.math = Math::precise;
    v.sampleLayout = summed;
    v.stages = Stages::separate;
    v.compaction = Compaction::off;
    v.access = Access::copyAll;
    v.isa = processorLevel();
    KernelProgram wanted = program(v, kHostStages);
    wanted.kernels = {{Stage::generate, expression("generatePaths", v)},
                      {Stage::shade, expression("shadePaths", v)},
                      {Stage::addSums, expression("sumPixels", v)}};
    return wanted;
}

std::vector<Variant> anySceneVariants() {
    std::vector<Variant> all;
    const auto add = [&](Engine engine, Accel accel, unsigned features) {
        Settings s;
        s.backend = Backend::cpu;
        s.variant.engine = engine;
        s.variant.accel = accel;
        s.variant.math = Math::precise;
        s.variant.sceneMemory = SceneMemory::global;
        s.triangles = (features & kTriangles) != 0;
        all.push_back(forAnyScene(kernelVariant(s, {features, 0, 0}, 0)));
    };
    const Engine engine = widestPackets() > 0 ? Engine::packets : Engine::megakernel;
    for (const unsigned walls : {0u, unsigned(kWalls)}) {
        for (const Accel accel : {Accel::brute, Accel::bvh}) add(engine, accel, walls);
        add(Engine::megakernel, Accel::bvh8, kTriangles | walls);
    }
    add(Engine::megakernel, Accel::bvh8, kTriangles | kPlaces);
    return all;
}

namespace {

/// Whether a kernel lies in the cache. Asked for every value of every axis, so answers are kept.
bool isCached(const Variant& v, const std::string& baked) {
    static std::mutex mutex;
    static std::map<std::string, bool> known;
    const std::string name = variantExpression(v);  // the sources are those built in
    const std::lock_guard lock(mutex);
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    const BuildRequest request = hostRequest(v, kBuiltIn, baked);
    return known[name] =
               loadCached(KernelCache::common(), request.program, sourcesOf(request)).has_value();
}

}  // namespace

Variant prebuiltWithoutCompiler(const Variant& v, const std::string& baked) {
    if (missingCompiler(v.compiler).empty() || isCached(v, baked)) return v;
    const Variant any = forAnyScene(v);
    return isCached(any, {}) ? any : v;
}

std::string lacksCompiler(const Variant& v, const std::string& baked) {
    const std::string missing = missingCompiler(v.compiler);
    if (missing.empty() || isCached(v, baked)) return {};
    if (v.compiler == HostCompiler::clang) return "compiler=clang: " + missing;
    return "a kernel that the program was not built with " + missing;
}

Variant forAnyScene(Variant v) {
    constexpr unsigned kStored = kWalls | kPlaces;
    unsigned features = (kAllFeatures & ~kWalls) | kAnyScene | (v.traits.features & kStored);
    if (v.traits.features & kTriangles) features |= kTriangles | kPictures;
    v.traits = {features, 0, 0};
    if (v.engine == Engine::packets && v.accel == Accel::brute) v.scan = Scan::listed;
    return v;
}

bool covers(const Traits& kernel, const Traits& scene) {
    if (kernel == scene) return true;
    if ((kernel.features & kAnyScene) == 0) return false;
    // these decide how the scene is stored
    constexpr unsigned kStored = kWalls | kTriangles | kPlaces;
    const bool stored = (kernel.features & kStored) == (scene.features & kStored);
    return stored && (scene.features & ~kernel.features) == 0 && kernel.sphereCount == 0;
}

}  // namespace rayscope
