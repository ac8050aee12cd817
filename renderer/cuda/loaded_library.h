#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <utility>
#include <vector>

#include "renderer/cuda/compiler.h"

namespace rayscope {

/// Compiled code on the device, and its kernels. Errors throw std::runtime_error; `what` is the
/// object of their sentences, "a simulation's kernels", and outlives the library.
class LoadedLibrary {
public:
    LoadedLibrary() = default;
    /// With options of the driver's translation, where the code is PTX.
    LoadedLibrary(const CompiledKernel& compiled, const char* what,
                  std::span<const std::pair<cudaJitOption, void*>> options = {});
    ~LoadedLibrary();
    LoadedLibrary(LoadedLibrary&& other) noexcept { swap(other); }
    LoadedLibrary& operator=(LoadedLibrary&& other) noexcept {
        swap(other);
        return *this;
    }

    bool loaded() const { return library_ != nullptr; }
    /// In the order of CompiledKernel::functions; for cudaLaunchKernel().
    const void* kernel(std::size_t i) const { return kernels_.at(i); }
    cudaLibrary_t get() const { return library_; }

private:
    void swap(LoadedLibrary& other) {
        std::swap(library_, other.library_);
        std::swap(what_, other.what_);
        std::swap(kernels_, other.kernels_);
    }

    cudaLibrary_t library_ = nullptr;
    const char* what_ = "";
    std::vector<const void*> kernels_;
};

}  // namespace rayscope
