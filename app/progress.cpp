#include "app/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/interrupt.h"
#include "renderer/base/say.h"
#include "renderer/base/text.h"
#include "renderer/team/team.h"

namespace rayscope {

namespace {

/// Whether it understands how a line is cleared.
bool isClever() {
    const char* const kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && kind != nullptr && *kind != '\0' &&
           std::string_view(kind) != "dumb";
}

/// Whether the locale's letters are UTF-8.
bool showsBlocks() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        std::string locale = value;
        for (char& c : locale) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
    }
    return false;
}

/// Of the terminal, in characters.
std::size_t columns() {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

}  // namespace

std::string progressLine(const std::string& label, double share, const std::string& left,
                         std::size_t columns, bool blocks) {
    constexpr std::size_t kWidth = 30, kShortest = 5;
    const std::string percent = fmt::format(" {:3.0f} %", share * 100);
    const std::string behind = left.empty() ? percent : percent + "  " + left;
    const std::size_t room = columns > 1 ? columns - 1 : 0;  // the last column wraps
    const auto letters = [](const std::string& text) {
        return static_cast<std::size_t>(
            std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    };
    const std::size_t taken = letters(label) + 1 + behind.size();
    const std::size_t width = taken + kShortest <= room ? std::min(kWidth, room - taken) : 0;
    const auto full =
        static_cast<std::size_t>(std::clamp(share, 0., 1.) * static_cast<double>(width));
    std::string bar;
    for (std::size_t i = 0; i < width; ++i)
        bar += blocks ? (i < full ? "█" : "░") : (i < full ? "#" : ".");
    if (width > 0) return label + " " + bar + behind;
    if (letters(label) + behind.size() <= room) return label + behind;
    return percent.size() - 1 <= room ? percent.substr(1) : std::string();
}

Progress::Progress()
    : terminal_(isClever() && team().leads()),
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
    const std::string left = secondsLeft ? durationText(*secondsLeft) + " left" : "";
    const std::string line =
        "\r" + progressLine(label, share, left, columns(), showsBlocks()) + "\033[K";
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
