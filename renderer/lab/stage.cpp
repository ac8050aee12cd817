#include "renderer/lab/stage.h"

namespace rayscope {

Result<Renderer*> Stage::enter(const Settings& settings, const SharedScene& scene) {
    Renderer* const renderer = machine_.of(settings.backend);
    if (renderer == nullptr) return Failure{machine_.noCuda};
    std::uint64_t& version = versionOf_[settings.backend];
    if (version != scene.version()) {
        renderer->setScene(scene);
        machine_.hierarchy.sceneChanged();
        version = scene.version();
    }
    const std::string problem = renderer->unsupported(settings);
    if (!problem.empty()) return Failure{problem};
    return renderer;
}

bool Stage::hierarchyReady(const SharedScene& scene, double waitMs) {
    return machine_.hierarchy.ready(scene, waitMs, [&](const Bvh& built) {
        for (const auto& [backend, version] : versionOf_) {
            Renderer* const renderer = machine_.of(backend);  // none after it has failed
            if (renderer != nullptr && version == scene.version()) renderer->giveHierarchy(built);
        }
    });
}

}  // namespace rayscope
