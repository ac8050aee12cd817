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

void KernelBuilder::request(const BuildRequest& request) {
    {
        const std::lock_guard lock(mutex_);
        if (building_ == request) {
            waiting_.reset();
            return;
        }
        if (waiting_ == request || (result_ && result_->request == request)) return;
        waiting_ = request;
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

void KernelBuilder::work() {
    nameThread("compiler");
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stop_ || waiting_; });
        if (stop_) return;
        building_ = std::exchange(waiting_, std::nullopt);
        const BuildRequest request = *building_;
        lock.unlock();
        BuildResult result{request, Failure{}};
        try {
            const Zone zone("compile");
            result.kernel = compileCached(cache_, request.variant, architecture_,
                                          withBaked(kernelSources(request.source), request.baked));
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
