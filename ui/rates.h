#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "renderer/lab/measure.h"

namespace rayscope {

/// A point of the rays/s plot.
struct RatePoint {
    double time;  ///< seconds
    double raysPerSecond;
};

/// The user chose something else at this moment.
struct SwitchMark {
    double time;
    std::string label;  ///< "math=fast"
};

/// The rate after a switch over the rate before it, both settled.
struct SwitchRatio {
    double ratio;
    std::string label;
};

/// Turns the statistics of frames into the figures that are shown. Rates are of kernel time: rays
/// of launches that filled the device, over their time. Times in seconds of one clock.
class Rates {
public:
    /// One frame. `settled`: the kernel that was asked for is the one that ran, at rest.
    void add(const FrameStats& stats, double now, double frameSeconds, bool settled);

    /// A switch: averages start anew, and the ratio to the last settled rate will be formed.
    void mark(const Settings& before, const Settings& after, double now);

    /// Averages start anew without a switch (another scene): no ratio is formed across it.
    void restart();

    /// Over about the last half second of kernel time; nothing until there is a measurement.
    std::optional<double> raysPerSecond() const;
    /// Of the frames that raysPerSecond() is over.
    std::optional<Spread> spread() const;
    /// Rays over wall time, over about the last second.
    std::optional<double> wallRaysPerSecond() const;
    /// Of the same frames as raysPerSecond().
    const Rays& recentRays() const { return recent_.rays; }
    double kernelMsPerFrame() const;
    double frameMs() const;
    double framesPerSecond() const;
    std::optional<SwitchRatio> ratio() const;
    /// Everything since the last switch or restart after which the rate had settled.
    const FrameStats& settled() const { return settled_; }

    const std::deque<RatePoint>& history() const { return history_; }
    const std::deque<SwitchMark>& marks() const { return marks_; }
    const std::deque<double>& frameTimes() const { return frameTimes_; }  ///< ms, newest last

private:
    struct Frame {
        FrameStats stats;
        double time, seconds;
    };
    void startAveraging();
    void forgetOld(double now);
    void plotPoint(const FrameStats& stats, double now);
    void settle(const FrameStats& stats, double now, bool settled);

    std::deque<Frame> frames_;
    FrameStats recent_;  ///< sum of frames_
    std::deque<RatePoint> history_;
    std::deque<SwitchMark> marks_;
    std::deque<double> frameTimes_;
    FrameStats bin_;  ///< of the plot point under way
    double binBegan_ = 0;

    // The settled rate since the last switch, and the one before that switch.
    double settleAfter_ = 0;
    bool waiting_ = true;  ///< for the first settled frame since the switch
    FrameStats settled_;
    double before_ = 0;
    Settings settingsBefore_;
    std::string label_;  ///< what differs from settingsBefore_
};

}  // namespace rayscope
