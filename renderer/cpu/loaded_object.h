#pragma once

#include <memory>
#include <optional>

#include "renderer/compile/builder.h"
#include "renderer/cpu/memory_file.h"

namespace rayscope {

class ApartKernel;

/// Compiled kernels in this process: a shared object, which is unloaded with it. Edited ones never
/// are: they run apart (apart_kernel.h).
class LoadedObject {
public:
    /// `source`: what it was compiled from, kBuiltIn. Throws std::runtime_error.
    LoadedObject(const CompiledKernel& compiled, int source);
    ~LoadedObject();
    LoadedObject(const LoadedObject&) = delete;
    LoadedObject& operator=(const LoadedObject&) = delete;

    /// The kernel of this stage, which must be one of the program's.
    template <class Function>
    Function function(Stage stage) const {
        return reinterpret_cast<Function>(address(stage));
    }

private:
    void* address(Stage stage) const;

    MemoryFile file_;  ///< open while it is loaded: the loader knows objects by their files' names
    void* handle_ = nullptr;
    std::vector<std::pair<Stage, void*>> functions_;
};

/// A kernel that a KernelStore keeps.
class HostKernel {
public:
    /// Throws std::runtime_error.
    explicit HostKernel(BuildResult built);
    ~HostKernel();

    const BuildRequest& request() const { return request_; }
    const Variant& variant() const { return request_.variant; }
    const CompiledKernel& compiled() const { return compiled_; }
    /// Of a kernel that is not edited.
    const LoadedObject& object() const;
    /// Of an edited kernel; else nullptr.
    ApartKernel* apart() const { return apart_.get(); }
    /// False of an edited kernel that has crashed or was ended.
    bool runs() const;

    int launches = 0;

private:
    BuildRequest request_;
    CompiledKernel compiled_;
    std::optional<LoadedObject> object_;
    std::unique_ptr<ApartKernel> apart_;
};

}  // namespace rayscope
