#pragma once

#include <functional>
#include <future>

#include "renderer/scene/bvh.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

/// Builds the hierarchy of a scene that is too large for a frame of a window on a thread beside it.
/// The destructor waits for one under way.
class BvhBuild {
public:
    /// The renderers have another scene, not only moved spheres.
    void sceneChanged();

    /// False while the hierarchy of this scene is being built, which is waited for so long at most;
    /// when it is there, `give` gets it, once. Small scenes are left to the renderers.
    bool ready(const SharedScene& scene, double waitMs,
               const std::function<void(const Bvh&)>& give);

private:
    struct Built {
        Bvh bvh;
        long scene;
    };

    long scene_ = 0;  ///< counts them
    bool given_ = false;
    std::future<Built> work_;
};

}  // namespace rayscope
