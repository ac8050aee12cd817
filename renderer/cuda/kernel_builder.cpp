#include "renderer/cuda/kernel_builder.h"

#include <exception>
#include <utility>

#include "renderer/base/timeline.h"

namespace rayscope {

KernelBuilder::KernelBuilder(int architecture, KernelCache cache)
    : architecture_(architecture), cache_(std::move(cache)), thread_([this] { work(); }) {}

KernelBuilder::~KernelBuilder() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void KernelBuilder::request(const BuildRequest& request, const std::optional<KernelTrial>& trial) {
    {
        const std::lock_guard lock(mutex_);
        if (building_ == request) {
            waiting_.reset();
            return;
        }
        if (waiting_ == request || (result_ && result_->request == request)) return;
        waiting_ = request;
        trial_ = trial;
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

/// Not where its files have been saved again, or the program ends.
bool KernelBuilder::stillWanted() {
    const std::lock_guard lock(mutex_);
    const bool saved = waiting_ && building_ && waiting_->source == building_->source &&
                       waiting_->version != building_->version;
    return !stop_ && !saved;
}

/// Tries what it has compiled: the files may have been saved again meanwhile.
Result<CompiledKernel> KernelBuilder::build(const BuildRequest& request,
                                            const std::optional<KernelTrial>& trial) {
    const std::vector<KernelSource> sources =
        withBaked(kernelSources(request.source), request.baked);
    const GoOn goOn = [this] { return stillWanted(); };
    auto kernel = compileCached(cache_, request.variant, architecture_, sources, goOn);
    if (!kernel || !trial || !needsIsolation(sources)) return kernel;
    const Zone zone("try kernel");
    const Result<void> tried = tryKernel(*trial, sources, goOn);
    return tried ? std::move(kernel) : tried.failure();
}

void KernelBuilder::work() {
    nameThread("compiler");
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stop_ || waiting_; });
        if (stop_) return;
        building_ = std::exchange(waiting_, std::nullopt);
        const BuildRequest request = *building_;
        const std::optional<KernelTrial> trial = std::exchange(trial_, std::nullopt);
        lock.unlock();
        BuildResult result{request, Failure{}};
        try {
            const Zone zone("compile");
            result.kernel = build(request, trial);
        } catch (const std::exception& error) {
            result.kernel = Failure{error.what()};
        }
        lock.lock();
        building_.reset();
        result_ = std::move(result);
        changed_.notify_all();
    }
}

}  // namespace rayscope
