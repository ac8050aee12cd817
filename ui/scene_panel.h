#pragma once

#include "ui/feature.h"
#include "ui/path_render.h"
#include "ui/scene_editor.h"

namespace rayscope {

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
