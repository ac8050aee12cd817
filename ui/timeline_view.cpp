#include "ui/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rayscope {

namespace {

constexpr double kLeastSpan = 20e3, kMostSpan = 20e9;
constexpr double kNotch = 1.25;
/// Copied beyond the left edge, so that a long zone that began there is seen. Seconds.
constexpr double kMarginSeconds = 1;
/// Frames that the GPU's times may be late.
constexpr int kLateFrames = 2;

std::int64_t endOfFrame(const Timeline& timeline) {
    int frames = 0;
    for (auto e = timeline.events.rbegin(); e != timeline.events.rend(); ++e) {
        if (e->kind == TimelineEvent::Kind::frame && frames++ == kLateFrames) return e->began;
    }
    return timeline.ended;
}

}  // namespace

void TimelineView::show(bool shown) {
    if (shown == shown_) return;
    shown_ = shown;
    paused_ = false;
    if (shown) {
        ours_ = !timelineRuns();
        if (ours_) startTimeline();
    } else if (ours_) {
        stopTimeline();
    }
}

void TimelineView::refresh() {
    if (!shown_ || paused_) return;
    timeline_ = copyTimeline((span_ + back_) / 1e9 + kMarginSeconds);
    end_ = endOfFrame(timeline_);
}

void TimelineView::zoom(double place, double notches) {
    const double right = 1 - place;
    const double span = std::clamp(span_ * std::pow(kNotch, -notches), kLeastSpan, kMostSpan);
    back_ = std::clamp(back_ + right * (span_ - span), 0., kMostSpan);
    span_ = span;
}

void TimelineView::pan(double share) {
    back_ = std::clamp(back_ + share * span_, 0., kMostSpan);
}

void TimelineView::reset() {
    span_ = kFirstSpan;
    back_ = 0;
}

std::vector<int> depthsOf(const Timeline& timeline) {
    std::vector<int> depths;
    std::vector<std::vector<std::int64_t>> open(timeline.tracks.size());  // ends of zones
    for (const TimelineEvent& e : timeline.events) {
        if (e.kind != TimelineEvent::Kind::zone) {
            depths.push_back(-1);
            continue;
        }
        std::vector<std::int64_t>& ends = open[e.track];
        while (!ends.empty() && ends.back() <= e.began) ends.pop_back();
        depths.push_back(static_cast<int>(ends.size()));
        ends.push_back(e.ended);
    }
    return depths;
}

std::optional<double> gpuIdle(const Timeline& timeline, std::int64_t from, std::int64_t until) {
    std::int64_t first = until, last = from, busy = 0;
    for (const TimelineEvent& e : timeline.events) {
        if (e.kind != TimelineEvent::Kind::zone || e.track != kGpuTrack) continue;
        const std::int64_t began = std::max(e.began, from), ended = std::min(e.ended, until);
        if (began >= ended) continue;
        first = std::min(first, began);
        last = std::max(last, ended);
        busy += ended - began;
    }
    if (busy == 0) return {};
    return 1 - static_cast<double>(busy) / static_cast<double>(last - first);
}

std::string durationText(std::int64_t nanoseconds) {
    const double ns = static_cast<double>(nanoseconds);
    if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
    if (ns < 1e6) return fmt::format("{:.3g} us", ns / 1e3);
    if (ns < 1e9) return fmt::format("{:.{}f} ms", ns / 1e6, ns < 1e7 ? 2 : ns < 1e8 ? 1 : 0);
    return fmt::format("{:.2f} s", ns / 1e9);
}

}  // namespace rayscope
