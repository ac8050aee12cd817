#include <fmt/format.h>

#include <utility>

#include "renderer/base/files.h"
#include "renderer/choices/axes.h"
#include "ui/viewer_class.h"

// Spheres edited in the window.

namespace rayscope {

/// A scene in the code of its kernel would be compiled for every place on the way.
static bool baked(const State& state) {
    const auto isBaked = [](const Settings& s) {
        return s.backend == Backend::cuda && s.variant.sceneMemory == SceneMemory::baked;
    };
    return isBaked(state.settings) || (state.pinned && isBaked(state.pinned->settings));
}

void Viewer::steerSpheres(Input& input, const Steering::Surroundings& around) {
    if (!editing()) return editor_.letGo();
    const Edit edit = editor_.steer(input, around, state_.camera, state_.scene);
    if (edit != Edit::none) sceneEdited(edit);
}

void Viewer::carryOutSceneRequests() {
    const SceneRequests asked = std::exchange(sceneRequests_, {});
    Scene& scene = state_.scene;
    if (asked.save) saveScene();
    if (asked.path) renderPath();
    if (asked.cancelPath) say(path_.cancel());
    Edit edit = Edit::none;
    if (asked.sphere && editor_.has(scene)) {
        scene.spheres[editor_.selected()] = *asked.sphere;
        edit = asked.adjusting ? Edit::moving : Edit::changed;
    }
    if (asked.duplicate) edit = editor_.duplicate(scene);
    if (asked.remove) edit = editor_.remove(scene);
    const bool under = editor_.dragging() || asked.adjusting;
    if (edit != Edit::none)
        sceneEdited(edit);
    else if (edited_ && !under && !ImGui::IsAnyItemActive())
        sceneEdited(Edit::changed);
}

/// The renderers get the scene, and the picture begins again.
void Viewer::sceneEdited(Edit edit) {
    edited_ = edit == Edit::moving;
    Scene& scene = state_.scene;
    if (const std::string name = editedName(scene.name); name != scene.name) {
        scene.name = name;
        showName(name);
    }
    steering_.noteMove(frameBegan_);
    if (edited_ && baked(state_)) return;
    if (edited_) {
        backends_.adjustSphere(editor_.selected(), scene.spheres[editor_.selected()]);
    } else {
        giveScene(scene);
        std::string problem;
        state_.settings = possible(state_.settings, scene, &problem);
        warn(problem);
        warn(unpinImpossible(compared()));
    }
    versus_.reset(backends_);
    tracer_.restart();
    pinnedTracer_.restart();
    rates_.restart();
}

/// Of the picture's size, into a folder where screenshots go.
void Viewer::renderPath() {
    const std::string problem = path_.start(state_, window_.framebuffer(), sceneChoice_.path,
                                            screenshots_.freshPath("-path"));
    warn(problem);
}

void Viewer::saveScene() {
    const std::string path = screenshots_.freshPath(".scene.json");
    Scene scene = state_.scene;
    scene.camera = state_.camera;
    errands_.send([this, path, scene = std::move(scene)]() -> Errands::Then {
        return [this, path,
                problem = writeTextFile(path, toJson(scene).dump(2) + "\n", Existing::kept)] {
            problem.empty() ? say(fmt::format("Saved {}", path)) : warn(problem);
        };
    });
}

}  // namespace rayscope
