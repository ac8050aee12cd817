#include "ui/open_file.h"

#include <filesystem>

#include "renderer/choices/axes.h"
#include "renderer/devices/backends.h"
#include "renderer/film/image_files.h"
#include "ui/versus_drive.h"

namespace rayscope {

bool namesFile(const std::string& nameOrPath) {
    std::error_code error;
    return nameOrPath.find_first_of("./") != std::string::npos &&
           std::filesystem::is_regular_file(nameOrPath, error);
}

std::variant<State, std::string> opened(const std::string& nameOrPath, const State& state,
                                        std::string* takenBack) {
    auto found = readStateOrScene(nameOrPath);
    if (auto* reason = std::get_if<std::string>(&found)) return std::move(*reason);
    if (auto* whole = std::get_if<State>(&found)) return std::move(*whole);
    auto& scene = std::get<Scene>(found);
    State result = state;
    result.settings = forScene(state.settings, state.scene, scene, takenBack);
    takeAlong(result.pinned, state.scene, scene, takenBack);
    result.enter(std::move(scene));
    return result;
}

}  // namespace rayscope
