#include "renderer/cuda/running_twins.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "renderer/cuda/check.h"
#include "renderer/cuda/loaded_library.h"

namespace rayscope {

namespace {

struct Variable {
    void* address = nullptr;
    std::size_t bytes = 0;  ///< 0: there is none
};

Variable variableOf(cudaLibrary_t library, const char* name) {
    Variable v;
    if (cudaLibraryGetGlobal(&v.address, &v.bytes, library, name) == cudaSuccess) return v;
    cudaGetLastError();
    return {};
}

LoadedLibrary load(const KernelTwins& twins) {
    CompiledKernel ptx{.code = twins.ptx, .functions = {}, .log = {}};
    for (const KernelTwins::Symbols& symbols : twins.symbols)
        ptx.functions.push_back({.loweredName = symbols.twin});
    const std::pair<cudaJitOption, void*> registers{
        cudaJitMaxRegisters,
        reinterpret_cast<void*>(static_cast<std::intptr_t>(twins.maxRegisters))};
    return {ptx, "a kernel that counts", {&registers, twins.maxRegisters > 0 ? size_t{1} : 0}};
}

/// Twins on the device, which the thread that made them launches while they exist.
class RunningTwins {
public:
    explicit RunningTwins(const KernelTwins& twins);
    ~RunningTwins();
    RunningTwins(const RunningTwins&) = delete;
    RunningTwins& operator=(const RunningTwins&) = delete;

    const void* twinOf(const std::string& symbol, cudaLibrary_t original) const {
        const auto found = std::ranges::find(twins_.symbols, symbol, &KernelTwins::Symbols::kernel);
        if (found == twins_.symbols.end()) return nullptr;
        const char* const scene = "rayscopeScene";
        const Variable from = variableOf(original, scene), to = variableOf(library_.get(), scene);
        if (from.bytes > 0 && to.bytes > 0)
            check(cudaMemcpyAsync(to.address, from.address, std::min(from.bytes, to.bytes),
                                  cudaMemcpyDeviceToDevice),
                  "copy the scene to the constant memory of a kernel that counts");
        return library_.kernel(static_cast<std::size_t>(found - twins_.symbols.begin()));
    }

    /// The device is idle.
    std::vector<std::uint64_t> read() const {
        const Variable counters = variableOf(library_.get(), twins_.counters.c_str());
        std::vector<std::uint64_t> counted(counters.bytes / sizeof(std::uint64_t));
        check(cudaMemcpy(counted.data(), counters.address, counters.bytes, cudaMemcpyDeviceToHost),
              "read what a kernel has counted");
        return counted;
    }

private:
    const KernelTwins& twins_;
    const LoadedLibrary library_;
};

thread_local RunningTwins* running = nullptr;

RunningTwins::RunningTwins(const KernelTwins& twins) : twins_(twins), library_(load(twins)) {
    running = this;
}
RunningTwins::~RunningTwins() {
    running = nullptr;
}

}  // namespace

const void* twinOf(const std::string& symbol, cudaLibrary_t original) {
    return running != nullptr ? running->twinOf(symbol, original) : nullptr;
}

Result<std::vector<std::uint64_t>> countByTwins(const KernelTwins& twins,
                                                const std::function<void()>& work) {
    try {
        const RunningTwins own(twins);
        work();
        check(cudaDeviceSynchronize(), "finish the kernels that count");
        return own.read();
    } catch (const std::runtime_error& error) {
        return Failure{error.what()};
    }
}

}  // namespace rayscope
