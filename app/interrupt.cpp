#include "app/interrupt.h"

#include <atomic>
#include <csignal>

namespace rayscope {

namespace {

std::atomic<bool> signalled{false};

}  // namespace

void watchForInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { signalled = true; };
    action.sa_flags = SA_RESTART;  // so that writing a file does not fail
    sigaction(SIGPIPE, &action, nullptr);
    action.sa_flags |= static_cast<int>(SA_RESETHAND);
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
