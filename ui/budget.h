#pragma once

namespace rayscope {

/// Decides how many milliseconds of a frame the renderer may use, from what the rest of recent
/// frames took, so that no variant takes the window under 20 frames a second. Times in seconds of
/// one clock.
class FrameBudget {
public:
    void beginFrame(double secondsSinceLast) { lastFrame_ = secondsSinceLast; }
    /// Around each of the frame's parts that trace.
    void beginTrace(double now) { mark_ = now; }
    void endTrace(double now);
    void beginSwap(double now);
    /// `waits`: the swap waits for the display, which is no work.
    void endSwap(double now, bool waits);

    /// `shared`: the renderer works on the GPU that also draws the window.
    double milliseconds(bool shared);
    /// Asked once a frame where a job goes on beside the picture, for so many milliseconds: false
    /// until frames without it have made up for the time that it took beyond what it was given.
    bool affordsJob(double ms);
    void jobTook(double ms);
    double lastMilliseconds() const { return last_; }
    double lastFrameSeconds() const { return lastFrame_; }

private:
    double lastFrame_ = 0;
    double mark_ = 0, traced_ = 0, frameEnd_ = 0;
    double otherMs_ = 5;  ///< everything in a frame but tracing, smoothed
    double overMs_ = 0;   ///< what tracing took beyond what it was given, smoothed
    double last_ = 0;
    double jobMs_ = 0;  ///< to be made up for
};

}  // namespace rayscope
