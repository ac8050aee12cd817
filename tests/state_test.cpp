#include "renderer/choices/state.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

using nlohmann::json;

Scene load(const std::string& name) {
    auto scene = findScene(name);
    if (!scene) throw std::runtime_error(scene.reason());
    return *std::move(scene);
}

State stateOf(const Scene& scene, Backend backend) {
    return {scene, scene.camera, defaultSettings(backend, scene), {}};
}

std::string reasonOf(const Result<State>& state) {
    return state ? "" : state.reason();
}

/// Through text, as a capsule does.
void expectRoundTrip(const State& state) {
    const auto parsed = parseJson(toJson(state).dump(), "text");
    ASSERT_TRUE(parsed) << parsed.reason();
    const auto again = stateFromJson(*parsed);
    ASSERT_EQ(reasonOf(again), "");
    const State& read = *again;
    EXPECT_TRUE(read == state) << difference(state.settings, read.settings) << " of "
                               << describe(state.settings);
}

TEST(State, EverySceneAndBackendSurvives) {
    for (const std::string& name : sceneNames()) {
        expectRoundTrip(stateOf(load(name), Backend::cpu));
        expectRoundTrip(stateOf(load(name), Backend::cuda));
    }
}

TEST(State, TheMapThatIsShownSurvives) {
    State state = stateOf(load("vt9"), Backend::cpu);
    for (const Shown shown : {Shown::picture, Shown::rays, Shown::time}) {
        state.view.shown = shown;
        expectRoundTrip(state);
    }
    json text = toJson(state);
    EXPECT_EQ(text["view"]["shown"], "time");
    text["view"].erase("shown");  // as written before there were maps
    EXPECT_EQ((*stateFromJson(text)).view.shown, Shown::picture);
}

TEST(State, WhatIsPinnedSurvives) {
    State state = stateOf(load("vt9"), Backend::cpu);
    Pinned pinned{defaultSettings(Backend::cuda, state.scene)};
    pinned.settings.depth = 3;
    pinned.settings.variant.precision = Precision::float64;
    pinned.showing = Showing::difference;
    pinned.wipe = .25;
    pinned.gain = 7.5;
    pinned.withSign = true;
    state.pinned = pinned;
    expectRoundTrip(state);
    json text = toJson(state);
    text["pinned"]["wipe"] = 1.5;
    EXPECT_NE(reasonOf(stateFromJson(text)).find("pinned.wipe is 1.5"), std::string::npos);
    text["pinned"] = "yes";
    EXPECT_NE(reasonOf(stateFromJson(text)).find("pinned"), std::string::npos);
}

TEST(State, BookmarksSurvive) {
    State state = stateOf(load("vt9"), Backend::cpu);
    EXPECT_FALSE(toJson(state).contains("bookmarks"));
    state.bookmarks[0] = state.scene->camera;
    state.bookmarks[8] = state.scene->camera;
    state.bookmarks[8]->vfov = 17;
    EXPECT_EQ(*stateFromJson(toJson(state)), state);
    json wrong = toJson(state);
    wrong["bookmarks"]["9"]["vfov"] = 200;
    EXPECT_NE(reasonOf(stateFromJson(wrong)).find("bookmarks.9.vfov"), std::string::npos)
        << reasonOf(stateFromJson(wrong));
    wrong = toJson(state);
    wrong["bookmarks"]["10"] = json::object();
    EXPECT_NE(reasonOf(stateFromJson(wrong)).find("bookmarks.10"), std::string::npos);
}

TEST(State, EveryValueOfEveryAxisSurvives) {
    for (const Axis& axis : axes()) {
        for (const Backend backend : {Backend::cpu, Backend::cuda}) {
            for (int value = axis.minimum; value <= axis.maximum; ++value) {
                State state = stateOf(load("vt9"), backend);
                axis.set(state.settings, value);
                expectRoundTrip(state);
            }
        }
    }
}

TEST(State, RandomStatesSurvive) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> real(-1, 1);
    for (int i = 0; i < 300; ++i) {
        State state = stateOf(load(i % 2 ? "vt9" : "card"), Backend::cpu);
        for (const Axis& axis : axes()) {
            axis.set(state.settings,
                     std::uniform_int_distribution(axis.minimum, axis.maximum)(random));
        }
        state.settings.seed = random();
        state.camera.from = {1e3 * real(random), real(random), 1e-3 * real(random)};
        state.camera.to = {real(random), real(random) + 9, real(random)};
        state.camera.up = {real(random), .1, 5};
        state.camera.vfov = 90 + 80 * real(random);
        state.camera.lensRadius = std::abs(real(random));
        state.camera.lens = random() % 2 ? Lens::disk : Lens::square;
        state.view = {30 * real(random), static_cast<ToneMapper>(random() % 3)};
        expectRoundTrip(state);
    }
}

TEST(State, TheLargestSeedSurvives) {
    State state = stateOf(load("vt9"), Backend::cpu);
    state.settings.seed = std::numeric_limits<std::uint32_t>::max();
    expectRoundTrip(state);
}

TEST(State, TheSceneIsEmbedded) {
    State state = stateOf(load("vt9"), Backend::cpu);
    state.scene.change([](Scene& scene) {
        scene.name = "changed";
        scene.spheres[3].radius = .25;
    });
    state.camera.from = {1, 2, 3};
    expectRoundTrip(state);
    EXPECT_FALSE(state.camera == state.scene->camera);
}

TEST(State, WhatIsAbsentHasTheDefaultsOfSceneAndBackend) {
    const Scene scene = load("weekend");
    const json minimal{
        {"format", 1}, {"scene", toJson(scene)}, {"settings", {{"backend", "cuda"}}}};
    const auto state = stateFromJson(minimal);
    ASSERT_EQ(reasonOf(state), "");
    EXPECT_TRUE(*state == stateOf(scene, Backend::cuda));
}

TEST(State, CombinationsThatNoDeviceHasAreStillRead) {
    State state = stateOf(load("card"), Backend::cpu);
    state.settings.variant.lightSampling = true;
    ASSERT_NE(unsupported(state.settings, state.scene), "");
    expectRoundTrip(state);
}

TEST(State, MeasurementsMayBeAdded) {
    json changed = toJson(stateOf(load("vt9"), Backend::cpu));
    changed["info"] = {{"device", "a GPU"}, {"rays_per_second", 1e9}};
    EXPECT_EQ(reasonOf(stateFromJson(changed)), "");
}

TEST(Settings, AreSpelledAsInTheTableForTheirBackend) {
    Settings settings = defaultSettings(Backend::cpu, load("vt9"));
    settings.variant.precision = Precision::float64;
    const json spelled = toJson(settings);
    EXPECT_EQ(spelled["backend"], "cpu");
    EXPECT_EQ(spelled["precision"], "double");
    EXPECT_EQ(spelled["depth"], 10);
    EXPECT_EQ(spelled["light_sampling"], "off");
    for (const Axis& axis : axes()) {
        EXPECT_EQ(spelled.contains(axis.id), axis.matters(settings)) << axis.id;
    }
    EXPECT_EQ(spelled.size(), toJson(settings).size());
    settings.backend = Backend::cuda;
    EXPECT_TRUE(toJson(settings).contains("block"));
    EXPECT_FALSE(toJson(settings).contains("threads"));
}

struct Wrong {
    const char* pointer;
    json value;  ///< discarded: remove instead
    const char* sentence;
};

TEST(WrongState, EachValueIsNamed) {
    const json absent(json::value_t::discarded);
    const std::vector<Wrong> table{
        {"/format", absent, "format is missing, expected 1"},
        {"/format", 2, "format is 2, expected a whole number from 1 to 1"},
        {"/scene", absent, "scene is missing"},
        {"/scene", 3, "scene: the top level is 3"},
        {"/scene/spheres/2/radius", -1, "scene: spheres[2].radius is -1"},
        {"/scene/depht", 4, "scene: depht is an unknown key"},
        {"/camera", 1, "camera is 1, expected an object"},
        {"/camera/vfov", 400, "camera.vfov is 400"},
        {"/camera/to", json::array({0, 2, 3}), "camera.to is the same point"},
        {"/settings/path", "spiral",
         "settings: path=spiral is not possible: path is one of recursive"},
        {"/settings/path", 2, "settings.path is 2, expected one of its values as a text"},
        {"/settings/path", "", "settings.path is \"\""},
        {"/settings/depth", 65, "settings: depth=65 is not possible"},
        {"/settings/depth", "10", "settings.depth is \"10\", expected a whole number"},
        {"/settings/depth", 1.5, "settings: depth=1.5 is not possible"},
        {"/settings/depth", 1e300, "settings: depth=1e+300 is not possible"},
        {"/settings/samples", json::array(), "settings.samples is an array"},
        {"/settings/light_sampling", true, "settings.light_sampling is true"},
        {"/settings/max_registers", "33", "settings: max_registers=33 is not possible"},
        {"/settings/block", "7x7", "settings: block=7x7 is not possible"},
        {"/settings/backend", "gpu",
         "settings: backend=gpu is not possible: backend is one of cpu"},
        {"/settings/speed", 1, "settings.speed is an unknown key"},
        {"/settings/seed", -1, "settings.seed is -1"},
        {"/settings/seed", 4294967296, "settings.seed is 4294967296"},
        {"/settings", json::array(), "settings is an array"},
        {"/view/exposure", 33, "view.exposure is 33, expected a number from -32 to 32"},
        {"/view/tone_mapper", "aces",
         "view.tone_mapper is \"aces\", expected one of none, reinhard"},
        {"/view/contrast", 1, "view.contrast is an unknown key"},
        {"/results", 1, "results is an unknown key"},
    };
    const json base = toJson(stateOf(load("vt9"), Backend::cpu));
    for (const Wrong& wrong : table) {
        json changed = base;
        const json::json_pointer pointer(wrong.pointer);
        if (wrong.value.is_discarded())
            changed.at(pointer.parent_pointer()).erase(pointer.back());
        else
            changed[pointer] = wrong.value;
        const std::string reason = reasonOf(stateFromJson(changed));
        EXPECT_TRUE(reason.starts_with(wrong.sentence)) << wrong.pointer << " gives: " << reason;
    }
    EXPECT_EQ(reasonOf(stateFromJson(json(1))), "the top level is 1, expected an object");
}

}  // namespace
}  // namespace rayscope
