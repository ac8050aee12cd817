#include "ui/hierarchy_build.h"

#include <chrono>

namespace rayscope {

namespace {

/// Some 5 ms of one core; 100 000 spheres take 0.2 s.
constexpr size_t kSpheresInAFrame = 4096;

bool walks(const Settings& settings) {
    return settings.variant.accel == Accel::bvh;
}

}  // namespace

void HierarchyBuild::sceneChanged() {
    ++scene_;
    given_ = false;
}

bool HierarchyBuild::ready(Backends& backends, const State& state) {
    const bool needed = walks(state.settings) || (state.pinned && walks(state.pinned->settings));
    if (given_ || !needed || state.scene.spheres.size() <= kSpheresInAFrame) return true;
    if (work_.valid()) {
        if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        const Built built = work_.get();
        given_ = built.scene == scene_;
        if (given_) backends.giveHierarchy(built.bvh);
    }
    if (given_) return true;
    work_ = std::async(std::launch::async, [scene = state.scene, number = scene_] {
        return Built{buildBvh(scene), number};
    });
    return false;
}

}  // namespace rayscope
