#include "renderer/cuda/device_scene.h"

#include <utility>

#include "renderer/cuda/check.h"

namespace rayscope {

DeviceScene::~DeviceScene() {
    release();
}

void DeviceScene::release() {
    for (Block& b : blocks_) {
        if (b.device != nullptr) warn(cudaFree(b.device), "free a scene");
        b = {};
    }
}

void DeviceScene::set(const SharedScene& scene) {
    release();
    structures_.change();
    scene_ = scene;
    traits_ = traitsOf(scene);
    ++version_;
}

void DeviceScene::adjust(int number, const Sphere& sphere) {
    scene_.change([&](Scene& scene) { scene.spheres[number] = sphere; });
    const Traits before = std::exchange(traits_, traitsOf(scene_));
    if (structures_.move(number) || !(traits_ == before)) release();
    for (Block& b : blocks_) {
        if (b.bytes.empty()) continue;
        b.precision == Precision::float64
            ? packSphere<double>(b.bytes, scene_, b.layout, traits_, number)
            : packSphere<float>(b.bytes, scene_, b.layout, traits_, number);
        b.copied = false;
    }
    ++version_;
}

DeviceScene::Block& DeviceScene::block(Precision precision, SceneLayout layout, Accel accel) {
    return blocks_[(static_cast<int>(precision) * 2 + static_cast<int>(layout)) * 4 +
                   static_cast<int>(accel)];
}

const PackedScene& DeviceScene::packed(Precision precision, SceneLayout layout, Accel accel) {
    Block& b = block(precision, layout, accel);
    if (b.bytes.empty()) {
        b.precision = precision;
        b.layout = layout;
        b.bytes = precision == Precision::float64
                      ? packScene<double>(scene_, layout, accel, &structures_)
                      : packScene<float>(scene_, layout, accel, &structures_);
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
