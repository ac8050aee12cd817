#include "ui/ladder_drive.h"

#include <fmt/format.h>

#include <algorithm>

namespace rayscope {

std::string firstOf(const std::vector<std::string>& ladders) {
    const auto first = std::find(ladders.begin(), ladders.end(), "voxel-tracer");
    if (first != ladders.end()) return *first;
    return ladders.empty() ? "" : ladders.front();
}

std::string enterRung(LadderClimb& climb, int rung, const Driven& window) {
    State& state = window.state;
    climb.look(window.backends, state);
    const Standing standing = climb.standings()[rung];
    if (!standing.reason.empty()) return standing.reason;
    const Scene& scene = climb.sceneOf(rung);
    if (state.scene == scene) {
        state.settings = standing.settings;
    } else {
        State next = state;
        next.enter(scene);
        if (scene.camera == state.scene.camera) next.camera = state.camera;
        next.settings = standing.settings;
        window.adopt(std::move(next));
    }
    climb.entered(rung);
    return window.backends.unsupported(state.settings);
}

bool climbOn(LadderClimb& climb, const Driven& window) {
    climb.look(window.backends, window.state);
    if (!climb.climbing()) return false;
    if (const std::optional<int> rung = climb.next()) enterRung(climb, *rung, window);
    return !climb.climbing();
}

std::string climbingText(const LadderClimb& climb) {
    if (!climb.climbing()) return {};
    return fmt::format("climbing {} of {}", climb.target() + 1, climb.standings().size());
}

}  // namespace rayscope
