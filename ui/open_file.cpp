#include "ui/open_file.h"

#include <algorithm>
#include <cctype>

#include "renderer/image/image_files.h"
#include "renderer/scene/json.h"
#include "ui/backends.h"
#include "ui/versus_drive.h"

namespace rayscope {

namespace {

bool endsWith(std::string path, const std::string& ending) {
    std::transform(path.begin(), path.end(), path.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return path.ends_with(ending);
}

}  // namespace

std::variant<State, std::string> opened(const std::string& nameOrPath, const State& state,
                                        std::string* takenBack) {
    if (endsWith(nameOrPath, ".png")) return readState(nameOrPath);
    auto scene = findScene(nameOrPath);
    if (auto* found = std::get_if<Scene>(&scene)) {
        State result = state;
        result.settings = forScene(state.settings, state.scene, *found, takenBack);
        takeAlong(result.pinned, state.scene, *found, takenBack);
        result.camera = found->camera;
        result.scene = std::move(*found);
        return result;
    }
    if (endsWith(nameOrPath, ".json")) {
        auto whole = readState(nameOrPath);
        if (std::holds_alternative<State>(whole)) return whole;
    }
    return std::get<std::string>(scene);
}

}  // namespace rayscope
