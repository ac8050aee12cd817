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

bool climbOn(LadderClimb& climb, const FrameStats& settled, double seconds, const Driven& window) {
    const Settings& settings = window.state.settings;
    climb.note(settled);
    if (!climb.climbing()) return false;
    std::string problem = window.backends.unsupported(settings);
    if (!window.backends.get(settings.backend).kernel().compileLog.empty())
        problem = "the kernel does not compile";
    while (const std::optional<int> rung = climb.next(seconds, problem)) {
        problem = enterRung(climb, *rung, window);
        if (problem.empty()) return false;
        climb.skip(*rung, problem);
        problem.clear();
        seconds = 0;
    }
    return !climb.climbing();
}

std::string climbingText(const LadderClimb& climb) {
    if (!climb.climbing() || climb.target() < 0) return {};
    return fmt::format("climbing {} of {}", climb.target() + 1, climb.standings().size());
}

}  // namespace rayscope
