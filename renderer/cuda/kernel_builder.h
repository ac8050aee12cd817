#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "renderer/cuda/cache.h"

namespace rayscope {

/// What a kernel is built from; `version` is kernelSourcesVersion() of `source`.
struct BuildRequest {
    Variant variant;
    int source = 0;  ///< Settings::source
    unsigned version = 0;
    std::string baked;  ///< the text of core/baked_scene.h for SceneMemory::baked; else empty
    bool operator==(const BuildRequest&) const = default;
};

struct BuildResult {
    BuildRequest request;
    Result<CompiledKernel> kernel;  ///< or the compiler's log
};

/// Compiles on a thread of its own while frames go on. Uses no device.
class KernelBuilder {
public:
    KernelBuilder(int architecture, KernelCache cache);
    ~KernelBuilder();  ///< waits for the compilation under way

    /// Asks for a kernel, in place of a request that has not begun: only the last choice counts.
    /// With `trial`, what was edited is tried in another process first.
    void request(const BuildRequest& request, const std::optional<KernelTrial>& trial = {});
    /// The result of the last request that has finished, once.
    std::optional<BuildResult> take();

    /// Waits until take() has something, but at most this long.
    void wait(std::chrono::duration<double, std::milli> atMost);

private:
    void work();
    Result<CompiledKernel> build(const BuildRequest& request,
                                 const std::optional<KernelTrial>& trial);
    bool stillWanted();

    const int architecture_;
    const KernelCache cache_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<BuildRequest> waiting_;
    std::optional<KernelTrial> trial_;  ///< of waiting_
    std::optional<BuildRequest> building_;
    std::optional<BuildResult> result_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace rayscope
