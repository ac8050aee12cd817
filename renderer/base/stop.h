#pragma once

#include <atomic>
#include <stdexcept>

// One interrupt for all that takes long: whoever works or waits for longer than a moment asks here
// some times a second whether it is to go on.

namespace rayscope {

/// Thrown by stopPoint(): the work is given up and nothing of it is used.
struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("interrupted") {}
};

/// From now on the whole process ends what it does. A signal handler may call it.
void askToStop() noexcept;
/// Whether askToStop() was called.
bool stopAsked() noexcept;

/// While this exists, the work of its thread also stops when another thread sets the flag: Cancel
/// in the window.
class Cancellable {
public:
    explicit Cancellable(const std::atomic<bool>& cancelled) noexcept;
    ~Cancellable();
    Cancellable(const Cancellable&) = delete;
    Cancellable& operator=(const Cancellable&) = delete;

private:
    const std::atomic<bool>* before_;
};

/// Whether this thread's work is to end: stopAsked(), or the flag of its Cancellable.
bool toStop() noexcept;

/// Throws Stopped where toStop(). Costs a few nanoseconds.
inline void stopPoint() {
    if (toStop()) throw Stopped();
}

}  // namespace rayscope
