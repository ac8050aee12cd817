#pragma once

#include <memory>
#include <string>

#include "renderer/backend/renderer.h"
#include "renderer/scene/bvh_build.h"

namespace rayscope {

/// The renderers of this machine.
struct Machine {
    std::unique_ptr<Renderer> cpu, cuda;
    std::string noCuda;    ///< why there is no CUDA; empty where there is
    BvhBuild hierarchy{};  ///< for those that have the newest scene
    int gpu = 0;           ///< `cuda` is on, by CUDA's number

    Backend best() const { return cuda ? Backend::cuda : Backend::cpu; }
    /// nullptr where there is none.
    Renderer* of(Backend backend) const {
        return backend == Backend::cuda ? cuda.get() : cpu.get();
    }
};

/// With CUDA on the GPU of this number.
Machine openMachine(int gpu = 0);

}  // namespace rayscope
