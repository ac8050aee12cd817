#pragma once

#include <memory>

#include "renderer/backend/moved_scene.h"
#include "renderer/cpu/embree_scene.h"
#include "renderer/scene/structures.h"

namespace rayscope {

/// A scene, packed on demand in the layout that a kernel reads.
class HostScene {
public:
    void set(const SharedScene& scene);
    /// Renderer::moveSpheres()
    void follow(const MovedScene& scene);
    /// Renderer::adjustSphere()
    void adjust(int number, const Sphere& sphere);
    void giveHierarchy(const Bvh& built) { structures_.bvh.give(built); }
    /// Waits for a device where spheres have moved there.
    const SharedScene& scene() const { return scene_.now(); }
    /// The same but for where spheres are.
    const Scene& outline() const { return scene_.outline(); }
    const Traits& traits() const { return traits_; }
    /// Grows with every set(); 1 after the first.
    unsigned version() const { return version_; }

    template <class Real>
    const unsigned char* packed(SceneLayout layout, Accel accel, Hierarchy hierarchy,
                                TriangleTest test = TriangleTest::watertight);
    /// How long the last one packed took to build; -1: it has none.
    double buildMs() const;
    /// FrameStats::hierarchyBytes
    std::size_t hierarchyBytes() const;

private:
    MovedScene scene_{SharedScene()};
    Traits traits_;
    Structures structures_;
    unsigned version_ = 0;
    PackedScene packed_;               ///< empty: not packed yet
    std::unique_ptr<PeerScene> peer_;  ///< Accel::embree; packed_ points to it
    SceneLayout layout_{};
    Accel accel_{};
    Hierarchy hierarchy_{};
    TriangleTest test_{};
    size_t realBytes_ = 0;
};

}  // namespace rayscope
