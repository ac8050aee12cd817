#include "ui/open_file.h"

#include "renderer/image/image_files.h"
#include "ui/backends.h"
#include "ui/versus_drive.h"

namespace rayscope {

std::variant<State, std::string> opened(const std::string& nameOrPath, const State& state,
                                        std::string* takenBack) {
    auto found = readStateOrScene(nameOrPath);
    if (auto* reason = std::get_if<std::string>(&found)) return std::move(*reason);
    if (auto* whole = std::get_if<State>(&found)) return std::move(*whole);
    auto& scene = std::get<Scene>(found);
    State result = state;
    result.settings = forScene(state.settings, state.scene, scene, takenBack);
    takeAlong(result.pinned, state.scene, scene, takenBack);
    result.camera = scene.camera;
    result.scene = std::move(scene);
    return result;
}

}  // namespace rayscope
