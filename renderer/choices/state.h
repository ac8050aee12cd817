#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/base/result.h"
#include "renderer/choices/settings.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

class ObjectReader;

/// none: clipped. reinhard: x/(1+x) of the luminance (Reinhard et al. 2002). filmic: Narkowicz's
/// fit of the ACES curve (2015). All are followed by the scene's own gamma.
enum class ToneMapper { none, reinhard, filmic };

/// What is shown: the film, or a map of what its pixels cost, in false colours.
enum class Shown { picture, rays, time };

std::string_view nameOf(Shown shown);

/// How the film is shown; never touches the film.
struct View {
    double exposure = 0;  ///< stops, on top of the scene's own exposure
    ToneMapper toneMapper = ToneMapper::none;
    Shown shown = Shown::picture;
    bool operator==(const View&) const = default;
};

/// How the films of two settings, A (pinned) and B, are shown together.
enum class Showing { split, difference, a, b };
std::string_view nameOf(Showing showing);

inline constexpr double kMostGain = 16;  ///< stops

/// Settings A, to be compared with the state's own, which are B.
struct Pinned {
    Settings settings;
    Showing showing = Showing::split;
    double wipe = .5;       ///< split: where A ends, as a share of the window's width
    double gain = 4;        ///< stops: differences are shown 2^gain times as bright as radiance
    bool withSign = false;  ///< the difference also shows which of the two is brighter
    bool operator==(const Pinned&) const = default;
};

/// Cameras to come back to, and the key frames of a path.
inline constexpr int kBookmarks = 9;
using Bookmarks = std::array<std::optional<Camera>, kBookmarks>;
bool any(const Bookmarks& bookmarks);

/// How edited kernel sources differ from those that the program was built with (code/patch.h), by
/// the name of the source. Nothing of it is compiled before the user has seen it.
using Patches = std::map<std::string, std::string>;
inline constexpr std::size_t kMostPatchBytes = 256 << 10;
/// It is a text of no more than that.
bool fitsState(const std::string& patch);

/// What a screenshot carries and restores.
struct State {
    SharedScene scene;
    Camera camera;  ///< where the user flew; scene.camera is the scene's own
    Settings settings;
    View view;
    std::optional<Pinned> pinned{};
    Bookmarks bookmarks{};
    Patches patches{};
    bool operator==(const State&) const = default;
    /// Switches to another scene and its camera. Bookmarks go unless it has the same name.
    void enter(SharedScene next);
};

/// The settings as {axis: value}, for the axes that matter, spelled as in axes.h.
nlohmann::json toJson(const Settings& settings);

nlohmann::json toJson(const State& state);

/// {"1": camera, "9": camera}
nlohmann::json toJson(const Bookmarks& bookmarks);

/// Members that a camera lacks are those of `defaults`.
void readBookmarks(ObjectReader members, const Camera& defaults, Bookmarks& bookmarks);

/// Unknown axes and values, wrong types and numbers out of range are errors, whose reason names the
/// key and what was expected. Sizes are checked before anything large is allocated.
Result<State> stateFromJson(const nlohmann::json& json);

}  // namespace rayscope
