#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

// What the soak judges by: frame rates, memory and what the program prints. Knows no window.

namespace rayscope::test {

/// Frames of a window as the status file (ui/viewer_class.h) tells of them.
class FrameWatch {
public:
    /// Called at least once a second. The rate of the second that has ended with this status, by
    /// the window's own clock; nothing where none has, or where it was paused in it.
    std::optional<double> look(const nlohmann::json& status);
    /// The window is or was off the screen, where it draws nothing: the second does not count.
    void skip() { began_.reset(); }

    long frames() const { return frames_; }
    double longestMs() const { return longestMs_; }
    int seconds() const { return seconds_; }
    int slowSeconds() const { return slow_; }
    double lowestRate() const { return lowest_; }

private:
    struct Moment {
        double time;
        long frame;
    };
    std::optional<Moment> began_;  ///< the second under way
    double lastTime_ = -1, longestMs_ = 0, lowest_ = 0;
    long frames_ = 0;
    int seconds_ = 0, slow_ = 0;
};

/// The window is never to show fewer frames a second.
inline constexpr double kLeastRate = 20;

/// Samples of memory from comparable moments, thirds of the run against each other.
struct Growth {
    double middle = 0, last = 0;  ///< the most in the middle and in the last third, bytes
    double allowed = 0;           ///< bytes that `last` may be above `middle`
    bool grows() const { return last > middle + allowed; }
};
/// Nothing where there are too few samples to judge.
std::optional<Growth> growthOf(const std::vector<double>& samples);

/// The first line that a sanitizer, OpenGL or the program itself complains in; empty: none does.
std::string complaintIn(const std::string& output);

}  // namespace rayscope::test
