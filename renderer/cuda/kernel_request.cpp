#include "renderer/cuda/kernel_request.h"

#include "renderer/choices/kernel_variant.h"
#include "renderer/cpu/programs.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/wave_memory.h"

namespace rayscope {

BuildRequest requestOf(const Variant& v, int source, int architecture, const std::string& baked) {
    BuildRequest request{programOf(v, architecture), v, source, kernelSourcesVersion(source),
                         v.sceneMemory == SceneMemory::baked ? baked : std::string()};
    const bool hybrid = v.engine == Engine::hybrid;
    if (hybrid || v.raySource == RaySource::host || sumsOnHost(v))
        request.host = stageProgram(v, hybrid ? SampleLayout::aos : v.sampleLayout);
    return request;
}

BuildRequest kernelRequest(const Settings& settings, const Scene& scene, int architecture) {
    const std::string baked = bakedTextOf(scene);
    return requestOf(kernelVariant(settings, traitsOf(scene), bakedIdOf(baked)), settings.source, architecture,
                     baked);
}

}  // namespace rayscope
