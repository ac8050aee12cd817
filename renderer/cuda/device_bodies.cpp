#include "renderer/cuda/device_bodies.h"

#include <stdexcept>
#include <utility>

#include "renderer/backend/body_memory.h"
#include "renderer/cuda/check.h"

namespace rayscope {

template <class Real>
GravityParams<Real> DeviceBodies::params() const {
    GravityParams<Real> p{};
    p.bodies = reinterpret_cast<Real*>(bodies_.data());
    p.count = count_;
    p.capacity = capacity_;
    return p;
}

template <class Real>
void DeviceBodies::copy(std::shared_ptr<const LoadedForces> kernels,
                        const GravityParams<Real>& from) {
    kernels_ = std::move(kernels);
    count_ = from.count;
    capacity_ = from.capacity;
    check(cudaGetDevice(&device_), "ask for the device");
    const size_t bytes = size_t{4} * capacity_ * sizeof(Real);
    if (!bodies_.reserve(bytes) || !lost_.reserve(sizeof(int)))
        throw std::runtime_error("the GPU has no room to draw the bodies: choose fewer");
    check(cudaMemcpyAsync(bodies_.data(), from.bodies, bytes, cudaMemcpyDeviceToDevice),
          "copy bodies");
    check(cudaMemsetAsync(lost_.data(), 0, sizeof(int)), "look for lost bodies");
    GravityParams<Real> p = params<Real>();
    int* lost = reinterpret_cast<int*>(lost_.data());
    Real most = static_cast<Real>(kMaxCoordinate);
    void* arguments[] = {&p, &lost, &most};
    kernels_->launchEach(Stage::lose, count_, arguments);
    int found = 0;
    check(cudaMemcpy(&found, lost, sizeof(int), cudaMemcpyDeviceToHost), "look for lost bodies");
    canBeDrawn_ = found == 0;
}

template <class Real>
std::vector<glm::dvec3> DeviceBodies::download() const {
    PackedBodies<Real> packed;
    packed.count = count_;
    packed.capacity = capacity_;
    packed.bodies.resize(size_t{4} * capacity_);
    packed.velocities.resize(packed.bodies.size());
    check(cudaMemcpy(packed.bodies.data(), bodies_.data(), packed.bodies.size() * sizeof(Real),
                     cudaMemcpyDeviceToHost),
          "copy bodies");
    return unpackBodies(packed, kernels_->variant().layout).positions;
}

std::vector<glm::dvec3> DeviceBodies::positions() const {
    return isDouble() ? download<double>() : download<float>();
}

template <class Real>
void DeviceBodies::placeIn(const BodySpheres<Real>& to) const {
    GravityParams<Real> from = params<Real>();
    BodySpheres<Real> spheres = to;
    void* arguments[] = {&from, &spheres};
    kernels_->launchEach(Stage::place, count_, arguments);
}

bool DeviceBodies::place(unsigned char* scene, Precision precision, SceneLayout layout,
                         int padded) const {
    int device = -1;
    check(cudaGetDevice(&device), "ask for the device");
    if (device != device_ || precision != kernels_->variant().precision) return false;
    if (isDouble())
        placeIn(BodySpheres<double>{reinterpret_cast<double*>(scene), padded, layout});
    else
        placeIn(BodySpheres<float>{reinterpret_cast<float*>(scene), padded, layout});
    return true;
}

template void DeviceBodies::copy(std::shared_ptr<const LoadedForces>, const GravityParams<float>&);
template void DeviceBodies::copy(std::shared_ptr<const LoadedForces>, const GravityParams<double>&);

}  // namespace rayscope
