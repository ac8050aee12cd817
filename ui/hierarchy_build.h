#pragma once

#include <future>

#include "renderer/scene/bvh.h"
#include "renderer/state.h"
#include "ui/backends.h"

namespace rayscope {

/// Builds the hierarchy of a scene that is too large for a frame on a thread beside the window,
/// which meanwhile shows what it has.
class HierarchyBuild {
public:
    /// The renderers have another scene, not only moved spheres.
    void sceneChanged();

    /// False while what the state walks is being built; afterwards the renderers have it.
    bool ready(Backends& backends, const State& state);

private:
    struct Built {
        Bvh bvh;
        long scene;
    };

    long scene_ = 0;      ///< counts them
    bool given_ = false;  ///< the renderers have this one's hierarchy
    std::future<Built> work_;
};

}  // namespace rayscope
