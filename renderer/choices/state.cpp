#include "renderer/choices/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "renderer/base/text.h"
#include "renderer/base/version.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/scene/json.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr std::array<const char*, kBookmarks> kDigits{"1", "2", "3", "4", "5", "6", "7", "8", "9"};

/// Raised when older programs can no longer restore the states that are written.
constexpr int kFormat = 1;
constexpr Range kStops{-32, 32};
constexpr Range kGains{0, kMostGain}, kShares{0, 1};
constexpr std::array<std::string_view, 3> kToneMappers{"none", "reinhard", "filmic"};
constexpr std::array<std::string_view, 3> kShown{"picture", "rays", "time"};
constexpr std::array<std::string_view, 4> kShowings{"split", "difference", "a", "b"};

void put(json& object, const Axis& axis, const Settings& settings) {
    if (axis.kind == AxisKind::number)
        object[axis.id] = axis.get(settings);
    else
        object[axis.id] = valueOf(axis, settings);
}

/// Includes the other backend's axes, so that what was chosen there is still chosen after a switch.
json everyAxis(const Settings& settings) {
    json object = json::object();
    for (const Axis& axis : axes()) put(object, axis, settings);
    object["seed"] = settings.seed;
    return object;
}

/// The value as assign() reads it; empty if it has the wrong type.
std::string spelling(const Axis& axis, const json& value) {
    if (axis.kind != AxisKind::number) return value.is_string() ? value.get<std::string>() : "";
    return value.is_number() ? value.dump() : "";
}

void readAxis(ObjectReader& members, const Axis& axis, Settings& settings) {
    const json* value = members.member(axis.id);
    if (value == nullptr) return;
    const std::string text = spelling(axis, *value);
    if (text.empty()) {
        const bool number = axis.kind == AxisKind::number;
        return members.complain(members.pathOf(axis.id), briefly(*value),
                                number ? "a whole number" : "one of its values as a text");
    }
    const Result<void> assigned = assignRead(settings, fmt::format("{}={}", axis.id, text));
    if (!assigned) members.fail("settings: " + assigned.reason());
}

/// What is absent gets the default for the backend and scene.
void readSettings(ObjectReader members, const Scene& scene, Settings& settings) {
    readAxis(members, *findAxis("backend"), settings);
    settings = defaultSettings(settings.backend, scene);
    for (const Axis& axis : axes()) readAxis(members, axis, settings);
    std::int64_t seed = settings.seed;
    members.whole("seed", std::int64_t{0}, std::numeric_limits<std::uint32_t>::max(), seed);
    settings.seed = static_cast<std::uint32_t>(seed);
    members.finish();
}

void readView(ObjectReader members, View& view) {
    members.number("exposure", kStops, view.exposure);
    members.choice("tone_mapper", kToneMappers, view.toneMapper);
    members.choice("shown", kShown, view.shown);
    members.finish();
}

void readPinned(ObjectReader members, const Scene& scene, Pinned& pinned) {
    readSettings(members.object("settings", true), scene, pinned.settings);
    members.choice("showing", kShowings, pinned.showing);
    members.number("wipe", kShares, pinned.wipe);
    members.number("gain", kGains, pinned.gain);
    members.flag("with_sign", pinned.withSign);
    members.finish();
}

json describe(const Pinned& pinned) {
    return {{"settings", everyAxis(pinned.settings)},
            {"showing", nameOf(pinned.showing)},
            {"wipe", pinned.wipe},
            {"gain", pinned.gain},
            {"with_sign", pinned.withSign}};
}

void readScene(ObjectReader& members, SharedScene& scene) {
    const json* value = members.required("scene", "an object");
    if (value == nullptr) return;
    Result<Scene> read = sceneFromJson(*value, "");
    if (read)
        scene = *std::move(read);
    else
        members.fail("scene: " + read.reason());
}

/// Of A's source and of B's.
void readPatches(ObjectReader& members, Patches& patches) {
    const json* object = members.member("kernels");
    if (object == nullptr) return;
    constexpr std::size_t kMost = 2;
    const std::string expected = fmt::format("an object of at most {} texts", kMost);
    if (!object->is_object() || object->size() > kMost)
        return members.complain("kernels", briefly(*object), expected);
    for (const auto& [name, value] : object->items()) {
        if (const auto source = sourceNamed(name); !source || *source == kBuiltIn)
            return members.fail("kernels: " +
                                (source ? "built_in is not edited" : source.reason()));
        const std::string* const patch = value.get_ptr<const std::string*>();
        if (patch == nullptr || !fitsState(*patch))
            return members.complain("kernels." + name, briefly(value),
                                    fmt::format("a text of at most {} bytes", kMostPatchBytes));
        patches[name] = *patch;
    }
}

}  // namespace

bool fitsState(const std::string& patch) {
    return patch.size() <= kMostPatchBytes && printable(patch, "\n\t\r") == patch;
}

json toJson(const Settings& settings) {
    json object = json::object();
    for (const Axis& axis : axes()) {
        if (axis.matters(settings)) put(object, axis, settings);
    }
    return object;
}

bool any(const Bookmarks& bookmarks) {
    return std::any_of(bookmarks.begin(), bookmarks.end(), [](const auto& b) { return b; });
}

void State::enter(SharedScene next) {
    if (next->name != scene->name) bookmarks = {};
    camera = next->camera;
    scene = std::move(next);
}

json toJson(const Bookmarks& bookmarks) {
    json object = json::object();
    for (std::size_t i = 0; i < bookmarks.size(); ++i) {
        if (bookmarks[i]) object[kDigits[i]] = toJson(*bookmarks[i]);
    }
    return object;
}

void readBookmarks(ObjectReader members, const Camera& defaults, Bookmarks& bookmarks) {
    for (std::size_t i = 0; i < bookmarks.size(); ++i) {
        if (members.member(kDigits[i]) == nullptr) continue;
        bookmarks[i] = defaults;
        readCamera(members.object(kDigits[i], false), *bookmarks[i]);
    }
    members.finish();
}

std::string_view nameOf(Shown shown) {
    return kShown.at(static_cast<std::size_t>(shown));
}

std::string_view nameOf(Showing showing) {
    return kShowings.at(static_cast<std::size_t>(showing));
}

json toJson(const State& state) {
    json object{{"program", "rayscope"},
                {"version", kVersion},
                {"format", kFormat},
                {"scene", toJson(state.scene)},
                {"camera", toJson(state.camera)},
                {"settings", everyAxis(state.settings)},
                {"view",
                 {{"exposure", state.view.exposure},
                  {"tone_mapper", kToneMappers.at(static_cast<std::size_t>(state.view.toneMapper))},
                  {"shown", nameOf(state.view.shown)}}}};
    if (state.pinned) object["pinned"] = describe(*state.pinned);
    if (any(state.bookmarks)) object["bookmarks"] = toJson(state.bookmarks);
    if (!state.patches.empty()) object["kernels"] = state.patches;
    return object;
}

Result<State> stateFromJson(const json& json) {
    State state;
    std::string error;
    ObjectReader members(json, "", error);
    std::string ignored;
    members.text("program", 100, ignored);
    members.text("version", 100, ignored);
    members.required("format", fmt::format("{}", kFormat));
    int format = kFormat;
    members.whole("format", 1, kFormat, format);
    members.member("info");  // what was measured; nothing to restore
    readScene(members, state.scene);
    state.camera = state.scene->camera;
    readCamera(members.object("camera", true), state.camera);
    readSettings(members.object("settings", true), state.scene, state.settings);
    readView(members.object("view", true), state.view);
    if (members.member("pinned") != nullptr) {
        state.pinned.emplace();
        readPinned(members.object("pinned", false), state.scene, *state.pinned);
    }
    if (members.member("bookmarks") != nullptr)
        readBookmarks(members.object("bookmarks", false), state.scene->camera, state.bookmarks);
    readPatches(members, state.patches);
    members.finish();
    if (!error.empty()) return Failure{error};
    return state;
}

}  // namespace rayscope
