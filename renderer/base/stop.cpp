#include "renderer/base/stop.h"

#include <utility>

namespace rayscope {

namespace {

std::atomic<bool> stopped{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

thread_local const std::atomic<bool>* cancelledHere = nullptr;

}  // namespace

void askToStop() noexcept {
    stopped = true;
}

bool stopAsked() noexcept {
    return stopped.load(std::memory_order_relaxed);
}

Cancellable::Cancellable(const std::atomic<bool>& cancelled) noexcept
    : before_(std::exchange(cancelledHere, &cancelled)) {}

Cancellable::~Cancellable() {
    cancelledHere = before_;
}

bool toStop() noexcept {
    return stopAsked() ||
           (cancelledHere != nullptr && cancelledHere->load(std::memory_order_relaxed));
}

}  // namespace rayscope
