#pragma once

#include <memory>
#include <string>

#include "renderer/devices/device_list.h"
#include "renderer/scene/bvh_build.h"

namespace rayscope {

/// The renderers of this machine.
struct Machine {
    std::unique_ptr<Renderer> cpu, cuda;
    std::string noCuda;    ///< why there is no CUDA; empty if there is
    BvhBuild hierarchy{};  ///< of the newest scene
    DeviceList devices{};  ///< that were asked for

    Backend best() const { return cuda ? Backend::cuda : Backend::cpu; }
    /// nullptr if there is none.
    Renderer* of(Backend backend) const {
        return backend == Backend::cuda ? cuda.get() : cpu.get();
    }
};

/// With these devices in place of the first GPU or, if they are CPUs, of the CPU.
Machine openMachine(const DeviceList& devices = {});

}  // namespace rayscope
