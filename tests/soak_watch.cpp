#include "tests/soak_watch.h"

#include <algorithm>
#include <sstream>

namespace rayscope::test {

std::optional<double> FrameWatch::look(const nlohmann::json& status) {
    const Moment now{status["time"], status["frame"]};
    if (now.time == lastTime_) return {};
    lastTime_ = now.time;
    frames_ = now.frame;
    if (status["paused"]) {
        skip();
        return {};
    }
    longestMs_ = std::max(longestMs_, status["longest_frame_ms"].get<double>());
    if (!began_) began_ = now;
    if (now.time < began_->time + 1) return {};
    const double rate = static_cast<double>(now.frame - began_->frame) / (now.time - began_->time);
    began_ = now;
    lowest_ = seconds_ == 0 ? rate : std::min(lowest_, rate);
    ++seconds_;
    slow_ += rate < kLeastRate;
    return rate;
}

std::optional<Growth> growthOf(const std::vector<double>& samples) {
    constexpr std::ptrdiff_t kFewest = 3;  // a third
    // An allocator gives back late and in large pieces, so that the same state takes a few MB more
    // or less. What is lost with every switch adds up beyond that in a run of an hour.
    constexpr double kShare = .05, kBytes = 16 << 20;
    const auto third = static_cast<std::ptrdiff_t>(samples.size() / 3);
    if (third < kFewest) return {};
    const auto last = samples.end() - third, middle = last - third;
    Growth growth{*std::max_element(middle, last), *std::max_element(last, samples.end())};
    growth.allowed = kShare * growth.middle + kBytes;
    return growth;
}

std::string complaintIn(const std::string& output) {
    // The program prints what it tells the user, compute-sanitizer its name and its count.
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line == "========= COMPUTE-SANITIZER" ||
            line == "========= ERROR SUMMARY: 0 errors")
            continue;
        if (line.starts_with("rayscope: ") && line.find("fail") == line.npos) continue;
        return line;
    }
    return {};
}

}  // namespace rayscope::test
