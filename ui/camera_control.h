#pragma once

#include "renderer/scene/camera.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// How the user moves, on top of where the camera is.
struct Flight {
    double speed = 1;    ///< scene units a second
    bool orbit = false;  ///< looking around turns about the pivot
    glm::dvec3 pivot{0, 0, 0};
};

/// Where the user pushes: each from -1 to 1.
struct Push {
    double forward = 0, right = 0, up = 0;
    bool fast = false;
    bool any() const { return forward != 0 || right != 0 || up != 0; }
};

/// Shift multiplies the speed by this.
inline constexpr double kFastFactor = 4;

/// A speed that takes the scene's camera in two seconds to what it looks at.
double defaultSpeed(const Scene& scene);

/// One notch of the wheel is a factor of 1.2; the result stays within 1/1000 to 1000
/// times `usual`.
double changedSpeed(double speed, double notches, double usual);

/// The camera after `seconds` of flight; target and origin move alike.
Camera flown(const Camera& camera, const Flight& flight, const Push& push, double seconds);

/// Turned about its own place: yaw to the right, pitch upwards, in radians. The view never tips
/// over the vertical.
Camera turned(const Camera& camera, double yaw, double pitch);

/// Turned about a point, which stays where it is in the picture.
Camera orbited(const Camera& camera, const glm::dvec3& pivot, double yaw, double pitch);

/// The camera with the plane in focus through the point; unchanged where the point lies behind it.
Camera focusedOn(const Camera& camera, const glm::dvec3& point);

/// The angle that a drag over one unit turns: over the window's height, the whole field of view.
double radiansPerUnit(const Camera& camera, int windowHeight);

}  // namespace rayscope
