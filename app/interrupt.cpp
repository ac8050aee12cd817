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
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
    return signalled;
}

}  // namespace rayscope
