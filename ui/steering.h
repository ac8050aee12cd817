#pragma once

#include <optional>

#include "renderer/backend/moved_scene.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/scene.h"
#include "ui/obstacles.h"
#include "ui/window.h"

namespace rayscope {

/// The nearest point of the scene seen through a place in the window.
struct Pick {
    glm::dvec3 point;
    int sphere;  ///< its index; -1: the floor or a triangle
    glm::dvec3 normal;
};

/// x, y from the top left, in the units of `size`. Double precision, through the middle
/// of the lens. Nothing where only the sky is seen.
std::optional<Pick> pick(const Scene& scene, const Camera& camera, double x, double y, Size size);

/// How the user moves, on top of where the camera is.
struct Flight {
    double speed = 1;    ///< scene units a second
    bool orbit = false;  ///< looking around turns about the pivot
    glm::dvec3 pivot{0, 0, 0};
    bool through = false;  ///< surfaces do not stop the camera
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

/// Turns keys and mouse into a camera, frame by frame. Knows neither GLFW nor ImGui.
class Steering {
public:
    /// What the user steers in, and what is not the picture's business.
    struct Surroundings {
        MovedScene scene;
        Size window;
        double now = 0, seconds = 0;  ///< the clock, and since the last frame
        bool overPanels = false;      ///< the cursor belongs to a panel
        bool typing = false;          ///< keys belong to a text field
    };

    explicit Steering(const Scene& scene) { enter(scene); }

    /// Another scene is shown: the flight begins anew, at a speed that suits it.
    void enter(const Scene& scene);

    /// Applies one frame of input. Returns a sentence for the user, or an empty string.
    std::string steer(const Input& input, const Surroundings& around, Camera& camera);

    /// Orbit on or off; the pivot is what lies under the cursor.
    std::string toggleOrbit(const Input& input, const Surroundings& around, const Camera& camera);

    /// What a user should know who sees nothing, since the camera is in a sphere or below the
    /// floor; empty elsewhere.
    std::string where(const MovedScene& scene, const Camera& camera);

    /// The camera moved a moment ago, by whatever.
    bool moving(double now) const { return now - lastMove_ < kRestSeconds; }
    void noteMove(double now) { lastMove_ = now; }
    /// Takes the camera smoothly to a bookmark, until the user steers.
    void flyTo(const Camera& to, const Camera& from, double now) { leg_ = {from, to, now}; }
    /// The cursor should be hidden and free of the window's bounds.
    bool wantsCursor() const { return turning_; }

    Flight flight;

private:
    static constexpr double kRestSeconds = .2;

    std::string press(const MousePress& press, const Surroundings& around, Camera& camera);
    void drag(const Input& input, const Surroundings& around, Camera& camera);
    void fly(const Push& push, const Surroundings& around, Camera& camera);

    std::optional<MouseButton> dragging_;
    bool turning_ = false;       ///< the drag has left the place of the click
    double dragged_ = 0;         ///< length of the drag so far
    bool orbitingDrag_ = false;  ///< begun with Alt
    double lastMove_ = -1;
    struct Leg {
        Camera from, to;
        double began;
    };
    std::optional<Leg> leg_;  ///< of a flight to a bookmark
    double usual_ = 1;        ///< the speed that suits the scene
    Obstacles obstacles_;
    Camera seen_;  ///< of which where_ is known,
    std::uint64_t seenIn_ = 0;
    std::string where_;
};

}  // namespace rayscope
