#pragma once

#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "renderer/machine/nvml.h"

namespace rayscope {

/// What the window is doing, for whoever watches from outside: a debugging aid, and the eyes of the
/// tests. Where the environment variable RAYSCOPE_STATUS names a file, it is written about twenty
/// times a second, atomically: one JSON object, of what each feature says of itself (see its
/// describe()), what the viewer says of the frame (Viewer::writeStatus()), and
///
///   "pid", "time" (seconds since the start), "longest_frame_ms" (of the last second), "memory":
///   {"host" (resident bytes of the process), "heap" (of malloc(), in use), "device" (bytes that
///   all programs have taken of the GPU's; absent where it is not known)}
///
/// "drawn" has the rectangle of every control by its name (ui/widgets.h), in window coordinates.
class StatusFile {
public:
    StatusFile();  ///< reads RAYSCOPE_STATUS
    bool due(double now) const { return !path_.empty() && now >= next_; }
    /// `pciBusId`: of the CUDA device; empty: none.
    void write(nlohmann::json status, const std::string& pciBusId, double now);

    /// A frame begins; the time since the one before was the length of that.
    void beginFrame(double now);
    /// There was nothing to draw for.
    void rest() { frames_.clear(); }

private:
    double longestFrameMs() const;
    std::optional<double> deviceBytes(const std::string& pciBusId);

    std::string path_;
    double next_ = 0;
    std::deque<double> frames_;  ///< when those of the last second began, and the one before them
    std::optional<GpuSensors> gpu_;
    bool gpuTried_ = false;
};

}  // namespace rayscope
