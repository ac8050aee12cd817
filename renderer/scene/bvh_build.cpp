#include "renderer/scene/bvh_build.h"

#include <chrono>

namespace rayscope {

void BvhBuild::sceneChanged() {
    ++scene_;
    given_ = false;
}

bool BvhBuild::ready(const SharedScene& scene, double waitMs,
                     const std::function<void(const SharedBvh&)>& give) {
    if (given_ || shapeCount(*scene) <= kSpheresInAFrame) return true;
    if (!work_.valid()) {
        work_ = std::async(std::launch::async, [scene, number = scene_] {
            return Built{std::make_shared<const Bvh>(buildBvh(*scene)), number};
        });
    }
    const std::chrono::duration<double, std::milli> wait(waitMs);
    if (work_.wait_for(wait) != std::future_status::ready) return false;
    const Built built = work_.get();
    given_ = built.scene == scene_;  // else it begins again with the next call
    if (given_) give(built.bvh);
    return given_;
}

}  // namespace rayscope
