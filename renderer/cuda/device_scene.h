#pragma once

#include <array>
#include <vector>

#include "renderer/scene/bvh.h"
#include "renderer/scene/shared_scene.h"

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
    void giveHierarchy(const Bvh& built) { bvh_.give(built); }
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
        Accel accel{};
        PackedScene bytes;
        unsigned char* device = nullptr;
        bool copied = false;  ///< the device has the same bytes
    };
    Block& block(Precision precision, SceneLayout layout, Accel accel);
    void release();
    static void release(Block& block);

    SharedScene scene_;
    Traits traits_;
    EditedBvh bvh_;
    unsigned version_ = 0;
    std::array<Block, 12> blocks_;
};

}  // namespace rayscope
