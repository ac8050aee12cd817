#pragma once

#include "ui/panels.h"
#include "ui/path_render.h"
#include "ui/scene_editor.h"

namespace rayscope {

/// What the Scene tab has chosen for a fill.
struct FillChoice {
    int spheres = 1000;
    bool grid = false;  ///< else at random
};

/// What the tab is about.
struct SceneFacts {
    const State& state;
    SceneEditor& editor;
    const PathRender& path;
};

/// What is chosen in it for what is asked for next.
struct SceneChoice {
    FillChoice fill;
    PathChoice path;
};

/// What the tab asks for.
struct SceneRequests {
    std::optional<Sphere> sphere;  ///< in place of the selected one
    bool adjusting = false;        ///< more of that follows, and only of place and size
    bool duplicate = false, remove = false, save = false;
    bool path = false, cancelPath = false;
};

float sceneWidth(const Theme& theme);

/// The selected sphere's figures, what can be done with the scene, and the camera's path through
/// it.
void drawScenePanel(const Ui& ui, const SceneFacts& facts, SceneChoice& choice,
                    SceneRequests& requests);

/// The selected sphere's rim over the picture.
void drawSelection(const Scene& scene, const Camera& camera, Size window,
                   const SceneEditor& editor);

}  // namespace rayscope
