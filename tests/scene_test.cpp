#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "renderer/scene/json.h"
#include "renderer/scene/made_parts.h"
#include "tests/render_helper.h"

// Scene files: what the published scenes hold, that files survive a round trip, and what is said of
// wrong ones. The cameras are in camera_test.cpp.

namespace rayscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string reasonOf(const Result<Scene>& scene) {
    return scene ? "" : scene.reason();
}

fs::path temporaryFolder() {
    const fs::path folder = fs::temp_directory_path() / fmt::format("rayscope-scene-{}", getpid());
    fs::create_directories(folder);
    return folder;
}

/// Writes the text to a file and reads it as a scene.
std::string reasonForText(const std::string& text) {
    const fs::path path = temporaryFolder() / "wrong.json";
    std::ofstream(path) << text;
    const std::string reason = reasonOf(readScene(path.string()));
    fs::remove_all(path.parent_path());
    return reason;
}

void expectVector(const glm::dvec3& value, const glm::dvec3& expected) {
    EXPECT_EQ(value, expected);
}

TEST(Scene, AllAreThere) {
    const std::vector<std::string> expected{
        "card", "cornell",     "cornell-box",      "globe",  "nbody", "vt46",
        "vt9",  "vt9-lambert", "vt9-one-material", "weekend"};
    EXPECT_EQ(sceneNames(), expected);
}

TEST(Scene, EachSurvivesARoundTrip) {
    for (const std::string& name : sceneNames()) {
        const Scene scene = sceneNamed(name);
        EXPECT_EQ(scene.name, name);
        EXPECT_FALSE(scene.title.empty()) << name;
        const auto parsed = parseJson(toJson(scene).dump(), "text");
        const auto again = sceneFromJson(*parsed, "text");
        ASSERT_EQ(reasonOf(again), "");
        EXPECT_TRUE(*again == scene) << name;
    }
}

TEST(Scene, EveryFieldSurvivesARoundTrip) {
    Scene scene;
    scene.name = "all";
    scene.title = "Ünïcode, \"quotes\"";
    for (const auto kind : {MaterialKind::lambert, MaterialKind::metal, MaterialKind::dielectric,
                            MaterialKind::glass, MaterialKind::glossy}) {
        scene.spheres.push_back(
            {{1. / 3, -2e6, 1e-9}, .1, {kind, {.1, .2, .3}, {1, 2, 3}, .7, 2.1}});
    }
    scene.floor = true;
    scene.cardLight = {{1, 2, 3}, 4};
    scene.sky = {SkyKind::power, {.1, .2, .3}, {.4, .5, .6}};
    scene.camera = {{1, 2, 3}, {4, 5, 7}, {0, 0, 2}, 33.3, .25, 7, 1.5, Lens::square};
    scene.display = {.5, -.25, 1.8};
    scene.filter = Filter::tent;
    scene.epsilon = 1e-5;
    scene.depth = kMaxDepth;
    scene.rouletteDepth = 7;
    scene.width = 16384;
    scene.height = 1;
    scene.spp = 1000000;
    scene.simulation = {Start::cube, 7, 3, 2.5, 1. / 3, .125, .25, 2};
    placeBodies(scene);
    const auto again = sceneFromJson(toJson(scene), "file.json");
    ASSERT_EQ(reasonOf(again), "");
    EXPECT_TRUE(*again == scene);
}

TEST(Scene, WhatIsAbsentHasItsDefault) {
    const auto scene = sceneFromJson(json::parse(R"({"camera": {}, "spheres": []})"), "a/b.json");
    Scene expected;
    expected.name = "b";
    ASSERT_EQ(reasonOf(scene), "");
    EXPECT_TRUE(*scene == expected);
}

TEST(Scene, VoxelTracerNine) {
    const Scene s = sceneNamed("vt9");
    ASSERT_EQ(s.spheres.size(), 9u);
    expectVector(s.spheres[0].center, {0, -100.5, -1});
    EXPECT_EQ(s.spheres[0].radius, 100);
    expectVector(s.spheres[0].material.albedo, {.8, .8, .8});
    EXPECT_EQ(s.spheres[5].material.kind, MaterialKind::metal);
    EXPECT_EQ(s.spheres[5].material.roughness, .2);
    EXPECT_EQ(s.spheres[6].material.roughness, .6);
    EXPECT_EQ(s.spheres[7].material.kind, MaterialKind::dielectric);
    EXPECT_EQ(s.spheres[7].material.index, 1.5);
    expectVector(s.spheres[7].material.albedo, {1, 1, 1});
    expectVector(s.spheres[8].center, {-1.5, 1.5, 0});
    EXPECT_EQ(s.spheres[8].radius, .3);
    expectVector(s.spheres[8].material.emission, {30, 25, 15});
    EXPECT_EQ(lightCount(s), 1);
    EXPECT_EQ(s.sky.kind, SkyKind::gradient);
    EXPECT_NEAR(s.sky.top.y, .3 * .7, 1e-15);
    EXPECT_NEAR(s.sky.bottom.y, .3, 1e-15);
    EXPECT_EQ(s.depth, 10);
    EXPECT_EQ(s.rouletteDepth, 0);
    EXPECT_EQ(s.epsilon, .001);
}

TEST(Scene, VoxelTracerFortySixHoldsTheNineAndFourRowsAndALight) {
    const Scene nine = sceneNamed("vt9");
    const Scene s = sceneNamed("vt46");
    ASSERT_EQ(s.spheres.size(), 46u);
    for (size_t i = 0; i < 9; ++i) EXPECT_TRUE(s.spheres[i] == nine.spheres[i]) << i;
    for (int row = 0; row < 4; ++row) {
        for (int i = 0; i < 9; ++i) {
            const Sphere& sphere = s.spheres[9 + 9 * row + i];
            expectVector(sphere.center, {4. - i, 0, -3. - row});
            EXPECT_EQ(sphere.radius, .5);
            EXPECT_EQ(sphere.material.roughness, 0);
            const bool metal = row == 1 || row == 2 || (row == 3 && i == 8);
            EXPECT_EQ(sphere.material.kind, metal ? MaterialKind::metal : MaterialKind::lambert);
            if (row < 2) {
                EXPECT_NEAR(sphere.material.albedo.y, (i + 1) / 10., 1e-12);
            }
        }
    }
    for (int i = 0; i < 9; ++i) {
        expectVector(s.spheres[27 + i].material.albedo, s.spheres[36 + i].material.albedo);
    }
    expectVector(s.spheres[28].material.albedo, {.8, .5, .1});
    expectVector(s.spheres[44].material.albedo, {.5, .1, .8});
    expectVector(s.spheres[45].center, {1.5, 1.5, -2});
    expectVector(s.spheres[45].material.emission, {3, 10, 20});
    EXPECT_EQ(lightCount(s), 2);
    EXPECT_EQ(s.camera.lensRadius, .01);
}

TEST(Scene, Cornell) {
    const Scene s = sceneNamed("cornell");
    ASSERT_EQ(s.spheres.size(), 9u);
    expectVector(s.spheres[0].center, {1e5 + 1, 40.8, 81.6});
    expectVector(s.spheres[1].center, {-1e5 + 99, 40.8, 81.6});
    expectVector(s.spheres[3].center, {50, 40.8, -1e5 + 170});
    expectVector(s.spheres[3].material.albedo, {0, 0, 0});
    EXPECT_NEAR(s.spheres[5].center.y, -1e5 + 81.6, 1e-9);
    EXPECT_EQ(s.spheres[6].material.kind, MaterialKind::metal);
    EXPECT_EQ(s.spheres[6].material.roughness, 0);
    EXPECT_EQ(s.spheres[7].material.kind, MaterialKind::glass);
    expectVector(s.spheres[7].material.albedo, {.999, .999, .999});
    EXPECT_NEAR(s.spheres[8].center.y, 681.6 - .27, 1e-9);
    expectVector(s.spheres[8].material.emission, {12, 12, 12});
    EXPECT_EQ(s.rouletteDepth, 5);
    EXPECT_EQ(s.filter, Filter::tent);
    EXPECT_EQ(traitsOf(s).features & (kGradientSky | kPowerSky), 0u) << "the background is black";
}

TEST(Scene, CardSpellsTheLetters) {
    const Scene s = sceneNamed("card");
    EXPECT_EQ(s.spheres.size(), 49u);
    // Kensler's bit field, lowest row first
    const int rows[9] = {247570, 280596, 280600, 249748, 18578, 18577, 231184, 16, 16};
    int found[9] = {};
    for (const Sphere& sphere : s.spheres) {
        EXPECT_EQ(sphere.radius, 1);
        EXPECT_EQ(sphere.center.y, 0);
        EXPECT_EQ(sphere.material.kind, MaterialKind::glossy);
        found[static_cast<int>(sphere.center.z) - 4] |= 1 << static_cast<int>(sphere.center.x);
    }
    for (int j = 0; j < 9; ++j) EXPECT_EQ(found[j], rows[j]) << j;
    EXPECT_TRUE(s.floor);
    // 13 + 3.5 a sample over 64 samples, of 255
    EXPECT_NEAR(s.display.offset * 255, 13, 1e-12);
    EXPECT_NEAR(s.display.exposure * 255, 64 * 3.5, 1e-12);
}

TEST(Scene, WeekendHasACoverFullOfSpheres) {
    const Scene s = sceneNamed("weekend");
    EXPECT_NEAR(static_cast<double>(s.spheres.size()), 485, 5);
    EXPECT_EQ(s.spheres[0].radius, 1000);
    int kinds[6] = {};
    for (size_t i = 1; i + 3 < s.spheres.size(); ++i) {
        const Sphere& sphere = s.spheres[i];
        EXPECT_EQ(sphere.radius, .2);
        EXPECT_GT(std::hypot(sphere.center.x - 4, sphere.center.z), .9 - 1e-5);
        EXPECT_LE(std::abs(sphere.center.x), 11);
        ++kinds[static_cast<int>(sphere.material.kind)];
        if (sphere.material.kind == MaterialKind::metal) {
            EXPECT_GE(sphere.material.albedo.x, .5);
        }
    }
    const double small = static_cast<double>(s.spheres.size() - 4);
    EXPECT_NEAR(kinds[static_cast<int>(MaterialKind::lambert)] / small, .80, .06);
    EXPECT_NEAR(kinds[static_cast<int>(MaterialKind::metal)] / small, .15, .06);
    EXPECT_NEAR(kinds[static_cast<int>(MaterialKind::dielectric)] / small, .05, .04);
    EXPECT_EQ(lightCount(s), 0);
    EXPECT_EQ(s.depth, 50);
    EXPECT_EQ(s.display.gamma, 2);
}

TEST(Scene, WeekendIsWhatItsScriptWrites) {
    const std::string source = RAYSCOPE_SOURCE_DIR;
    std::FILE* pipe = popen(("python3 '" + source + "/scripts/make_weekend.py'").c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string written;
    char buffer[4096];
    while (const size_t n = std::fread(buffer, 1, sizeof(buffer), pipe)) written.append(buffer, n);
    ASSERT_EQ(pclose(pipe), 0);
    std::ostringstream file;
    file << std::ifstream(source + "/assets/scenes/weekend.json").rdbuf();
    EXPECT_TRUE(written == file.str()) << "run scripts/make_weekend.py again";
}

// --- Wrong files
// ----------------------------------------------------------------------------------

struct Wrong {
    const char* pointer;  ///< of the value to replace or add
    json value;           ///< discarded: remove instead
    const char* key;      ///< what the sentence must name
    const char* expected;
};

json moving(const char* key, const json& value) {
    return {{"start", "plummer"}, {key, value}};
}

const json kAbsent = json(json::value_t::discarded);

std::vector<Wrong> wrongValues() {
    return {
        {"/camera", kAbsent, "camera is missing", "an object"},
        {"/camera", 3, "camera is 3", "an object"},
        {"/camera/form", 1, "camera.form is an unknown key", "from, to, up"},
        {"/camera/from", "here", "camera.from", "3 numbers"},
        {"/camera/from", json::array({1, 2}), "camera.from is 2 values", "3 numbers"},
        {"/camera/from/1", "x", "camera.from[1] is \"x\"", "a number"},
        {"/camera/from/2", 2e7, "camera.from[2]", "from -1e+07 to 1e+07"},
        {"/camera/to", json::array({0, 2, 3}), "camera.to", "another point"},
        {"/camera/up", json::array({0, 0, 0}), "camera.up", "a direction"},
        {"/camera/up", json::array({0, -4, -6}), "camera.up is parallel", "across"},
        {"/camera/vfov", .5, "camera.vfov is 0.5", "from 1 to 179"},
        {"/camera/vfov", 180, "camera.vfov", "from 1 to 179"},
        {"/camera/lens_radius", -1, "camera.lens_radius", "from 0"},
        {"/camera/focus", 1e-60, "camera.focus", "from 1e-06"},
        {"/camera/lens", "round", "camera.lens is \"round\"", "disk, square"},
        {"/camera/start", -1, "camera.start", "from 0"},
        {"/spheres", kAbsent, "spheres is missing", "an array"},
        {"/spheres", json::object(), "spheres is an object", "an array"},
        {"/spheres", std::vector<int>(kMaxSpheres + 1), "spheres is an array of 100001", "100000"},
        {"/spheres/3", 7, "spheres[3] is 7", "an object"},
        {"/spheres/3/center", kAbsent, "spheres[3].center is missing", "3 numbers"},
        {"/spheres/3/center/0", nullptr, "spheres[3].center[0] is null", "a number"},
        {"/spheres/3/center/0", std::nan(""), "spheres[3].center[0] is nan", "a number"},
        {"/spheres/3/radius", kAbsent, "spheres[3].radius is missing", "a number"},
        {"/spheres/3/radius", 0, "spheres[3].radius is 0", "from 1e-06"},
        {"/spheres/3/radius", -1, "spheres[3].radius", "from 1e-06"},
        {"/spheres/3/radius", 1.1e7, "spheres[3].radius", "to 1e+07"},
        {"/spheres/3/radus", 1, "spheres[3].radus is an unknown key", "center, radius, material"},
        {"/spheres/3/material", kAbsent, "spheres[3].material is missing", "an object"},
        {"/spheres/3/material/kind", kAbsent, "spheres[3].material.kind is missing", "lambert"},
        {"/spheres/3/material/kind", "wood", "spheres[3].material.kind is \"wood\"", "glossy"},
        {"/spheres/3/material/kind", "checker", "spheres[3].material.kind", "glossy"},
        {"/spheres/3/material/kind", 1, "spheres[3].material.kind is 1", "lambert"},
        {"/spheres/3/material/albedo/0", 1.01, "spheres[3].material.albedo[0]", "from 0 to 1"},
        {"/spheres/3/material/albedo/0", -.1, "spheres[3].material.albedo[0]", "from 0 to 1"},
        {"/spheres/8/material/emission/2", 10001, "spheres[8].material.emission[2]", "10000"},
        {"/spheres/3/material/roughness", 2, "spheres[3].material.roughness", "from 0 to 1"},
        {"/spheres/7/material/index", .9, "spheres[7].material.index", "from 1 to 10"},
        {"/spheres/7/material/ior", 1.5, "spheres[7].material.ior is an unknown key", "index"},
        {"/size", 1280, "size is 1280", "[width, height]"},
        {"/size", json::array({1280, 720, 1}), "size is 3 values", "[width, height]"},
        {"/size/0", 0, "size is [0, 720]", "from 1 to 16384"},
        {"/size/1", 16385, "size", "from 1 to 16384"},
        {"/size/1", 1e300, "size", "from 1 to 16384"},
        {"/spp", 0, "spp is 0", "from 1 to 1000000"},
        {"/spp", 1.5, "spp is 1.5", "a whole number"},
        {"/spp", std::numeric_limits<std::uint64_t>::max(), "spp", "a whole number"},
        {"/depth", 65, "depth is 65", "from 1 to 64"},
        {"/depth", "ten", "depth is \"ten\"", "a whole number"},
        {"/roulette_depth", -1, "roulette_depth", "from 0 to 64"},
        {"/epsilon", 0, "epsilon", "above 0"},
        {"/filter", "gauss", "filter is \"gauss\"", "box, tent"},
        {"/display/gamma", 0, "display.gamma", "from 0.1 to 10"},
        {"/display/exposure", true, "display.exposure is true", "a number"},
        {"/display/gama", 2, "display.gama is an unknown key", "gamma"},
        {"/sky/kind", "cube", "sky.kind", "gradient, power"},
        {"/sky/top/0", -1, "sky.top[0]", "from 0 to 10000"},
        {"/sky", json::array(), "sky is an array", "an object"},
        {"/floor", 1, "floor is 1", "true or false"},
        {"/card_light/size", -1, "card_light.size", "from 0"},
        {"/card_light/corner", 9, "card_light.corner", "3 numbers"},
        {"/name", 9, "name is 9", "one line"},
        {"/name", "../x", "name is \"../x\"", "without slashes"},
        {"/name", "x.json", "name is \"x.json\"", "without slashes"},
        {"/name", "x.PNG", "name is \"x.PNG\"", "without slashes"},
        {"/name", "\u001b]0;x", "name is a text with control characters", "one line"},
        {"/name", "\u009b2J", "name is a text with control characters", "one line"},
        {"/sky/kind", "\u001b[2J\n", "sky.kind is \"\uFFFD[2J\uFFFD\"", "gradient"},
        {"/\u001b[2J", 1, "\uFFFD[2J is an unknown key", "spheres"},
        {"/spheres/3/radius", 1e-320, "spheres[3].radius", "from 1e-06"},
        {"/title", std::string(1001, 'a'), "title is 1001 bytes", "at most 1000"},
        {"/title", "a\nb", "title", "one line"},
        {"/lights", json::array(), "lights is an unknown key", "spheres"},
        {"/simulation", 1, "simulation is 1", "an object"},
        {"/simulation", json::object(), "simulation.start is missing", "plummer, discs, cube"},
        {"/simulation", {{"start", "ball"}}, "simulation.start is \"ball\"", "discs, cube"},
        {"/simulation", moving("bodies", 0), "simulation.bodies is 0", "from 1 to 1048576"},
        {"/simulation", moving("bodies", 1048577), "simulation.bodies is 1048577", "to 1048576"},
        {"/simulation", moving("bodies", 2.5), "simulation.bodies is 2.5", "a whole number"},
        {"/simulation", moving("seed", -1), "simulation.seed is -1", "from 0"},
        {"/simulation", moving("mass", -1), "simulation.mass is -1", "from 0 to 1e+06"},
        {"/simulation", moving("step", 0), "simulation.step is 0", "above 0"},
        {"/simulation", moving("step", 1e4), "simulation.step is 10000", "at most 1000"},
        {"/simulation", moving("softening", 0), "simulation.softening is 0", "from 1e-06"},
        {"/simulation", moving("softening", std::nan("")), "simulation.softening", "from 1e-06"},
        {"/simulation", moving("radius", 0), "simulation.radius is 0", "from 1e-06"},
        {"/simulation", moving("lamps", -1), "simulation.lamps is -1", "from 0"},
        {"/simulation", moving("speed", 1), "simulation.speed is an unknown key", "softening"},
    };
}

TEST(WrongScene, EachValueIsNamedInOneSentence) {
    json base = toJson(sceneNamed("vt9"));
    ASSERT_EQ(reasonOf(sceneFromJson(base, "base.json")), "");
    for (const Wrong& wrong : wrongValues()) {
        json changed = base;
        const json::json_pointer pointer(wrong.pointer);
        if (wrong.value.is_discarded())
            changed.at(pointer.parent_pointer()).erase(pointer.back());
        else
            changed[pointer] = wrong.value;
        const std::string reason = reasonOf(sceneFromJson(changed, "folder/wrong.json"));
        EXPECT_TRUE(reason.starts_with(std::string("folder/wrong.json: ") + wrong.key))
            << wrong.pointer << " gives: " << reason;
        EXPECT_NE(reason.find(wrong.expected, reason.find(", expected ")), std::string::npos)
            << wrong.pointer << " gives: " << reason;
        EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
    }
}

TEST(WrongScene, TheTopLevelIsAnObject) {
    EXPECT_EQ(reasonOf(sceneFromJson(json::array(), "x.json")),
              "x.json: the top level is an array, expected an object");
}

TEST(WrongScene, SyntaxErrorsNameLineAndColumn) {
    const std::string reason = reasonForText("{\n  \"spp\": 3,\n  \"depth\" 4\n}");
    EXPECT_NE(reason.find("wrong.json: line 3, column 11"), std::string::npos) << reason;
    EXPECT_NE(reasonForText("").find("line 1, column 1"), std::string::npos);
    EXPECT_NE(reasonForText("{\"spp\": 1} x").find("line 1, column 12"), std::string::npos);
    EXPECT_NE(reasonForText("{\"spp\": nan}").find("line 1"), std::string::npos);
    EXPECT_NE(reasonForText("{\"title\": \"\xff\xfe\"}").find("UTF-8"), std::string::npos);
    EXPECT_NE(reasonForText("{\"epsilon\": 1e999}").find("1e999"), std::string::npos);
    EXPECT_NE(reasonForText("{\"spp\": 1, \"spp\": 2}").find("\"spp\" is given twice"),
              std::string::npos);
    EXPECT_LT(reasonForText("{\"a\": \"" + std::string(100000, 'a')).size(), 400u);
}

TEST(WrongScene, DeepNestingAndManyValuesAreRefused) {
    const std::string deep(10'000'000, '[');
    EXPECT_NE(reasonForText(deep).find("nested deeper than 32"), std::string::npos);
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    EXPECT_NE(reasonForText(objects).find("nested deeper than 32"), std::string::npos);
    std::string many = "[0";
    for (int i = 0; i < 4'000'000; ++i) many += ",0";
    EXPECT_NE(reasonForText(many + "]").find("more than 4000000 values"), std::string::npos);
}

TEST(WrongScene, TheLargestSceneIsAccepted) {
    Scene scene;
    scene.spheres.resize(kMaxSpheres, {{1. / 3, 2. / 3, 1e6 / 3},
                                       1. / 7,
                                       {MaterialKind::metal, {.1, .2, .3}, {1, 2, 3}, .7, 2.1}});
    EXPECT_EQ(reasonForText(toJson(scene).dump()), "");
}

TEST(WrongScene, FilesThatCannotBeReadAreNamed) {
    const fs::path folder = temporaryFolder();
    EXPECT_NE(reasonOf(readScene("/nowhere/a.json")).find("/nowhere/a.json: No such file"),
              std::string::npos);
    EXPECT_NE(reasonOf(readScene(folder.string())).find("not a regular file"), std::string::npos);
    EXPECT_NE(reasonOf(readScene("/dev/zero")).find("not a regular file"), std::string::npos);
    const std::string pipe = (folder / "pipe.json").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);  // with nobody at its other end
    EXPECT_NE(reasonOf(readScene(pipe)).find("not a regular file"), std::string::npos);
    const fs::path large = folder / "large.json";
    std::ofstream(large) << "{";
    fs::resize_file(large, (std::uintmax_t{64} << 20) + 1);  // sparse
    EXPECT_NE(reasonOf(readScene(large.string())).find("at most 67108864"), std::string::npos);
    fs::remove_all(folder);
}

/// All bodies are placed, whatever their number; the scene's own spheres follow.
TEST(Scene, BodiesComeFirstAndAnyNumberOfThem) {
    EXPECT_EQ(sceneNamed("nbody").spheres.size(), 16384u);
    for (const int count : {1, 2, 1024}) {
        const Scene scene = sceneNamed("nbody-" + std::to_string(count));
        EXPECT_EQ(scene.name, "nbody-" + std::to_string(count));
        EXPECT_EQ(bodyCount(scene), count);
        EXPECT_EQ(scene.spheres.size(), static_cast<size_t>(count));
    }
    for (const char* none : {"nbody-0", "nbody-1048577", "nbody-", "nbody-1x"})
        EXPECT_NE(reasonOf(findScene(none)).find("unknown scene"), std::string::npos) << none;
    Scene scene = sceneNamed("nbody-8");
    scene.spheres.push_back({{9, 9, 9}, 1, {}});
    const Scene again = *sceneFromJson(toJson(scene), "again.json");
    EXPECT_TRUE(again == scene);
    EXPECT_EQ(again.spheres.size(), 9u);
    EXPECT_EQ(toJson(scene)["spheres"].size(), 1u);
    standStill(scene, 8);
    EXPECT_TRUE(scene.simulation.has_value()) << "that one is no body";
    standStill(scene, 7);
    EXPECT_FALSE(scene.simulation.has_value());
    EXPECT_EQ(toJson(scene)["spheres"].size(), 9u);
}

TEST(FindScene, UnknownNamesListTheKnownOnes) {
    const std::string reason = reasonOf(findScene("cornel"));
    EXPECT_NE(reason.find("unknown scene 'cornel'"), std::string::npos) << reason;
    EXPECT_NE(reason.find("card, cornell, cornell-box, globe, nbody, vt46, vt9, vt9-lambert, "
                          "vt9-one-material, weekend, field-N, "),
              std::string::npos)
        << reason;
}

TEST(FindScene, ANumberOutOfRangeIsToldTheRange) {
    EXPECT_EQ(
        reasonOf(findScene("forest-9")),
        fmt::format("unknown scene 'forest-9': N in forest-N is a number of trees from 10 to {}",
                    kMaxTrees));
    for (const char* family : {"field", "grid", "nbody", "terrain", "city", "blocks",
                               "copied-forest", "copied-blocks"}) {
        const std::string reason = reasonOf(findScene(fmt::format("{}-2000000000", family)));
        EXPECT_NE(reason.find(fmt::format("N in {}-N is a number of ", family)), std::string::npos)
            << reason;
    }
}

TEST(FindScene, AMissingFolderIsNamed) {
    setenv("RAYSCOPE_ASSETS", "/nowhere/assets", 1);
    const std::string reason = reasonOf(findScene("vt9"));
    const bool empty = sceneNames().empty();
    unsetenv("RAYSCOPE_ASSETS");
    EXPECT_NE(reason.find("/nowhere/assets/scenes"), std::string::npos) << reason;
    EXPECT_NE(reason.find("RAYSCOPE_ASSETS"), std::string::npos) << reason;
    EXPECT_TRUE(empty);
}

TEST(FindScene, TheEnvironmentComesFirstAndFilesAreFoundByPath) {
    const fs::path folder = temporaryFolder();
    fs::create_directories(folder / "scenes");
    std::ofstream(folder / "scenes" / "mine.json") << R"({"camera": {}, "spheres": []})";
    setenv("RAYSCOPE_ASSETS", folder.c_str(), 1);
    const std::vector<std::string> names = sceneNames();
    const auto byName = findScene("mine");
    unsetenv("RAYSCOPE_ASSETS");
    EXPECT_EQ(names, std::vector<std::string>{"mine"});
    ASSERT_EQ(reasonOf(byName), "");
    EXPECT_EQ(byName->name, "mine");
    const auto byPath = findScene((folder / "scenes" / "mine.json").string());
    EXPECT_EQ(reasonOf(byPath), "");
    fs::remove_all(folder);
}

TEST(FindScene, AFileNameThatIsNotUtf8StillGivesANameForJson) {
    const auto scene = sceneFromJson(json::parse(R"({"camera": {}, "spheres": []})"), "a\xff.json");
    ASSERT_EQ(reasonOf(scene), "");
    EXPECT_NO_THROW(toJson(*scene).dump());
}

TEST(FindScene, AnyFileNameGivesANameThatIsReadAgain) {
    for (const std::string& file :
         {std::string("a\x1b[2J.json"), std::string(250, 'x') + ".json", std::string("a.png.json"),
          std::string("\xc3\xbc") + std::string(99, '\xff') + ".JSON", std::string(".json")}) {
        const auto scene = sceneFromJson(json::parse(R"({"camera": {}, "spheres": []})"), file);
        ASSERT_EQ(reasonOf(scene), "");
        EXPECT_EQ(reasonOf(sceneFromJson(toJson(*scene), "")), "") << file;
    }
}

/// Leaves bytes of one value where the next calls have their variables.
[[gnu::noinline]] void soil(unsigned char value) {
    std::array<volatile unsigned char, 1 << 16> bytes;
    for (auto& byte : bytes) byte = value;
    std::vector<unsigned char> heap(1 << 20, value);
    volatile unsigned char* const first = heap.data();
    first[0] = value;
}

/// Padding, too: kernels that write records on a device are held to what the host packs.
TEST(Packing, TwoPackingsAreEqualToTheByte) {
    std::vector<std::string> names = sceneNames();
    for (const char* made : {"city-100", "forest-10"}) names.emplace_back(made);
    for (const std::string& name : names) {
        const Scene scene = *findScene(name);
        for (const SceneLayout layout : {SceneLayout::aos, SceneLayout::soa}) {
            const auto expectEqual = [&](auto pack) {
                soil(0x11);
                const PackedScene first = pack();
                soil(0xee);
                const PackedScene second = pack();
                ASSERT_EQ(first.size(), second.size());
                const auto [at, other] = std::mismatch(first.begin(), first.end(), second.begin());
                EXPECT_EQ(at, first.end())
                    << name << ": byte " << at - first.begin() << " of " << first.size();
            };
            for (const Accel accel : {Accel::brute, Accel::bvh}) {
                expectEqual([&] { return packScene<float>(scene, layout, accel); });
                expectEqual([&] { return packScene<double>(scene, layout, accel); });
            }
        }
    }
}

}  // namespace
}  // namespace rayscope
