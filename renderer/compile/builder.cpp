#include "renderer/compile/builder.h"

#include <exception>
#include <utility>

#include "renderer/base/timeline.h"

namespace rayscope {

std::vector<KernelSource> sourcesOf(const BuildRequest& request) {
    return withBaked(kernelSources(request.source), request.baked);
}

KernelBuilder::KernelBuilder(const KernelCache& cache) : cache_(cache) {}

KernelBuilder::~KernelBuilder() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void KernelBuilder::request(const BuildRequest& request, const KernelTry& trial) {
    {
        const std::lock_guard lock(mutex_);
        if (building_ == request) {
            waiting_.reset();
            return;
        }
        if (waiting_ == request || (result_ && result_->request == request)) return;
        waiting_ = request;
        trial_ = trial;
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    }
    changed_.notify_all();
}

std::optional<BuildResult> KernelBuilder::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(result_, std::nullopt);
}

void KernelBuilder::wait(std::chrono::duration<double, std::milli> atMost) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, atMost, [this] { return result_ || (!waiting_ && !building_); });
}

/// Not where another kernel has been asked for since, or the program ends.
bool KernelBuilder::stillWanted() {
    const std::lock_guard lock(mutex_);
    return !stop_ && !waiting_;
}

bool KernelBuilder::busy() {
    const std::lock_guard lock(mutex_);
    return waiting_ || building_;
}

/// Tries what it has compiled: the files may have been saved again meanwhile.
BuildResult KernelBuilder::build(const BuildRequest& request, const KernelTry& trial) {
    const std::vector<KernelSource> sources = sourcesOf(request);
    const GoOn goOn = [this] { return stillWanted(); };
    BuildResult result{request, compileCached(cache_, request.program, sources, goOn)};
    if (result.kernel && request.host) {
        Result<CompiledKernel> host = compileCached(cache_, *request.host, embeddedKernelSources(), goOn);
        if (!host) return {request, host.failure()};
        result.host = *std::move(host);
    }
    if (!result.kernel || !trial) return result;
    const Zone zone("try kernel");
    if (const Result<void> tried = trial(sources, goOn); !tried) result.kernel = tried.failure();
    return result;
}

void KernelBuilder::work() {
    nameThread("compiler");
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stop_ || waiting_; });
        if (stop_) return;
        building_ = std::exchange(waiting_, std::nullopt);
        const BuildRequest request = *building_;
        const KernelTry trial = std::exchange(trial_, {});
        lock.unlock();
        BuildResult result{request, Failure{}};
        try {
            const Zone zone("compile");
            result = build(request, trial);
        } catch (const std::exception& error) {
            result.kernel = Failure{error.what()};
        }
        lock.lock();
        building_.reset();
        const bool givenUp = waiting_ && !result.kernel;  // nobody waits for it
        if (!givenUp) result_ = std::move(result);
        changed_.notify_all();
    }
}

}  // namespace rayscope
