#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "renderer/compile/cache.h"

namespace rayscope {

/// What is built; `version` is kernelSourcesVersion() of `source`.
struct BuildRequest {
    KernelProgram program;
    Variant variant = {};  ///< of a kernel that traces
    int source = 0;        ///< Settings::source
    unsigned version = 0;
    /// The text of core/baked_scene.h for SceneMemory::baked; else empty.
    std::string baked = {};
    /// What the host does between a GPU's kernels, built together with these, but never from edited
    /// sources, as it runs in this process.
    std::optional<KernelProgram> host = {};
    bool operator==(const BuildRequest&) const = default;
};

/// Tries what was compiled from edited sources before anybody uses it.
using KernelTry =
    std::function<Result<void>(const std::vector<KernelSource>& sources, const GoOn& goOn)>;

struct BuildResult {
    BuildRequest request;
    Result<CompiledKernel> kernel;  ///< or the compiler's log
    std::optional<CompiledKernel> host = {};
};

/// The sources that the request's programs are compiled from.
std::vector<KernelSource> sourcesOf(const BuildRequest& request);

/// Compiles on a thread of its own while frames go on. Uses no device.
class KernelBuilder {
public:
    explicit KernelBuilder(const KernelCache& cache = KernelCache::common());
    ~KernelBuilder();  ///< waits for the compilation under way
    KernelBuilder(const KernelBuilder&) = delete;
    KernelBuilder& operator=(const KernelBuilder&) = delete;

    /// Asks for a kernel, in place of a request that has not begun: only the last choice counts.
    void request(const BuildRequest& request, const KernelTry& trial = {});
    /// The result of the last request that has finished, once.
    std::optional<BuildResult> take();

    /// Waits until take() has something, but at most this long.
    void wait(std::chrono::duration<double, std::milli> atMost);
    /// Whether something is being built, or waits to be.
    bool busy();

private:
    void work();
    BuildResult build(const BuildRequest& request, const KernelTry& trial);
    bool stillWanted();

    const KernelCache cache_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<BuildRequest> waiting_;
    KernelTry trial_;  ///< of waiting_
    std::optional<BuildRequest> building_;
    std::optional<BuildResult> result_;
    bool stop_ = false;
    std::thread thread_;  ///< begins with the first request
};

}  // namespace rayscope
