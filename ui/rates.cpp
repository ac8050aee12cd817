#include "ui/rates.h"

#include <algorithm>
#include <utility>

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

constexpr double kWindowMs = 500;  ///< of kernel time, for the large figure
constexpr double kWallSeconds = 1;
constexpr double kHistorySeconds = 65;  ///< a little more than the plot shows
constexpr double kBinSeconds = .1;      ///< a point of the plot at least
constexpr size_t kFrameTimes = 300;

/// After a switch the first launches run on cold caches and, on a GPU, report late.
constexpr double kSettleSeconds = .3;
constexpr double kSettledMs = 250;  ///< of kernel time, before a ratio is formed
/// Of kernel time: a sample of the settled rate, of which there are so many before its scatter
/// says how certain it is.
constexpr double kSampleMs = 20;
constexpr std::size_t kFewestSamples = 3;

double rateOf(const FrameStats& s) {
    return 1e3 * static_cast<double>(s.timedRays) / s.timedMs;
}

}  // namespace

void Rates::look(const Camera& camera, bool moving) {
    if (std::exchange(moving_, moving) != moving) startAveraging();
    if (moving || view_ == camera) return;
    if (view_) marks_.push_back({time_, "view"});
    view_ = camera;
    restart();
}

void Rates::name(const std::string& label, double now) {
    if (!history_.empty()) marks_.push_back({now, label});
    marked_ = true;
}

void Rates::enter(const std::string& label, double now) {
    name(label, now);
    view_.reset();
}

void Rates::add(const FrameStats& stats, double now, double frameSeconds, bool settled,
                bool whole) {
    marked_ = false;
    time_ = now;
    frameTimes_.push_back(frameSeconds * 1e3);
    if (frameTimes_.size() > kFrameTimes) frameTimes_.pop_front();
    plotPoint(stats, now, whole);
    part_.stats += stats;
    part_.seconds += frameSeconds;
    ++part_.count;
    if (!whole) return;
    part_.time = now;
    settle(part_.stats, now, settled);
    frames_.push_back(std::exchange(part_, {}));
    forgetOld(now);
}

void Rates::forgetOld(double now) {
    // Half a second of kernel time, and of wall time no less than that.
    double timedMs = allFrames().stats.timedMs;
    while (frames_.size() > 1) {
        const Frames& oldest = frames_.front();
        const bool enough = timedMs - oldest.stats.timedMs >= kWindowMs;
        const double age = now - oldest.time;
        if (!(enough && age > kWallSeconds) && age < 4 * kWallSeconds) break;
        timedMs -= oldest.stats.timedMs;
        frames_.pop_front();
    }
    while (!history_.empty() && now - history_.front().time > kHistorySeconds) history_.pop_front();
    while (!marks_.empty() && now - marks_.front().time > kHistorySeconds) marks_.pop_front();
}

/// Of whole passes, too: rows of sky alone are traced at another rate than the picture.
void Rates::plotPoint(const FrameStats& stats, double now, bool whole) {
    bin_ += stats;
    if (!whole || now - binBegan_ < kBinSeconds) return;
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
    if (now <= settleAfter_) return;
    settled_ += stats;
    sample_ += stats;
    if (sample_.timedMs >= kSampleMs) samples_.push_back(rateOf(std::exchange(sample_, {})));
}

void Rates::mark(const Settings& before, const Settings& after, double now) {
    // Several switches in a row are measured against the last rate that had settled.
    if (settledRate()) {
        before_ = *settledRate();
        settingsBefore_ = before;
    }
    label_ = before_.mean > 0 ? difference(settingsBefore_, after) : std::string();
    sameWork_ = !changesPaths(settingsBefore_, after);
    if (!std::exchange(marked_, false)) marks_.push_back({now, difference(before, after)});
    startAveraging();
}

void Rates::restart() {
    before_ = {};
    label_.clear();
    startAveraging();
}

void Rates::startAveraging() {
    settled_ = sample_ = {};
    samples_.clear();
    waiting_ = true;
    part_ = {};
    frames_.clear();
    bin_ = {};
}

std::optional<Estimate> Rates::settledRate() const {
    if (settled_.timedMs < kSettledMs || samples_.size() < kFewestSamples) return std::nullopt;
    return Estimate{rateOf(settled_), estimateOf(samples_).error};
}

std::optional<double> Rates::raysPerSecond() const {
    const FrameStats stats = allFrames().stats;
    if (stats.timedMs <= 0) return std::nullopt;
    return rateOf(stats);
}

std::optional<Spread> Rates::spread() const {
    std::vector<double> rates;
    for (const Frames& frame : frames_) {
        if (frame.stats.timedMs > 0) rates.push_back(rateOf(frame.stats));
    }
    if (rates.empty()) return std::nullopt;
    return spreadOf(std::move(rates));
}

std::optional<double> Rates::wallRaysPerSecond() const {
    const Frames all = allFrames();
    if (all.seconds <= 0) return std::nullopt;
    return static_cast<double>(all.stats.rays.total()) / all.seconds;
}

/// What the figures are over.
Rates::Frames Rates::allFrames() const {
    if (frames_.empty()) return part_;
    Frames all;
    for (const Frames& frames : frames_) {
        all.stats += frames.stats;
        all.seconds += frames.seconds;
        all.count += frames.count;
    }
    return all;
}

double Rates::kernelMsPerFrame() const {
    const Frames all = allFrames();
    return all.count == 0 ? 0 : all.stats.kernelMs / all.count;
}

double Rates::frameMs() const {
    const Frames all = allFrames();
    return all.count == 0 ? 0 : 1e3 * all.seconds / all.count;
}

double Rates::framesPerSecond() const {
    return frameMs() > 0 ? 1e3 / frameMs() : 0;
}

std::optional<SwitchRatio> Rates::ratio() const {
    const std::optional<Estimate> after = settledRate();
    if (!measuring() || !after) return std::nullopt;
    const double ratio = after->mean / before_.mean;
    const double relative = std::hypot(after->error / after->mean, before_.error / before_.mean);
    return SwitchRatio{ratio, kIn95 * ratio * relative, label_, sameWork_};
}

}  // namespace rayscope
