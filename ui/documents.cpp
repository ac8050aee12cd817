#include "ui/documents.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/code/carried_kernels.h"
#include "renderer/devices/starting.h"
#include "renderer/film/image_files.h"
#include "renderer/scene/sky.h"
#include "ui/clipboard.h"
#include "ui/scene_panel.h"
#include "ui/versus_panel.h"

namespace rayscope {

namespace {

/// What is read or written within a few milliseconds.
constexpr std::size_t kQuickBytes = 256 << 10, kQuickWords = 4096, kQuickSpheres = 1000;
/// An X server ends a program that hands over more than it takes in one request, mostly 16 MiB.
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMostToCopy = std::size_t{8} << 20;

/// The scene with another sky.
State underSky(Sky sky, const State& state, std::string* takenBack) {
    State result = state;
    SharedScene scene = state.scene;
    scene.change([&](Scene& s) {
        s.sky = std::move(sky);
        s.name = editedName(s.name);
    });
    result.settings = startingIn(state.settings, state.scene, scene, takenBack);
    result.settings.depth = state.settings.depth;
    takeAlong(result.pinned, state.scene, scene, takenBack);
    result.scene = std::move(scene);
    return result;
}

/// The file that a text names, as file managers copy it; empty where it names none.
std::string fileNamed(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    std::erase(text, '"');
    std::erase(text, '\'');
    if (text.empty() || text.size() > kLongestName || text.find('\n') != text.npos) return {};
    const std::string_view scheme = "file://";
    if (!text.starts_with(scheme)) return namesFile(text) ? text : std::string();
    const std::string path = percentDecoded(std::string_view(text).substr(scheme.size()));
    return namesFile(path) ? path : std::string();
}

void takePasted(const Result<State>& pasted, Frame& frame) {
    if (!pasted) return frame.warn(pasted.reason());
    State state = *pasted;
    setAside(state);
    const std::string problem = state.scene == frame.state.scene
                                    ? frame.backends.unsupported(state.settings)
                                    : frame.backends.unsupported(state.settings, state.scene);
    if (!problem.empty()) return frame.warn(problem);
    frame.say("Pasted a state");
    frame.host.adopt(*pasted);
    frame.warn(skyMissing(pasted->scene->sky));
}

}  // namespace

static std::string absolute(const std::string& path) {
    std::error_code error;
    return std::filesystem::absolute(path, error).lexically_normal().string();
}

bool namesFile(const std::string& nameOrPath) {
    std::error_code error;
    return nameOrPath.find_first_of("./") != std::string::npos &&
           std::filesystem::is_regular_file(nameOrPath, error);
}

Result<State> opened(const std::string& nameOrPath, const State& state, std::string* takenBack) {
    auto found = readStateOrScene(nameOrPath);
    if (!found && isSkyPicture(nameOrPath)) {
        if (auto sky = skyFromFile(nameOrPath)) return underSky(*std::move(sky), state, takenBack);
    }
    if (!found) return found.failure();
    if (auto* whole = std::get_if<State>(&*found)) return std::move(*whole);
    auto& scene = std::get<Scene>(*found);
    State result = state;
    result.settings = startingIn(state.settings, state.scene, scene, takenBack);
    takeAlong(result.pinned, state.scene, scene, takenBack);
    result.enter(std::move(scene));
    return result;
}

void Documents::open(const std::string& nameOrPath, Frame& frame) {
    const bool file = namesFile(nameOrPath);
    std::error_code error;
    // a small file may name large ones: each is read beside the window
    const bool small = !file || std::filesystem::file_size(nameOrPath, error) <= kQuickBytes;
    if (!small) frame.say(fmt::format("Reading {}", nameOrPath));
    const auto read = [=, this, &frame, state = frame.state]() -> Errands::Then {
        std::string takenBack;
        auto result = opened(nameOrPath, state, &takenBack);
        return [=, this, &frame, result = std::move(result)]() mutable {
            if (!result) return frame.warn(result.reason());
            const bool sky = !(result->scene->sky == frame.state.scene->sky) &&
                             result->scene->sky.source == absolute(nameOrPath) &&
                             isSkyPicture(nameOrPath);
            const std::string missing = skyMissing(result->scene->sky);
            frame.host.adopt(*std::move(result));
            frame.warn(takenBack.empty() ? missing : takenBack);
            if (sky) frame.say(fmt::format("The sky is {} now", nameOrPath));
            if (file && !sky) remember(nameOrPath, frame);
        };
    };
    frame.errands.send(read, !file);
}

void Documents::remember(const std::string& path, Frame& frame) {
    std::error_code error;
    const std::string file = std::filesystem::absolute(path, error).string();
    if (isLastState(file)) return;
    frame.preferences.opened(file);
    frame.scenes.recent = frame.preferences.recent;
}

void Documents::chord(const Chord& chord, Frame& frame) {
    if (chord.letter == 'c' && !chord.shift) copy(frame);
    if (chord.letter == 'v') paste(frame);
}

void Documents::copy(Frame& frame) {
    const auto write = [this, &frame, state = frame.state]() -> Errands::Then {
        return [this, &frame, text = toJson(withPatches(state)).dump(2)] {
            if (text.size() > kMostToCopy) {
                return frame.warn(
                    fmt::format("The state is {} MiB of text, and a clipboard takes {}: "
                                "F12 saves it in a picture",
                                text.size() >> 20, kMostToCopy >> 20));
            }
            window_.setClipboard(text);
            frame.say("Copied the state as text");
        };
    };
    frame.errands.send(write, frame.state.scene->spheres.size() <= kQuickSpheres);
}

void Documents::paste(Frame& frame) {
    const std::string reader = clipboardReader();
    if (reader.empty()) return read(window_.clipboard(), frame);
    frame.errands.send([this, &frame, reader]() -> Errands::Then {
        return [this, &frame, found = readClipboard(reader)] {
            found ? read(*found, frame) : frame.warn(found.reason());
        };
    });
}

/// Pasted text.
void Documents::read(std::string text, Frame& frame) {
    if (const std::string file = fileNamed(text); !file.empty()) return open(file, frame);
    // words such as accel=bvh are understood at once; a state may name large files
    const bool quick = text.size() <= kQuickWords && text.find('{') == text.npos;
    if (text.size() > kQuickBytes) frame.say("Reading the clipboard");
    const auto understand = [&frame, text = std::move(text),
                             state = frame.state]() -> Errands::Then {
        return [&frame, result = stateFromText(text, state)] { takePasted(result, frame); };
    };
    frame.errands.send(understand, quick);
}

}  // namespace rayscope
