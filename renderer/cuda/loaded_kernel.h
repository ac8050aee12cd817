#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <utility>

#include "renderer/cpu/loaded_object.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/device.h"
#include "renderer/compile/builder.h"
#include "renderer/cuda/loaded_library.h"
#include "renderer/cuda/row_times.h"

namespace rayscope {

/// How fast a kernel is, and what that was measured with.
struct KernelSpeed {
    unsigned scene = 0;
    int depth = 0;
    int threads = 0;              ///< of the host, if it does part of the work
    double msPerPixelSample = 0;  ///< 0: unknown
    bool provisional = true;      ///< measured with launches too small to fill the device
    RowTimes rows{};              ///< of launches that filled it
};

/// The kernels of a variant on the device, and how fast they have been.
class LoadedKernel {
public:
    /// Loads the machine code. Throws std::runtime_error.
    LoadedKernel(BuildResult built, const CudaDevice& device);
    LoadedKernel(const LoadedKernel&) = delete;
    LoadedKernel& operator=(const LoadedKernel&) = delete;

    /// Unique in this run of the program.
    unsigned number() const { return number_; }
    const BuildRequest& request() const { return request_; }
    const Variant& variant() const { return request_.variant; }
    /// In blocks of the variant's size. `stage` is one of the stagesOf() its variant.
    cudaError_t launch(Stage stage, dim3 grid, void** arguments) const;

    /// Facts from the compiler and the device; without `ready` and `compileLog`.
    const KernelInfo& info() const { return info_; }

    /// Whether it can be launched for paths of this many rays.
    Result<void> checkDepth(int depth, const CudaDevice& device) const;
    /// From now on it cannot be launched, for this reason.
    void reject(std::string reason) { launchable_ = Failure{std::move(reason)}; }

    /// Blocks of the main kernel that are resident on the whole device at once.
    int residentBlocks() const { return info_.residentBlocks; }

    /// Bytes of stack per thread for paths of this many rays; only for a kernel that can be
    /// launched.
    size_t stackFor(int depth) const;
    /// Copies the packed scene into the kernel's constant memory, after the launches so far.
    void setConstantScene(const void* bytes, size_t size);

    /// What the host does between its launches; null if that is nothing.
    const LoadedObject* host() const { return host_.get(); }

    unsigned constantScene = 0;  ///< DeviceScene::version() of the scene in its constant memory
    int launches = 0;
    KernelSpeed speed;  ///< as last measured, with any film

private:
    LoadedLibrary load() const;
    void readAttributes(const CudaDevice& device);

    const unsigned number_;
    BuildRequest request_;
    CompiledKernel compiled_;
    std::shared_ptr<const LoadedObject> host_;
    KernelInfo info_;
    Result<void> launchable_;
    LoadedLibrary library_;
};

}  // namespace rayscope
