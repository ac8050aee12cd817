#include "renderer/cuda/kernel_request.h"

#include <bit>

#include "renderer/choices/axes.h"
#include "renderer/scene/bake.h"

namespace rayscope {

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
    return v;
}

std::string bakedTextOf(const Scene& scene) {
    if (isOfTriangles(scene) || scene.spheres.size() > kMaxBakedSpheres) return {};
    return bakedScene(scene);
}

BuildRequest kernelRequest(const Settings& settings, const Scene& scene) {
    const std::string text = bakedTextOf(scene);
    const Variant v = kernelVariant(settings, traitsOf(scene), text.empty() ? 0 : bakedId(text));
    return {v, settings.source, kernelSourcesVersion(settings.source),
            v.sceneMemory == SceneMemory::baked ? text : std::string()};
}

}  // namespace rayscope
