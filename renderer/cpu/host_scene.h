#pragma once

#include "renderer/scene/bvh.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

/// A scene, packed as the kernels read it when they ask for it.
class HostScene {
public:
    void set(const SharedScene& scene);
    /// Renderer::adjustSphere()
    void adjust(int number, const Sphere& sphere);
    void giveHierarchy(const Bvh& built) { bvh_.give(built); }
    const Scene& scene() const { return scene_; }
    const Traits& traits() const { return traits_; }
    /// Differs for every set(), from 1.
    unsigned version() const { return version_; }

    template <class Real>
    const unsigned char* packed(SceneLayout layout, Accel accel);

private:
    SharedScene scene_;
    Traits traits_;
    EditedBvh bvh_;
    unsigned version_ = 0;
    PackedScene packed_;  ///< empty: to be made
    SceneLayout layout_{};
    Accel accel_{};
    size_t realBytes_ = 0;
};

}  // namespace rayscope
