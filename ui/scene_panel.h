#pragma once

#include "ui/panels.h"
#include "ui/scene_editor.h"

namespace rayscope {

/// What the Scene tab has chosen for a fill.
struct FillChoice {
    int spheres = 1000;
    bool grid = false;  ///< else at random
};

/// What the tab asks for.
struct SceneRequests {
    std::optional<Sphere> sphere;  ///< in place of the selected one
    bool adjusting = false;        ///< more of that follows, and only of place and size
    bool add = false, duplicate = false, remove = false, save = false;
};

float sceneWidth(const Theme& theme);

/// The selected sphere's figures, and what can be done with the scene.
void drawScenePanel(const Ui& ui, const Scene& scene, SceneEditor& editor, FillChoice& fill,
                    SceneRequests& requests);

/// The selected sphere's rim over the picture.
void drawSelection(const Scene& scene, const Camera& camera, Size window,
                   const SceneEditor& editor);

}  // namespace rayscope
