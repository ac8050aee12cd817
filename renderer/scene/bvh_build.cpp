#include "renderer/scene/bvh_build.h"

#include <memory>

namespace rayscope {

void BvhBuild::sceneChanged() {
    ++scene_;
    given_ = false;
}

bool BvhBuild::ready(const SharedScene& scene, double waitMs,
                     const std::function<void(const SharedBvh&)>& give) {
    if (given_ || shapeCount(*scene) <= kSpheresInAFrame) return true;
    const auto begin = [&] {
        return [scene] { return std::make_shared<const Bvh>(buildBvh(*scene)); };
    };
    built_.ready(scene_, waitMs, begin, [&](long number, const SharedBvh& bvh) {
        given_ = number == scene_;  // else it begins again
        if (given_) give(bvh);
    });
    return given_;
}

}  // namespace rayscope
