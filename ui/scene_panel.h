#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "renderer/devices/machine.h"
#include "renderer/lab/sequence.h"
#include "ui/feature.h"
#include "ui/scene_editor.h"
#include "ui/window.h"

namespace rayscope {

/// What is chosen for a path.
struct PathChoice {
    int frames = 120;
    int samples = 64;  ///< a pixel
};

/// Renders the path through a state's bookmarks beside the picture, with a film and renderers of
/// its own.
class PathRender {
public:
    explicit PathRender(std::function<Machine()> open) : open_(std::move(open)) {}

    /// Frames go into the folder, which is made. A sentence where it cannot begin.
    std::string start(const State& state, Size size, const PathChoice& choice,
                      const std::string& folder);
    /// Goes on for about so long; a sentence when it has ended in it.
    std::string step(double budgetMs);
    /// Frames that are written stay; a sentence where it was running.
    std::string cancel();

    bool running() const { return sequence_ != nullptr; }
    double share() const { return sequence_ ? sequence_->share() : 0; }
    /// "path: 3 of 120 frames"; empty where nothing runs.
    std::string text() const;

private:
    bool hierarchyReady(const State& state, double waitMs);
    std::string end(std::string problem);

    std::function<Machine()> open_;
    std::optional<Machine> machine_;
    std::unique_ptr<Sequence> sequence_;
    std::string folder_;
    int frames_ = 0;
};

/// What is chosen for a fill.
struct FillChoice {
    int spheres = 1000;
    bool grid = false;  ///< else at random
};

/// The selected sphere's figures, what can be done with the scene, and the camera's path through
/// it. While the tab is seen, the mouse is for spheres, too.
class SceneTab : public Tab {
public:
    explicit SceneTab(std::function<Machine()> open)
        : Tab("scene", "Scene"), path_(std::move(open)) {}

    /// One frame of input, from which is taken what does not steer the camera any more.
    void steer(Input& input, const Steering::Surroundings& around, Frame& frame);

    void key(const KeyPress& press, Frame& frame) override;
    void drawPanel(const Ui& ui) override;
    /// The selected sphere's rim.
    void draw(const Ui& ui) override;
    void act(Frame& frame) override;
    float width(const Theme& theme) const override;
    /// "editor": {"spheres", "selected", "placing", "center", "radius", "place": [x, y] in the
    /// window}
    void describe(const Frame& frame, nlohmann::json& status) const override;
    void adopted(Frame& frame, const State& before) override;
    void leaveGpu(Frame& frame) override { frame.say(path_.cancel()); }
    /// "path: 3 of 120 frames"
    std::string doing() const override { return path_.text(); }
    bool working() const override { return path_.running(); }
    void work(Frame& frame, double ms) override { frame.say(path_.step(ms)); }

private:
    void drawButtons(const Ui& ui, const Scene& scene);
    void drawSphere(const Ui& ui, const Scene& scene);
    void drawFill(const Ui& ui);
    void drawPath(const Ui& ui);
    void edited(Edit edit, Frame& frame);
    void save(Frame& frame);

    SceneEditor editor_;
    FillChoice fill_;
    PathChoice pathChoice_;
    PathRender path_;
    std::optional<Sphere> sphere_;  ///< asked for in place of the selected one
    bool adjusting_ = false;        ///< more of that follows, and only of place and size
};

}  // namespace rayscope
