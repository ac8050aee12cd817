#pragma once

#include <memory>

#include "renderer/compile/builder.h"

namespace rayscope {

/// Compiled kernels in this process: a shared object, which is unloaded with it.
class LoadedObject {
public:
    /// Throws std::runtime_error.
    explicit LoadedObject(const CompiledKernel& compiled);
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

    class File;

    std::unique_ptr<File> file_;
    void* handle_ = nullptr;
    std::vector<std::pair<Stage, void*>> functions_;
};

/// A kernel that a KernelStore keeps.
class HostKernel {
public:
    /// Throws std::runtime_error.
    explicit HostKernel(BuildResult built);

    const BuildRequest& request() const { return request_; }
    const Variant& variant() const { return request_.variant; }
    const CompiledKernel& compiled() const { return compiled_; }
    const LoadedObject& object() const { return object_; }

    int launches = 0;

private:
    BuildRequest request_;
    CompiledKernel compiled_;
    LoadedObject object_;
};

}  // namespace rayscope
