#include "app/interrupt.h"

#include <atomic>
#include <csignal>
#include <ctime>

#include "renderer/base/stop.h"

namespace rayscope {

namespace {

std::atomic<bool> asked{false};

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
    askToStop();
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
    action.sa_handler = [](int) { askToStop(); };
    action.sa_flags = SA_RESTART;  // what may wait long asks for itself: base/reader.h
    sigaction(SIGPIPE, &action, nullptr);
    action.sa_handler = onSignal;
    sigaction(SIGTERM, &action, nullptr);
    for (const int signal : {SIGINT, SIGHUP}) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        // ignored under nohup, and in the background of a script
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

bool interrupted() {
    return stopAsked();
}

}  // namespace rayscope
