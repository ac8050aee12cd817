// Which combinations of choices cannot be had on any device, each with its reason.

#include <fmt/format.h>

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

std::string lightProblem(const Scene& scene) {
    if (scene.floor)
        return "light_sampling=on: this scene's floor and spheres sample its lamp already";
    if (lightCount(scene) == 0) return "light_sampling=on: this scene has no emissive sphere";
    if (lightCount(scene) > kMaxLights) {
        return fmt::format(
            "light_sampling=on: this scene has {} emissive spheres, at most {} are sampled",
            lightCount(scene), kMaxLights);
    }
    return {};
}

std::string cpuProblem(const Settings& settings) {
    const Variant& v = settings.variant;
    if (settings.display != Display::host) {
        return fmt::format("display={}: the cpu backend writes host memory (display=host)",
                           settings.display == Display::interop ? "interop" : "copy");
    }
    if (v.engine == Engine::hybrid) return "engine=hybrid: it needs a GPU (backend=cuda)";
    if (v.engine != Engine::wavefront) return {};
    if (v.compaction == Compaction::device)
        return "compaction=device: there is no device on the cpu backend (compaction=host)";
    if (v.stages == Stages::fusedPrimary)
        return "kernels=fused_primary: the cpu backend has separate and fused stages";
    return {};
}

std::string memoryProblem(const Variant& v, const Scene& scene) {
    const size_t count = scene.spheres.size();
    switch (v.sceneMemory) {
        case SceneMemory::global:
            return {};
        case SceneMemory::constant:
            if (count > kMaxConstantSpheres) {
                return fmt::format(
                    "scene_memory=constant: {} spheres and their materials do not fit into "
                    "64 KiB, at most {} do",
                    count, kMaxConstantSpheres);
            }
            if (const size_t bytes = packedBytes(scene, v); bytes > kConstantBytes) {
                return fmt::format(
                    "scene_memory=constant: {} spheres and the BVH over them may need {} bytes, "
                    "and there are {} (accel=brute)",
                    count, bytes, kConstantBytes);
            }
            return {};
        case SceneMemory::shared:
            if (v.accel == Accel::bvh)
                return "scene_memory=shared: tiles are read in order, which a BVH is not "
                       "(accel=brute)";
            if (v.engine == Engine::regeneration)
                return "scene_memory=shared: all threads of a block load a tile together, which "
                       "engine=regeneration does not let them (engine=megakernel)";
            if (v.engine == Engine::megakernel && v.path != Path::loop)
                return "scene_memory=shared: all threads of a block load a tile together, which "
                       "only path=loop lets them";
            return {};
        case SceneMemory::baked:
            if (v.accel == Accel::bvh)
                return "scene_memory=baked: spheres that are numbers in the code cannot be looked "
                       "up, as a BVH does (accel=brute)";
            if (count > kMaxBakedSpheres) {
                return fmt::format(
                    "scene_memory=baked: {} spheres would make more code than the instruction "
                    "cache holds, at most {} are baked",
                    count, kMaxBakedSpheres);
            }
            return {};
    }
    return {};
}

/// The engines that keep paths in memory between their stages.
std::string stagesProblem(const Variant& v) {
    if (v.engine == Engine::hybrid && v.compaction == Compaction::device)
        return "compaction=device: engine=hybrid scatters on the CPU, which keeps the list "
               "(compaction=host)";
    if (v.engine != Engine::wavefront) return {};
    if (v.raySource == RaySource::fused && v.stages == Stages::separate)
        return "ray_source=fused: camera rays are made in a kernel that traces and scatters "
               "(kernels=fused_primary or fused)";
    if (v.access == Access::reference &&
        (v.stateLayout != StateLayout::aos || v.sampleLayout != SampleLayout::aos))
        return "access=reference: references need structs (state_layout=aos sample_layout=aos)";
    if (v.access != Access::copyAll && v.sceneLayout != SceneLayout::aos)
        return "access=reference and copy_state refer to the material, which needs structs "
               "(scene_layout=aos)";
    if (v.accumulate == Accumulate::hostSamples && v.sampleLayout != SampleLayout::aos)
        return "accumulate=host_samples copies structs back (sample_layout=aos)";
    if (v.accumulate == Accumulate::hostColour && v.sampleLayout != SampleLayout::float3)
        return "accumulate=host_colour copies one array back (sample_layout=float3)";
    if (v.accumulate == Accumulate::hostSplit && v.sampleLayout != SampleLayout::split)
        return "accumulate=host_split copies three arrays back (sample_layout=split)";
    return {};
}

std::string cudaProblem(const Settings& settings, const Scene& scene) {
    const Variant& v = settings.variant;
    if (settings.display == Display::host)
        return "display=host: the cuda backend writes device memory";
    // Every CUDA device so far has 65536 registers a multiprocessor, given out to whole blocks.
    if (v.maxRegisters * v.blockX * v.blockY > 65536) {
        return fmt::format(
            "max_registers={} times {} threads a block is more than the 65536 "
            "registers of a multiprocessor",
            v.maxRegisters, v.blockX * v.blockY);
    }
    std::string problem = memoryProblem(v, scene);
    return problem.empty() ? stagesProblem(v) : problem;
}

}  // namespace

std::string unsupported(const Settings& settings, const Scene& scene) {
    if (settings.variant.lightSampling) {
        std::string problem = lightProblem(scene);
        if (!problem.empty()) return problem;
    }
    return settings.backend == Backend::cpu ? cpuProblem(settings) : cudaProblem(settings, scene);
}

}  // namespace rayscope
