#include "renderer/choices/kernel_variant.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>

#include "renderer/choices/axes.h"
#include "renderer/scene/bake.h"

namespace rayscope {

namespace {

int supportedLevel() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return 3;
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) return 2;
#endif
    return 1;
}

/// Resolves what depends on the processor.
void fitToProcessor(Variant& v) {
    const int level = processorLevel();
    if (v.engine == Engine::packets) {
        if (v.lanes == PacketLanes::widest)
            v.lanes = widestPackets() == 16 ? PacketLanes::sixteen : PacketLanes::eight;
        v.isa = v.lanes == PacketLanes::sixteen ? 4 : 3;
        return;
    }
    v.isa = v.opt == Opt::native ? level : 1;
    if (v.vectors == Vectors::widest) {
        v.vectors = v.isa == 4   ? Vectors::bits512
                    : v.isa == 3 ? Vectors::bits256
                                 : Vectors::bits128;
    }
}

/// A loop over more spheres gains nothing from their number, and each scene would need a kernel of
/// its own.
constexpr int kMostCounted = 128;

}  // namespace

namespace {

std::atomic<int>& levelInUse() {
    static std::atomic<int> level = [] {
        const char* const most = std::getenv("RAYSCOPE_ISA");
        const int supported = supportedLevel();
        return most == nullptr ? supported : std::clamp(std::atoi(most), 1, supported);
    }();
    return level;
}

}  // namespace

int processorLevel() {
    return levelInUse();
}

void assumeProcessorLevel(int level) {
    levelInUse() = level;
}

int widestPackets() {
    return processorLevel() >= 4 ? 16 : processorLevel() == 3 ? 8 : 0;
}

Traits kernelTraits(SceneMemory memory, Traits scene, unsigned baked) {
    scene.baked = memory == SceneMemory::baked ? baked : 0;
    return scene;
}

Variant kernelVariant(const Settings& settings, const Traits& scene, unsigned baked) {
    Variant v = canonical(settings).variant;
    v.traits = kernelTraits(v.sceneMemory, scene, baked);
    v.stackLevels = v.path == Path::stack
                        ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(settings.depth)))
                        : kMaxDepth;
    if (settings.backend == Backend::cpu) {
        fitToProcessor(v);
        if (v.traits.features & kTriangles)
            v.wide = v.accel == Accel::bvh4 ? 4 : v.accel == Accel::bvh8 ? 8 : 0;
        if (v.traits.sphereCount > kMostCounted) v.traits.sphereCount = 0;
    }
    return v;
}

std::string bakedTextOf(const Scene& scene) {
    if (isOfTriangles(scene) || scene.spheres.size() > kMaxBakedSpheres) return {};
    return bakedScene(scene);
}

unsigned bakedIdOf(const std::string& text) {
    return text.empty() ? 0 : bakedId(text);
}

}  // namespace rayscope
