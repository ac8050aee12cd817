#include "renderer/cuda/device_scene.h"

#include <utility>

#include "renderer/cuda/check.h"

namespace rayscope {

DeviceScene::~DeviceScene() {
    release();
}

void DeviceScene::release() {
    for (Block& b : blocks_) release(b);
}

void DeviceScene::release(Block& b) {
    if (b.device != nullptr) warn(cudaFree(b.device), "free a scene");
    b = {};
}

void DeviceScene::set(const SharedScene& scene) {
    release();
    bvh_.change();
    scene_ = scene;
    traits_ = traitsOf(scene);
    ++version_;
}

void DeviceScene::adjust(int number, const Sphere& sphere) {
    scene_.change([&](Scene& scene) { scene.spheres[number] = sphere; });
    const Traits before = std::exchange(traits_, traitsOf(scene_));
    if (bvh_.move(number) || !(traits_ == before)) release();
    for (Block& b : blocks_) {
        if (b.bytes.empty()) continue;
        if (b.accel == Accel::grid) {  // built again when it is asked for
            release(b);
            continue;
        }
        b.precision == Precision::float64
            ? packSphere<double>(b.bytes, scene_, b.layout, traits_, number)
            : packSphere<float>(b.bytes, scene_, b.layout, traits_, number);
        b.copied = false;
    }
    ++version_;
}

DeviceScene::Block& DeviceScene::block(Precision precision, SceneLayout layout, Accel accel) {
    return blocks_[(static_cast<int>(precision) * 2 + static_cast<int>(layout)) * 3 +
                   static_cast<int>(accel)];
}

const PackedScene& DeviceScene::packed(Precision precision, SceneLayout layout, Accel accel) {
    Block& b = block(precision, layout, accel);
    if (b.bytes.empty()) {
        b.precision = precision;
        b.layout = layout;
        b.accel = accel;
        b.bytes = precision == Precision::float64 ? packScene<double>(scene_, layout, accel, &bvh_)
                                                  : packScene<float>(scene_, layout, accel, &bvh_);
    }
    return b.bytes;
}

const unsigned char* DeviceScene::onDevice(Precision precision, SceneLayout layout, Accel accel) {
    const PackedScene& bytes = packed(precision, layout, accel);
    Block& b = block(precision, layout, accel);
    if (b.device == nullptr && !bytes.empty())
        check(cudaMalloc(reinterpret_cast<void**>(&b.device), bytes.size()), "allocate the scene");
    if (!b.copied && !bytes.empty()) {
        check(cudaMemcpyAsync(b.device, bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
              "copy the scene to the device");
        b.copied = true;
    }
    return b.device;
}

}  // namespace rayscope
