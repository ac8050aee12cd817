#include "ui/rates.h"

#include <algorithm>

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

constexpr double kWindowMs = 500;  ///< of kernel time, for the large figure
constexpr double kWallSeconds = 1;
constexpr double kHistorySeconds = 65;  ///< a little more than the plot shows
constexpr double kBinSeconds = .1;      ///< a point of the plot
constexpr size_t kFrameTimes = 300;

/// After a switch the first launches run on cold caches and, on a GPU, report late.
constexpr double kSettleSeconds = .3;
constexpr double kSettledMs = 250;  ///< of kernel time, before a ratio is formed

void subtract(FrameStats& sum, const FrameStats& s) {
    sum.rays.camera -= s.rays.camera;
    sum.rays.bounce -= s.rays.bounce;
    sum.rays.shadow -= s.rays.shadow;
    sum.kernelMs -= s.kernelMs;
    sum.timedRays -= s.timedRays;
    sum.timedMs -= s.timedMs;
    sum.launches -= s.launches;
}

double rateOf(const FrameStats& s) {
    return 1e3 * static_cast<double>(s.timedRays) / s.timedMs;
}

}  // namespace

void Rates::add(const FrameStats& stats, double now, double frameSeconds, bool settled) {
    frames_.push_back({stats, now, frameSeconds});
    recent_ += stats;
    frameTimes_.push_back(frameSeconds * 1e3);
    if (frameTimes_.size() > kFrameTimes) frameTimes_.pop_front();
    plotPoint(stats, now);
    settle(stats, now, settled);
    forgetOld(now);
}

void Rates::forgetOld(double now) {
    // Half a second of kernel time, and of wall time no less than that.
    while (frames_.size() > 1) {
        const Frame& oldest = frames_.front();
        const bool enough = recent_.timedMs - oldest.stats.timedMs >= kWindowMs;
        const double age = now - oldest.time;
        if (!(enough && age > kWallSeconds) && age < 4 * kWallSeconds) break;
        subtract(recent_, oldest.stats);
        frames_.pop_front();
    }
    while (!history_.empty() && now - history_.front().time > kHistorySeconds) history_.pop_front();
    while (!marks_.empty() && now - marks_.front().time > kHistorySeconds) marks_.pop_front();
}

void Rates::plotPoint(const FrameStats& stats, double now) {
    bin_ += stats;
    if (now - binBegan_ < kBinSeconds) return;
    if (bin_.timedMs > 0) history_.push_back({now, rateOf(bin_)});
    bin_ = {};
    binBegan_ = now;
}

void Rates::settle(const FrameStats& stats, double now, bool settled) {
    if (!settled) return;
    if (waiting_) {
        waiting_ = false;
        settleAfter_ = now + kSettleSeconds;
    }
    if (now > settleAfter_) settled_ += stats;
}

void Rates::mark(const Settings& before, const Settings& after, double now) {
    // Several switches in a row are measured against the last rate that had settled.
    if (settled_.timedMs >= kSettledMs) {
        before_ = rateOf(settled_);
        settingsBefore_ = before;
    }
    label_ = difference(settingsBefore_, after);
    marks_.push_back({now, difference(before, after)});
    startAveraging();
}

void Rates::restart() {
    before_ = 0;
    label_.clear();
    startAveraging();
}

void Rates::startAveraging() {
    settled_ = {};
    waiting_ = true;
    frames_.clear();
    recent_ = {};
    bin_ = {};
}

std::optional<double> Rates::raysPerSecond() const {
    if (recent_.timedMs <= 0) return std::nullopt;
    return rateOf(recent_);
}

std::optional<Spread> Rates::spread() const {
    std::vector<double> rates;
    for (const Frame& frame : frames_) {
        if (frame.stats.timedMs > 0) rates.push_back(rateOf(frame.stats));
    }
    if (rates.empty()) return std::nullopt;
    return spreadOf(std::move(rates));
}

std::optional<double> Rates::wallRaysPerSecond() const {
    double seconds = 0;
    for (const Frame& frame : frames_) seconds += frame.seconds;
    if (seconds <= 0) return std::nullopt;
    return static_cast<double>(recent_.rays.total()) / seconds;
}

double Rates::kernelMsPerFrame() const {
    return frames_.empty() ? 0 : recent_.kernelMs / static_cast<double>(frames_.size());
}

double Rates::frameMs() const {
    double seconds = 0;
    for (const Frame& frame : frames_) seconds += frame.seconds;
    return frames_.empty() ? 0 : 1e3 * seconds / static_cast<double>(frames_.size());
}

double Rates::framesPerSecond() const {
    return frameMs() > 0 ? 1e3 / frameMs() : 0;
}

std::optional<SwitchRatio> Rates::ratio() const {
    if (before_ <= 0 || label_.empty() || settled_.timedMs < kSettledMs) return std::nullopt;
    return SwitchRatio{rateOf(settled_) / before_, label_};
}

}  // namespace rayscope
