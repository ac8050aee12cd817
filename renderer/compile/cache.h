#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/own_files.h"
#include "renderer/compile/compiler.h"

namespace rayscope {

/// Compiled kernels on disk, one file each, named by a hash of everything that they are made of:
/// sources, flags, name expressions and the compiler's version. A file that is damaged or of
/// another version of the format counts as absent. If the folder cannot be written nothing is kept,
/// which is no error. A folder or a file that somebody else owns or can write is not used, as its
/// code would run with the user's rights.
class KernelCache {
public:
    /// `prebuilt`: a folder that is only read, after the other one.
    explicit KernelCache(std::filesystem::path folder, std::filesystem::path prebuilt = {})
        : folder_(std::move(folder)), prebuilt_(std::move(prebuilt)) {}

    /// $XDG_CACHE_HOME/rayscope/kernels, or ~/.cache/rayscope/kernels.
    static std::filesystem::path defaultFolder();
    /// That one, and the kernels that were made with the program.
    static const KernelCache& common();

    std::optional<CompiledKernel> load(const std::string& key) const;
    void store(const std::string& key, const CompiledKernel& kernel) const;
    std::filesystem::path pathOf(const std::string& key) const;

    /// Why the folder is not used; empty if it is, or does not exist yet.
    std::string problem() const;

private:
    std::filesystem::path folder_, prebuilt_;
};

/// The file that says by which compilers a folder of prebuilt kernels was made.
inline constexpr const char* kPrebuiltBy = "compilers";

/// Where the kernels lie that were made with the program: beside it in the build folder, or where
/// it is installed. Empty if there are none.
std::filesystem::path prebuiltFolder();

/// Everything that the machine code depends on, as text. Fails as Compiler::version() does.
Result<std::string> cacheKey(const KernelProgram& program,
                             const std::vector<KernelSource>& sources);

/// From the cache; nothing where it is not there.
std::optional<CompiledKernel> loadCached(const KernelCache& cache, const KernelProgram& program,
                                         const std::vector<KernelSource>& all);

/// From the cache, or compiled and put there; compileMs is 0 if it came from the cache. The reason
/// of a failure is the compiler's log. `goOn`: of another process that may have to compile.
Result<CompiledKernel> compileCached(const KernelCache& cache, const KernelProgram& program,
                                     const std::vector<KernelSource>& all, const GoOn& goOn = {});

}  // namespace rayscope
