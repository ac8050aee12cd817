#include "renderer/cuda/device_scene.h"

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

void DeviceScene::set(const Scene& scene, bool moves) {
    release();
    bvh_.change(moves);
    scene_ = scene;
    ++version_;
}

DeviceScene::Block& DeviceScene::block(Precision precision, SceneLayout layout, Accel accel) {
    return blocks_[(static_cast<int>(precision) * 2 + static_cast<int>(layout)) * 2 +
                   static_cast<int>(accel)];
}

const std::vector<unsigned char>& DeviceScene::packed(Precision precision, SceneLayout layout,
                                                      Accel accel) {
    Block& b = block(precision, layout, accel);
    if (b.bytes.empty()) {
        b.bytes = precision == Precision::float64 ? packScene<double>(scene_, layout, accel, &bvh_)
                                                  : packScene<float>(scene_, layout, accel, &bvh_);
    }
    return b.bytes;
}

const unsigned char* DeviceScene::onDevice(Precision precision, SceneLayout layout, Accel accel) {
    const std::vector<unsigned char>& bytes = packed(precision, layout, accel);
    Block& b = block(precision, layout, accel);
    if (b.device == nullptr && !bytes.empty()) {
        check(cudaMalloc(reinterpret_cast<void**>(&b.device), bytes.size()), "allocate the scene");
        check(cudaMemcpyAsync(b.device, bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
              "copy the scene to the device");
    }
    return b.device;
}

}  // namespace rayscope
