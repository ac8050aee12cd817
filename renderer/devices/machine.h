#pragma once

#include <memory>
#include <string>

#include "renderer/backend/renderer.h"
#include "renderer/scene/bvh_build.h"

namespace rayscope {

/// The renderers of this machine.
struct Machine {
    std::unique_ptr<Renderer> cpu, cuda;
    std::string noCuda;    ///< why there is no CUDA; empty if there is
    BvhBuild hierarchy{};  ///< of the newest scene
    int gpu = 0;           ///< CUDA number of the GPU that `cuda` uses

    Backend best() const { return cuda ? Backend::cuda : Backend::cpu; }
    /// nullptr if there is none.
    Renderer* of(Backend backend) const {
        return backend == Backend::cuda ? cuda.get() : cpu.get();
    }
};

/// `gpu`: CUDA number of the GPU to use.
Machine openMachine(int gpu = 0);

}  // namespace rayscope
