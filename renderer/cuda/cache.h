#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "renderer/cuda/compiler.h"
#include "renderer/cuda/isolation.h"

namespace rayscope {

/// Compiled kernels on disk, one file each, named by a hash of everything that they are made of:
/// sources, flags, architecture, name expression and NVRTC's version. A file that is damaged or of
/// another version of the format counts as absent. If the folder cannot be written nothing is kept,
/// which is no error.
class KernelCache {
public:
    explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// $XDG_CACHE_HOME/rayscope/kernels, or ~/.cache/rayscope/kernels.
    static std::filesystem::path defaultFolder();

    std::optional<CompiledKernel> load(const std::string& key) const;
    void store(const std::string& key, const CompiledKernel& kernel) const;
    std::filesystem::path pathOf(const std::string& key) const;

private:
    std::filesystem::path folder_;
};

/// Everything that the machine code depends on, as text.
std::string cacheKey(const KernelProgram& program, const CompilerInfo& info,
                     const std::vector<KernelSource>& sources);
inline std::string cacheKey(const Variant& variant, int architecture, const CompilerInfo& info,
                            const std::vector<KernelSource>& sources) {
    return cacheKey(programOf(variant, architecture), info, sources);
}

/// From the cache, or compiled and put there; compileMs is 0 if it came from the cache. The reason
/// of a failure is the compiler's log. `goOn`: of another process that may have to compile.
Result<CompiledKernel> compileCached(const KernelCache& cache, const KernelProgram& program,
                                     const std::vector<KernelSource>& sources,
                                     const GoOn& goOn = {});
inline Result<CompiledKernel> compileCached(const KernelCache& cache, const Variant& variant,
                                            int architecture,
                                            const std::vector<KernelSource>& sources,
                                            const GoOn& goOn = {}) {
    return compileCached(cache, programOf(variant, architecture), sources, goOn);
}

}  // namespace rayscope
