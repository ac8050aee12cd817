#pragma once

namespace rayscope {

/// Decides how many milliseconds of a frame the renderer may use, from what the rest of recent
/// frames took and what it has itself taken beyond that, so that no variant takes the window under
/// 20 frames a second. Moments in seconds of one clock.
class FrameBudget {
public:
    static constexpr double kMostRestMs = 100;

    void beginFrame(double now, double secondsSinceLast);
    /// Before each of what follows.
    void begin(double now) { mark_ = now; }
    /// What traces the picture has ended,
    void endTrace(double now, double givenMs);
    /// a step of a job that goes on beside it,
    void endJob(double now, double givenMs);
    /// the swap.
    /// `waits`: the swap waits for the display, which is no work.
    void endSwap(double now, bool waits);

    /// `shared`: the renderer works on the GPU that also draws the window.
    double milliseconds(bool shared);
    /// Of the same, where the window is left alone and drawing it takes cores from a CPU renderer:
    /// frames are fewer then, but no more than kMostRestMs apart.
    double millisecondsAtRest();
    /// Whether a job may have so many of this frame: not until others have made up for what it took
    /// beyond that.
    bool affordsJob(double ms) const { return jobOverMs_ <= ms / 2; }
    double lastMilliseconds() const { return last_; }

    // Of a device that works while the window is drawn.

    /// How often the display shows another picture.
    void setRefreshRate(double hertz);
    /// After the swap: the device still has so much to do.
    void swapped(double leftMs);
    /// How much the device is given to do during the swap.
    double aheadMs() const { return aheadMs_; }
    /// So much may be done for a picture of which the next frame shows nothing.
    double wholeMs();
    /// Seconds until another frame is worth drawing.
    double untilNextFrame(double now) const;

private:
    double intervalMs_ = 1000. / 60;
    double began_ = 0;  ///< the frame
    double aheadMs_ = 4;
    double wholeMs_ = 8;
    bool whole_ = false;  ///< it was asked for in this frame
    double lastFrame_ = 0;
    double mark_ = 0, traced_ = 0, frameEnd_ = 0;
    double otherMs_ = 5;    ///< everything in a frame but tracing, smoothed
    double beyondMs_ = 0;   ///< that this frame's picture took more than it was given
    double overMs_ = 0;     ///< the same, smoothed
    double jobOverMs_ = 0;  ///< that jobs took more, and is not made up for
    double last_ = 0;
};

}  // namespace rayscope
