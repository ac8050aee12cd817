#include "renderer/lab/stage.h"

namespace rayscope {

Result<Renderer*> Stage::enter(const Settings& settings, const Scene& scene,
                               const std::string& name) {
    Renderer* const renderer = machine_.of(settings.backend);
    if (renderer == nullptr) return Failure{machine_.noCuda};
    const auto has = sceneOf_.find(settings.backend);
    if (has == sceneOf_.end() || has->second != name) {
        renderer->setScene(scene);
        machine_.hierarchy.sceneChanged();
    }
    name_ = sceneOf_[settings.backend] = name;
    const std::string problem = renderer->unsupported(settings);
    if (!problem.empty()) return Failure{problem};
    return renderer;
}

bool Stage::hierarchyReady(const Scene& scene, double waitMs) {
    return machine_.hierarchy.ready(scene, waitMs, [&](const Bvh& built) {
        for (const auto& [backend, name] : sceneOf_) {
            if (name == name_) machine_.of(backend)->giveHierarchy(built);
        }
    });
}

}  // namespace rayscope
