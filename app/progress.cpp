#include "app/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/interrupt.h"
#include "renderer/base/say.h"
#include "renderer/base/text.h"
#include "renderer/team/team.h"

namespace rayscope {

Progress::Progress()
    : terminal_(isatty(STDERR_FILENO) != 0 && team().leads()),
      lines_(!terminal_ && team().leads() && !team().alone()) {}

/// Where mpirun passes lines on.
static constexpr std::chrono::seconds kLineEvery{10};

Progress::~Progress() {
    hide();
}

void Progress::hide() {
    if (terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::show(const std::string& label, double share, std::optional<double> secondsLeft) {
    const auto now = std::chrono::steady_clock::now();
    if (lines_ && now - drawn_ > kLineEvery) {
        drawn_ = now;
        const std::string left = secondsLeft ? ", " + durationText(*secondsLeft) + " left" : "";
        std::fputs(fmt::format("{}: {:.0f} %{}\n", label, share * 100, left).c_str(), stderr);
    }
    if (!terminal_ || now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    constexpr int kWidth = 30;
    const int full = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
    std::string bar;
    for (int i = 0; i < kWidth; ++i) bar += i < full ? "█" : "░";
    const std::string left = secondsLeft ? durationText(*secondsLeft) + " left" : "";
    const std::string line =
        fmt::format("\r{} {} {:3.0f} %  {}\033[K", label, bar, share * 100, left);
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

bool play(Job& job, const std::string& label, const std::function<std::string()>& rows) {
    watchForInterrupt();
    job.heed([] { return !interrupted(); });
    Progress progress;
    const auto sayRows = [&] {
        const std::string text = rows ? rows() : std::string();
        if (text.empty()) return;
        progress.hide();
        say("{}", text);
        flushSaid();
    };
    const bool ended = playWhile(job, [&] {
        sayRows();
        const std::string now = job.label();
        progress.show(now.empty() ? label : now, job.share(), job.secondsLeft());
        return !interrupted();
    });
    if (!ended) job.cancel();
    sayRows();
    return ended;
}

}  // namespace rayscope
