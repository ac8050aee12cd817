#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/base/timeline.h"
#include "ui/theme.h"

namespace rayscope {

/// Which part of a timeline is looked at, and whether it stands still. Times are nanoseconds of the
/// timeline.
class TimelineView {
public:
    bool shown() const { return shown_; }
    /// Keeps events from then on; a timeline that was being kept anyway goes on afterwards.
    void show(bool shown);
    bool paused() const { return paused_; }
    void pause(bool paused) { paused_ = paused; }

    /// Brings what has happened since, unless it stands still.
    void refresh();

    const Timeline& timeline() const { return timeline_; }
    std::int64_t from() const { return until() - static_cast<std::int64_t>(span_); }
    std::int64_t until() const { return end_ - static_cast<std::int64_t>(back_); }
    /// The zero of the axis: the end of a frame, a few before the newest while it moves, because
    /// the GPU's times come late.
    std::int64_t end() const { return end_; }

    /// Around a place, as a share of the width from the left. Notches above zero: closer.
    void zoom(double place, double notches);
    /// To the right by a share of the width: earlier things come into view.
    void pan(double share);
    /// Back to where it was at first.
    void reset();

private:
    bool shown_ = false, paused_ = false;
    bool ours_ = false;  ///< nobody else wants the timeline kept
    Timeline timeline_;
    std::int64_t end_ = 0;
    double span_ = kFirstSpan;
    double back_ = 0;  ///< from the right edge to the end

    static constexpr double kFirstSpan = 150e6;  ///< several frames, however slow
};

/// How deep each event of a timeline lies in others of its track; -1: it is no zone.
std::vector<int> depthsOf(const Timeline& timeline);

/// The share of a time in which the GPU did nothing, between its first and its last work there;
/// nothing where it did none.
std::optional<double> gpuIdle(const Timeline& timeline, std::int64_t from, std::int64_t until);

/// What a zone is for: each has a hue of its own.
enum class ZoneKind {
    tracing,
    simulating,
    building,
    drawing,
    copying,
    compiling,
    measuring,
    waiting,
    other
};
inline constexpr const char* kZoneKinds[] = {"tracing",   "simulating", "building",
                                             "drawing",   "copying",    "compiling",
                                             "measuring", "waiting",    "other"};
ZoneKind kindOf(const TimelineEvent& zone);
/// Opaque; in the window's present look.
ImVec4 colorOf(ZoneKind kind);

/// "1.25 ms", "310 us".
std::string durationText(std::int64_t nanoseconds);

}  // namespace rayscope
