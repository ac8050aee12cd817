#pragma once

#include <optional>
#include <string>

#include "ui/camera_control.h"
#include "ui/input.h"
#include "ui/pick.h"
#include "ui/window.h"

namespace rayscope {

/// Turns keys and mouse into a camera, frame by frame. Knows neither GLFW nor ImGui.
class Steering {
public:
    /// What the user steers in, and what is not the picture's business.
    struct Surroundings {
        const Scene& scene;
        Size window;
        double now = 0, seconds = 0;  ///< the clock, and since the last frame
        bool overPanels = false;      ///< the cursor belongs to a panel
        bool typing = false;          ///< keys belong to a text field
    };

    explicit Steering(const Scene& scene) { flight.speed = defaultSpeed(scene); }

    /// Applies one frame of input. Returns a sentence for the user, or an empty string.
    std::string steer(const Input& input, const Surroundings& around, Camera& camera);

    /// Orbit on or off; the pivot is what lies under the cursor.
    std::string toggleOrbit(const Input& input, const Surroundings& around, const Camera& camera);

    /// The camera moved a moment ago, by whatever.
    bool moving(double now) const { return now - lastMove_ < kRestSeconds; }
    void noteMove(double now) { lastMove_ = now; }
    /// The cursor should be hidden and free of the window's bounds.
    bool wantsCursor() const { return turning_; }

    Flight flight;

private:
    static constexpr double kRestSeconds = .2;

    std::string press(const MousePress& press, const Surroundings& around, Camera& camera);
    void drag(const Input& input, const Surroundings& around, Camera& camera);

    std::optional<MouseButton> dragging_;
    bool turning_ = false;       ///< the drag has left the place of the click
    double dragged_ = 0;         ///< length of the drag so far
    bool orbitingDrag_ = false;  ///< begun with Alt
    double lastMove_ = -1;
};

}  // namespace rayscope
