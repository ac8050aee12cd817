#include "ui/camera_flight.h"

#include "renderer/scene/camera_path.h"

namespace rayscope {

namespace {

constexpr double kFlightSeconds = .8;

}  // namespace

Camera CameraFlight::at(double now) {
    const Leg leg = *flight_;
    const double t = (now - leg.began) / kFlightSeconds;
    if (t >= 1) flight_.reset();
    return between(leg.from, leg.to, t);
}

}  // namespace rayscope
