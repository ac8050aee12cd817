#include "app/interrupt.h"

#include <atomic>
#include <csignal>
#include <ctime>

namespace rayscope {

namespace {

std::atomic<bool> signalled{false}, asked{false};

/// A program that starts this one and its process group, such as timeout(1), passes a signal to
/// both: what comes so soon after the first is the same one.
constexpr double kSameSignalMs = 300;
std::atomic<double> firstMs{0};

double nowMs() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// The first asks for an end, the next one is one.
void onSignal(int signal) {
    signalled = true;
    if (!asked.exchange(true)) {
        firstMs = nowMs();
        return;
    }
    if (nowMs() - firstMs < kSameSignalMs) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

void watchForInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { signalled = true; };
    action.sa_flags = SA_RESTART;  // so that writing a file does not fail
    sigaction(SIGPIPE, &action, nullptr);
    action.sa_handler = onSignal;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangUp {};
    sigaction(SIGHUP, nullptr, &hangUp);
    if (hangUp.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // ignored under nohup
}

bool interrupted() {
    return signalled;
}

}  // namespace rayscope
