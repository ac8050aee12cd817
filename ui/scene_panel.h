#pragma once

#include <array>
#include <glm/vec2.hpp>

#include "renderer/base/elapsed.h"
#include "renderer/devices/machine.h"
#include "renderer/lab/sequence.h"
#include "renderer/scene/shared_scene.h"
#include "ui/feature.h"
#include "ui/simulation_panel.h"

namespace rayscope {

/// A place in the window, in screen units from the top left.
using Place = glm::dvec2;

/// Where a point is seen, as through the middle of the lens; nothing where it lies behind the
/// camera.
std::optional<Place> placeOf(const Camera& camera, Size window, const glm::dvec3& point);

/// The sphere's rim as it is seen, a closed line; empty where part of it lies behind the camera or
/// the camera is inside.
std::vector<Place> outlineOf(const Sphere& sphere, const Camera& camera, Size window);

/// A sphere that lies on what is seen at this place or, over the sky, in the plane of focus; as
/// large as twelve of them are in the height of the window there.
Sphere sphereAt(const Scene& scene, const Camera& camera, Size window, Place place);

/// The name of a scene that is no longer the one it was.
std::string editedName(const std::string& name);

/// What has become of the scene in this frame.
enum class Edit {
    none,
    moving,   ///< a sphere is under way: only its place or size
    changed,  ///< for good
};

class SceneEditor {
public:
    /// The selected sphere's index; below 0: none.
    int selected() const { return selected_; }
    void select(int sphere) { selected_ = sphere; }
    /// The selected sphere is one of the scene's.
    bool has(const Scene& scene) const {
        return selected_ >= 0 && selected_ < static_cast<int>(scene.spheres.size());
    }
    /// The next click into the picture adds a sphere.
    bool placing() const { return placing_; }
    void place(bool placing) { placing_ = placing; }
    /// Nothing is dragged or waited for any more.
    void letGo() {
        placing_ = false;
        grab_.reset();
        pressed_.reset();
    }
    /// A sphere is being dragged.
    bool dragging() const { return grab_.has_value(); }

    /// What steer() would do something with.
    bool heeds(const Input& input) const { return grab_ || pressed_ || !input.presses.empty(); }
    /// One frame of input, from which is taken what does not steer the camera any more: a click
    /// selects, a drag of the selected sphere moves it, beside the picture's plane; with Shift it
    /// changes the radius.
    Edit steer(Input& input, const Steering::Surroundings& around, const Camera& camera,
               SharedScene& scene);

    /// Each returns what it has done to the scene. One sphere stays.
    Edit remove(SharedScene& scene);
    Edit duplicate(SharedScene& scene);
    Edit add(SharedScene& scene, const Sphere& sphere);

private:
    /// Of a drag: where the cursor took hold, and of what.
    struct Grab {
        glm::dvec3 point;
        Sphere sphere;
        double distance = 0;  ///< of the cursor from the centre, screen units
        bool moved = false;
    };
    Edit press(const MousePress& press, const Steering::Surroundings& around, const Camera& camera,
               SharedScene& scene, bool* taken);
    Edit drag(const Input& input, const Steering::Surroundings& around, const Camera& camera,
              SharedScene& scene);

    int selected_ = -1;
    bool placing_ = false;
    std::optional<Grab> grab_;
    std::optional<Place> pressed_;  ///< of a click that may become a drag of the camera
};

/// What is chosen for a path.
struct PathChoice {
    int frames = 120;
    int samples = 64;  ///< a pixel
    int written = 0;   ///< what becomes of the frames, in kPathEndings
};
/// Numbered pictures, or a movie, which needs ffmpeg.
inline constexpr std::array kPathEndings{".png", ".mp4", ".webm"};

/// Renders the path through a state's bookmarks beside the picture, with a film and renderers of
/// its own.
class PathRender {
public:
    explicit PathRender(std::function<Machine()> open) : open_(std::move(open)) {}

    /// Frames go into the folder, which is made; a movie of them stands beside it. A sentence where
    /// it cannot begin.
    std::string start(const State& state, Size size, const PathChoice& choice,
                      const std::string& folder);
    /// Goes on for about so long; a sentence when it has ended in it.
    std::string step(double budgetMs);
    /// Frames that are written stay; a sentence where it was running.
    std::string cancel();

    bool running() const { return sequence_ != nullptr; }
    double share() const { return sequence_ ? sequence_->share() : 0; }
    /// "path: 3 of 120 frames, 40 s left"; empty where nothing runs.
    std::string text() const;

private:
    std::string end(std::string problem);

    std::function<Machine()> open_;
    std::optional<Machine> machine_;
    std::optional<Workbench> workbench_;
    std::unique_ptr<Sequence> sequence_;
    std::string folder_, movie_;
    int frames_ = 0;
    Clock::time_point began_;
};

/// What is chosen for a fill.
struct FillChoice {
    int spheres = 1000;
    bool grid = false;  ///< else at random
};

/// The selected sphere's figures, what can be done with the scene, the simulation of one that
/// moves, and the camera's path through it. While the tab is seen, the mouse is for spheres, too.
class SceneTab : public Tab {
public:
    SceneTab(std::function<Machine()> open, SimulationView& simulation)
        : Tab("scene", "Scene"), simulation_(simulation), path_(std::move(open)) {}

    /// One frame of input, from which is taken what does not steer the camera any more.
    void steer(Input& input, const Steering::Surroundings& around, Frame& frame);

    void key(const KeyPress& press, Frame& frame) override;
    void drawPanel(const Ui& ui) override;
    /// The selected sphere's rim.
    void draw(const Ui& ui) override;
    void act(Frame& frame) override;
    float width(const Theme& theme) const override;
    /// "editor": {"spheres", "triangles", "remarks", "selected", "placing", "center", "radius",
    /// "place": [x, y] in the window}
    void describe(const Frame& frame, nlohmann::json& status) const override;
    void adopted(Frame& frame, const State& before) override;
    void leaveGpu(Frame& frame) override { frame.say(path_.cancel()); }
    /// "path: 3 of 120 frames"
    std::string doing() const override { return path_.text(); }
    bool working() const override { return path_.running(); }
    void work(Frame& frame, double ms) override { frame.say(path_.step(ms)); }

private:
    void drawButtons(const Ui& ui, const Scene& scene);
    void drawSphere(const Ui& ui);
    void drawFill(const Ui& ui);
    void drawPath(const Ui& ui);
    void drawRemarks(const Ui& ui);
    void takeRemarks(Frame& frame);
    void edited(Edit edit, const SharedScene& scene, Frame& frame);
    void save(Frame& frame);

    SimulationView& simulation_;
    SceneEditor editor_;
    FillChoice fill_;
    PathChoice pathChoice_;
    PathRender path_;
    std::optional<Sphere> sphere_;      ///< asked for in place of the selected one
    bool adjusting_ = false;            ///< more of that follows, and only of place and size
    std::vector<std::string> remarks_;  ///< what of the scene's files is not shown
};

}  // namespace rayscope
