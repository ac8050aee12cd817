#include "app/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace rayscope {

Progress::Progress(std::string label)
    : label_(std::move(label)), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    hide();
}

void Progress::hide() {
    if (terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::show(double share) {
    const Clock::time_point now = Clock::now();
    if (!terminal_ || now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    constexpr int kWidth = 30;
    const int full = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
    std::string bar;
    for (int i = 0; i < kWidth; ++i) bar += i < full ? "█" : "░";
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const std::string left =
        share > .01 ? fmt::format("{:.0f} s left", seconds / share * (1 - share)) : "";
    const std::string line =
        fmt::format("\r{} {} {:3.0f} %  {}\033[K", label_, bar, share * 100, left);
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

}  // namespace rayscope
