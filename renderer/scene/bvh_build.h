#pragma once

#include <cstddef>
#include <functional>

#include "renderer/base/aside.h"
#include "renderer/scene/bvh.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

/// The hierarchy of so many is built within a frame: about 5 ms of one core. 100 000 take 0.2 s.
inline constexpr std::size_t kSpheresInAFrame = 4096;

/// Builds the hierarchy of a large scene on a thread of its own, so that a window keeps its frame
/// rate. The destructor waits for a build under way.
class BvhBuild {
public:
    /// The renderers have another scene, not only moved spheres.
    void sceneChanged();

    /// Somebody else has built it, and the renderers have it.
    void given() { given_ = true; }

    /// False while the hierarchy of this scene is being built; waits up to `waitMs` for it. Once it
    /// is there, passes it to `give`, once. Small scenes are left to the renderers: always true.
    bool ready(const SharedScene& scene, double waitMs,
               const std::function<void(const SharedBvh&)>& give);

private:
    long scene_ = 0;  ///< number of the newest scene
    bool given_ = false;
    Aside<long, SharedBvh> built_;  ///< by the numbers of scenes
};

}  // namespace rayscope
