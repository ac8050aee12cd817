#include "renderer/cuda/loaded_library.h"

#include <fmt/format.h>

#include "renderer/cuda/check.h"

namespace rayscope {

LoadedLibrary::LoadedLibrary(const CompiledKernel& compiled, const char* what,
                             std::span<const std::pair<cudaJitOption, void*>> options)
    : LoadedLibrary() {  // so that a kernel which is not found unloads it
    what_ = what;
    std::vector<cudaJitOption> names;
    std::vector<void*> values;
    for (const auto& [name, value] : options) {
        names.push_back(name);
        values.push_back(value);
    }
    check(cudaLibraryLoadData(&library_, compiled.code.data(), names.data(), values.data(),
                              static_cast<unsigned>(names.size()), nullptr, nullptr, 0),
          fmt::format("load {}", what_));
    for (const CompiledFunction& f : compiled.functions) {
        cudaKernel_t kernel = nullptr;
        check(cudaLibraryGetKernel(&kernel, library_, f.loweredName.c_str()),
              fmt::format("find {} in its machine code", what_));
        kernels_.push_back(reinterpret_cast<const void*>(kernel));
    }
}

LoadedLibrary::~LoadedLibrary() {
    if (library_ != nullptr) warn(cudaLibraryUnload(library_), fmt::format("unload {}", what_));
}

}  // namespace rayscope
