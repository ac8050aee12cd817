#pragma once

#include <optional>

#include "renderer/scene/camera.h"

namespace rayscope {

/// Takes the camera smoothly to a bookmark.
class CameraFlight {
public:
    void start(const Camera& from, const Camera& to, double now) { flight_ = {from, to, now}; }
    /// The user steers.
    void stop() { flight_.reset(); }
    bool flying() const { return flight_.has_value(); }
    /// Where the camera is now; ends the flight where it has arrived.
    Camera at(double now);

private:
    struct Leg {
        Camera from, to;
        double began;
    };
    std::optional<Leg> flight_;
};

}  // namespace rayscope
