#pragma once

#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "renderer/lab/measure.h"
#include "renderer/lab/statistics.h"
#include "renderer/scene/camera.h"

namespace rayscope {

/// Standard errors in half of a 95 % interval.
inline constexpr double kIn95 = 1.96;

/// A point of the rays/s plot.
struct RatePoint {
    double time;  ///< seconds
    double raysPerSecond;
};

/// Something else is shown from this moment on.
struct SwitchMark {
    double time;
    std::string label;  ///< "math=fast", "scene vt46", "view"
};

/// The rate after a switch over the rate before it, both settled and of the same view.
struct SwitchRatio {
    double ratio;
    double halfWidth;  ///< of its 95 % interval
    std::string label;
    bool sameWork = true;  ///< a ray is worth what it was before (see changesPaths())
    /// It differs from 1 by more than chance.
    bool clear() const { return std::abs(ratio - 1) > halfWidth; }
    bool gain() const { return sameWork && clear() && ratio > 1; }
};

/// Turns the statistics of frames into the figures that are shown. Rates are of kernel time: rays
/// of launches that filled the device, over their time; of one view, and of whole passes, as some
/// parts of a picture take more time than others. Times in seconds of one clock.
class Rates {
public:
    /// What the next frames show. Where the camera has come to rest elsewhere, no ratio is formed
    /// with rates of the view before, and the plot is marked.
    void look(const Camera& camera, bool moving);

    /// Marks the plot by this label in place of the next switch's.
    void name(const std::string& label, double now);
    /// Likewise where another scene is entered, whose camera is no jump.
    void enter(const std::string& label, double now);

    /// One frame. `settled`: the kernel that was asked for is the one that ran, at rest. `whole`:
    /// in it a pass has come to its end; the next one may have begun.
    void add(const FrameStats& stats, double now, double frameSeconds, bool settled,
             bool whole = true);

    /// A switch: averages start anew, and the ratio to the last settled rate will be formed.
    void mark(const Settings& before, const Settings& after, double now);

    /// Averages start anew without a switch (another scene): no ratio is formed across it.
    void restart();

    /// Over about the last half second of kernel time; nothing until there is a measurement.
    std::optional<double> raysPerSecond() const;
    /// No pass is whole yet: figures are of a part of the picture.
    bool firstLook() const { return frames_.empty(); }
    /// Of the frames that raysPerSecond() is over.
    std::optional<Spread> spread() const;
    /// Rays over wall time, over about the last second.
    std::optional<double> wallRaysPerSecond() const;
    /// Of the same frames as raysPerSecond().
    Rays recentRays() const { return allFrames().stats.rays; }
    double kernelMsPerFrame() const;
    double buildMs() const { return allFrames().stats.buildMs; }  ///< FrameStats::buildMs
    double frameMs() const;
    double framesPerSecond() const;
    std::optional<SwitchRatio> ratio() const;
    /// Since the last switch, in this view; nothing until it is known well enough for a ratio.
    std::optional<Estimate> settledRate() const;
    /// A ratio will be there soon.
    bool measuring() const { return before_.mean > 0 && !label_.empty(); }
    /// Everything since the last switch or restart after which the rate had settled.
    const FrameStats& settled() const { return settled_; }

    const std::deque<RatePoint>& history() const { return history_; }
    const std::deque<SwitchMark>& marks() const { return marks_; }
    const std::deque<double>& frameTimes() const { return frameTimes_; }  ///< ms, newest last

private:
    /// Those in which a pass was traced.
    struct Frames {
        FrameStats stats;
        double time = 0, seconds = 0;
        int count = 0;
    };
    Frames allFrames() const;
    void startAveraging();
    void forgetOld(double now);
    void plotPoint(const FrameStats& stats, double now, bool whole);
    void settle(const FrameStats& stats, double now, bool settled);

    std::optional<Camera> view_;  ///< in which the camera was last at rest; nothing: never here
    bool marked_ = false;         ///< the switch of the next frame has a mark
    double time_ = 0;             ///< of the last frame
    bool moving_ = false;
    Frames part_;  ///< of the pass under way
    std::deque<Frames> frames_;
    std::deque<RatePoint> history_;
    std::deque<SwitchMark> marks_;
    std::deque<double> frameTimes_;
    FrameStats bin_;  ///< of the plot point under way
    double binBegan_ = 0;

    // The settled rate since the last switch, and the one before that switch.
    double settleAfter_ = 0;
    bool waiting_ = true;  ///< for the first settled frame since the switch
    FrameStats settled_;
    FrameStats sample_;            ///< of the settled rate, under way
    std::vector<double> samples_;  ///< rates of some passes each
    Estimate before_;
    Settings settingsBefore_;
    std::string label_;  ///< what differs from settingsBefore_
    bool sameWork_ = true;
};

}  // namespace rayscope
