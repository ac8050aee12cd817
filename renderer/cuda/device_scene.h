#pragma once

#include <array>
#include <vector>

#include "renderer/scene/shared_scene.h"
#include "renderer/scene/structures.h"

namespace rayscope {

/// A scene packed for each precision, layout and search, in host and device memory, on demand.
class DeviceScene {
public:
    DeviceScene() = default;
    ~DeviceScene();
    DeviceScene(const DeviceScene&) = delete;
    DeviceScene& operator=(const DeviceScene&) = delete;

    void set(const SharedScene& scene);
    /// Renderer::adjustSphere()
    void adjust(int number, const Sphere& sphere);
    void giveHierarchy(const Bvh& built) { structures_.bvh.give(built); }
    const Scene& scene() const { return scene_; }
    const Traits& traits() const { return traits_; }
    /// Grows with every set() and adjust(); 1 after the first.
    unsigned version() const { return version_; }

    const PackedScene& packed(Precision precision, SceneLayout layout, Accel accel);
    /// The same bytes in global memory. Throws std::runtime_error.
    const unsigned char* onDevice(Precision precision, SceneLayout layout, Accel accel);

private:
    struct Block {
        Precision precision{};
        SceneLayout layout{};
        PackedScene bytes;
        unsigned char* device = nullptr;
        bool copied = false;  ///< the device has the same bytes
    };
    Block& block(Precision precision, SceneLayout layout, Accel accel);
    void release();

    SharedScene scene_;
    Traits traits_;
    Structures structures_;
    unsigned version_ = 0;
    std::array<Block, 16> blocks_;  ///< of 2 precisions, 2 layouts and 4 searches
};

}  // namespace rayscope
