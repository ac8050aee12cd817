// What makes a window comfortable, without a window: taking back, bookmarks, the clipboard's text,
// what is remembered.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "renderer/choices/axes.h"
#include "renderer/scene/made_meshes.h"
#include "tests/made_up_renderer.h"
#include "tests/render_helper.h"
#include "ui/clipboard.h"
#include "ui/documents.h"
#include "ui/feature.h"
#include "ui/features.h"
#include "ui/ladder_panel.h"
#include "ui/quote.h"
#include "ui/theme.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

TEST(Undo, TakesBackOneChangeAfterTheOther) {
    Undo undo;
    State state = stateOf("vt9");
    undo.note(state, 0);
    EXPECT_FALSE(undo.back());
    const State first = state;
    state.settings.depth = 3;
    undo.note(state, 1);
    state.view.exposure = 2;
    undo.note(state, 2);
    state.camera.from.x += 1;
    undo.note(state, 3);
    const auto back = undo.back();
    ASSERT_TRUE(back);
    EXPECT_EQ(back->view.exposure, 0);
    EXPECT_EQ(back->settings.depth, 3);
    EXPECT_EQ(back->camera, state.camera) << "flying is not taken back";
    undo.note(*back, 3.1);
    EXPECT_EQ(undo.back()->settings, first.settings);
    EXPECT_FALSE(undo.back());
    EXPECT_EQ(undo.forth()->settings.depth, 3);
    EXPECT_EQ(undo.forth()->view.exposure, 2);
    EXPECT_FALSE(undo.forth());
}

TEST(Undo, ADraggedSliderIsOneChangeAndANewChangeForgetsTheFuture) {
    Undo undo;
    const State before = stateOf("vt9");
    State state = before;
    undo.note(state, 0);
    for (int depth = 9; depth > 3; --depth) {
        state.settings.depth = depth;
        undo.note(state, 1 + .1 * (10 - depth));
    }
    ASSERT_EQ(undo.back()->settings.depth, before.settings.depth);
    state = before;
    state.settings.samples = 7;
    undo.note(state, 5);
    EXPECT_FALSE(undo.forth());
    EXPECT_EQ(undo.back()->settings.samples, before.settings.samples);
}

TEST(Undo, SceneAndCameraComeBackTogether) {
    Undo undo;
    const State before = stateOf("vt9"), after = stateOf("cornell");
    undo.note(before, 0);
    undo.note(after, 1);
    EXPECT_EQ(*undo.back(), before);
    EXPECT_EQ(*undo.forth(), after);
}

TEST(Undo, BookmarksStayWithTheirScene) {
    Undo undo;
    State state = stateOf("vt9");
    undo.note(state, 0);
    state.settings.depth = 3;
    undo.note(state, 1);
    state.bookmarks[2] = state.camera;
    undo.note(state, 2);
    const Bookmarks marks = state.bookmarks;
    EXPECT_EQ(undo.back()->bookmarks, marks) << "setting a bookmark is not taken back";
    EXPECT_EQ(undo.forth()->bookmarks, marks);
    undo.note(stateOf("cornell"), 3);
    EXPECT_EQ(undo.back()->bookmarks, marks);
    EXPECT_EQ(undo.forth()->bookmarks, Bookmarks{});
}

TEST(Undo, KeepsSoManySteps) {
    Undo undo;
    State state = stateOf("vt9");
    for (int i = 0; i < 500; ++i) {
        state.settings.seed = static_cast<std::uint32_t>(i);
        undo.note(state, i);
    }
    int steps = 0;
    while (undo.back()) ++steps;
    EXPECT_EQ(steps, 100);
}

/// Of a terrain of a million triangles the triangles take 16 MB and the corners 18 MB: of forty
/// some eight are kept, of 256 MiB.
TEST(Undo, IsBoundedByTheMemoryOfMeshes) {
    Undo undo;
    State state = stateOf("vt9");
    std::vector<SharedMesh> meshes;
    for (int i = 0; i < 40; ++i) {
        const std::string name = "terrain-" + std::to_string(1000000 + 2000 * i);
        meshes.push_back(madeMesh(name));
        Scene scene;
        scene.name = name;
        scene.meshes.push_back({meshes.back(), name});
        state.enter(std::move(scene));
        undo.note(state, i);
    }
    int steps = 0;
    while (undo.back()) ++steps;
    EXPECT_GE(steps, 1);
    EXPECT_LE(steps, 8);
}

TEST(Tour, SaysWhatARungDoesAndWhatItsStoryMakesOfIt) {
    Backends backends(std::make_unique<MadeUpRenderer>(), std::make_unique<MadeUpRenderer>());
    LadderClimb climb;
    ASSERT_EQ(climb.choose("voxel-tracer"), "");
    State state = stateOf("vt9");
    state.settings = defaultSettings(Backend::cuda, state.scene);
    climb.look(backends, state);
    const Ladder& ladder = *climb.ladder();
    EXPECT_EQ(tourText(climb, 0).predicted, "8 Mrays/s on GTX 1050 (laptop)");
    const TourText pinned = tourText(climb, 2);
    EXPECT_EQ(pinned.place, fmt::format("3 of {}", ladder.rungs.size()));
    EXPECT_EQ(pinned.predicted,
              "1.29x hit on GPU, 8.6 Mrays/s to 11.1 Mrays/s on GTX 1050 (laptop)");
    EXPECT_EQ(pinned.measured, "");
    const auto measured = [&](int rung, double rate) {
        RungResult result;
        result.rung = rung;
        result.value.median = rate;
        climb.take(result);
    };
    measured(1, 10e6);
    measured(2, 15e6);
    EXPECT_TRUE(tourText(climb, 2).measured.starts_with("1.50x hit on GPU, now 15"));
    ASSERT_EQ(climb.choose("weekend"), "");
    climb.look(backends, state);
    EXPECT_EQ(tourText(climb, 1).predicted, "no figure was published");
    EXPECT_TRUE(tourText(climb, 7).predicted.starts_with("277.78x recursion, 2500 ms to 9 ms"))
        << tourText(climb, 7).predicted;
}

TEST(Clipboard, NamesWhatIsMissing) {
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    EXPECT_NE(copyPng("/nowhere.png").find("install"), std::string::npos);
    setenv("PATH", path.c_str(), 1);
}

TEST(FlyingToABookmark, EndsWhereItShould) {
    const Scene scene;
    Steering steering(scene);
    Camera a, b, camera = a;
    b.from = {5, 5, 5};
    const auto at = [&](double now) {
        steering.steer({}, {SharedScene(scene), {640, 480}, now, .016}, camera);
        return camera;
    };
    steering.flyTo(b, a, 10);
    EXPECT_EQ(at(10).from.x, a.from.x);
    const double half = at(10.4).from.x;
    EXPECT_GT(half, 1);
    EXPECT_LT(half, 4);
    EXPECT_TRUE(steering.moving(10.4));
    EXPECT_EQ(at(11), b);
    camera = a;
    EXPECT_EQ(at(11.1), a) << "the flight is over";
    EXPECT_FALSE(steering.moving(11.3));
}

TEST(FlyingToABookmark, EndsWhereTheUserSteers) {
    const Scene scene;
    Steering steering(scene);
    Camera a, b, camera = a;
    b.from = {5, 5, 5};
    steering.flyTo(b, a, 10);
    Input forward;
    forward.held[static_cast<size_t>(Key::forward)] = true;
    steering.steer(forward, {SharedScene(scene), {640, 480}, 10.2, .016}, camera);
    const Camera mine = camera;
    steering.steer({}, {SharedScene(scene), {640, 480}, 10.4, .016}, camera);
    EXPECT_EQ(camera, mine);
}

TEST(StateText, IsAStateOrAssignments) {
    State state = stateOf("vt9");
    state.settings.depth = 4;
    const auto whole = stateFromText(toJson(state).dump(), stateOf("cornell"));
    ASSERT_TRUE(whole) << whole.reason();
    EXPECT_EQ(*whole, state);
    const auto some = stateFromText(" --set depth=6\n --set path=stack", state);
    ASSERT_TRUE(some) << some.reason();
    EXPECT_EQ(some->settings.depth, 6);
    EXPECT_EQ(some->settings.variant.path, Path::stack);
    for (const char* wrong : {"", "  ", "hello", "depth=0", "{\"a\": 1}", "{", "path=stack {"})
        EXPECT_FALSE(stateFromText(wrong, state)) << wrong;
    EXPECT_EQ(stateFromText("\x89PNG\r\n\x1a\n", state).reason().find("line 1"), std::string::npos)
        << "a picture is no JSON";
}

/// What nobody said gives way, above all where it is hidden and was never chosen.
TEST(StateText, WordsChangeWhatTheyNeed) {
    State state = stateOf("cornell");
    state.settings = cpuSettings(state.scene, {"path=recursive"});
    state.settings.variant.compaction = Compaction::device;  // means nothing to a megakernel
    EXPECT_EQ(stateFromText("block=8x8", state).reason(),
              "block=8x8 means nothing on the cpu backend: a CPU has no blocks of threads");
    EXPECT_EQ(stateFromText("access=reference", stateOf("vt9")).reason(),
              "access=reference changes nothing here: it belongs to engine=wavefront");
    EXPECT_TRUE(stateFromText("triangle=woop depth=4", state)) << "of another scene";
    const auto staged = stateFromText("engine=wavefront", state);
    ASSERT_TRUE(staged) << staged.reason();
    EXPECT_EQ(staged->settings.variant.engine, Engine::wavefront);
    EXPECT_EQ(unsupported(staged->settings, staged->scene), "");
    const auto moved = stateFromText("block=16x16 backend=cuda", state);
    ASSERT_TRUE(moved) << moved.reason();
    EXPECT_EQ(unsupported(moved->settings, moved->scene), "");
    EXPECT_EQ(valueOf(*findAxis("block"), moved->settings), "16x16");
    const auto said = stateFromText("compaction=device engine=wavefront", state);
    ASSERT_TRUE(said) << said.reason();
    EXPECT_NE(unsupported(said->settings, said->scene), "") << "both were asked for";
}

TEST(Quote, SaysEverythingThatBelongsToARate) {
    State state = stateOf("vt9");
    const Settings defaults = state.settings;
    Rates rates;
    double now = 0;
    const auto run = [&](double raysPerSecond) {
        FrameStats stats;
        stats.timedMs = stats.kernelMs = 20;
        for (int i = 0; i < 75; ++i, now += .04) {
            stats.timedRays = static_cast<std::uint64_t>((.02 + 1e-4 * (i % 2)) * raysPerSecond);
            rates.add(stats, now, .04, true);
        }
    };
    Quoted quoted{state, defaults, 640, 360, "a processor", "load 0.50"};
    EXPECT_NE(quoteOf(rates, quoted).find("first look"), std::string::npos);
    run(2e6);
    EXPECT_EQ(quoteOf(rates, quoted).rfind("vt9, its own camera, 640x360, a processor: 2.0", 0), 0u)
        << quoteOf(rates, quoted);
    EXPECT_NE(quoteOf(rates, quoted).find("; default settings; load 0.50; Rayscope "),
              std::string::npos);
    state.settings.depth = 5;
    rates.mark(defaults, state.settings, now);
    run(4e6);
    state.camera.from = {1, 2, 3};
    State moving = state;
    moving.scene.change([](Scene& scene) { scene.simulation = Simulation{}; });
    Quoted moved{moving, defaults, 640, 360, "a processor", "", 12};
    EXPECT_EQ(quoteOf(rates, moved).rfind("vt9 at step 12, ", 0), 0u) << quoteOf(rates, moved);
    const std::string quote = quoteOf(rates, quoted);
    for (const char* part : {"vt9, camera at (1, 2, 3) to (", " \u00b1 ", " M rays/s, 2.0",
                             " by depth=5; depth=5; load"})
        EXPECT_NE(quote.find(part), std::string::npos) << part << " in " << quote;
    EXPECT_EQ(quote.find('\n'), std::string::npos);
}

/// Tables of eight bytes, one behind the other.
std::string fontOf(const std::vector<std::string>& tags) {
    const auto four = [](std::size_t n) { return std::string{0, 0, char(n >> 8), char(n & 255)}; };
    std::string font{0, 1, 0, 0, 0, static_cast<char>(tags.size()), 0, 0, 0, 0, 0, 0};
    const std::size_t body = font.size() + 16 * tags.size();
    for (std::size_t i = 0; i < tags.size(); ++i)
        font += tags[i] + "\1\2\3\4" + four(body + 8 * i) + four(8);
    return font + std::string(8 * tags.size(), 'x');
}

TEST(FontFile, IsOneWhoseTablesLieInIt) {
    std::vector<std::string> tags{"cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp"};
    const std::string whole = fontOf(tags);
    EXPECT_TRUE(isFont(whole));
    EXPECT_FALSE(isFont(whole.substr(0, whole.size() - 1)));
    for (const std::string& wrong :
         {std::string(), std::string("a text"), std::string("\0\1\0\0", 4),
          std::string("\0\1\0\0", 4) + std::string(10000, '\0'),
          std::string("\0\1\0\0", 4) + std::string(10000, '\xff'), "OTTO" + whole.substr(4),
          "ttcf" + std::string(300, '\xff')})
        EXPECT_FALSE(isFont(wrong)) << wrong.substr(0, 10);
    for (std::size_t i = 0; i < tags.size(); ++i) {
        std::vector<std::string> fewer = tags;
        fewer.erase(fewer.begin() + static_cast<long>(i));
        EXPECT_FALSE(isFont(fontOf(fewer))) << "without " << tags[i];
    }
}

class PreferencesFile : public testing::Test {
protected:
    fs::path folder = fs::temp_directory_path() / ("rayscope_memory_" + std::to_string(getpid()));
    std::string path = (folder / "a" / "window.json").string();
    void TearDown() override { fs::remove_all(folder); }
    void write(const std::string& text) {
        fs::create_directories(fs::path(path).parent_path());
        std::ofstream(path) << text;
    }
};

TEST(Errands, EndInTheirOrderOnTheThreadThatAskedForThem) {
    Errands errands;
    std::string order;
    std::promise<void> go;
    const auto here = std::this_thread::get_id();
    const auto then = [&](char name) {
        return [&order, here, name] {
            EXPECT_EQ(std::this_thread::get_id(), here);
            order += name;
        };
    };
    errands.afterwards(then('a'));
    EXPECT_EQ(order, "a") << "nothing is under way";
    errands.send([&]() -> Errands::Then {
        EXPECT_NE(std::this_thread::get_id(), here);
        go.get_future().wait();
        return then('b');
    });
    errands.send([&]() -> Errands::Then { return then('c'); });
    errands.afterwards(then('d'));
    errands.finish();
    EXPECT_EQ(order, "a");
    go.set_value();
    for (int i = 0; i < 5000 && order.size() < 4; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        errands.finish();
    }
    EXPECT_EQ(order, "abcd");
}

TEST_F(PreferencesFile, Survives) {
    EXPECT_TRUE(loadPreferences(path).first);
    Preferences preferences;
    preferences.panels = false;
    preferences.light = true;
    preferences.tab = "lab";
    for (int i = 0; i < 20; ++i) preferences.opened("/x/" + std::to_string(i % 12) + ".json");
    EXPECT_EQ(preferences.recent.size(), 8u);
    EXPECT_EQ(preferences.recent.front(), "/x/7.json");
    Bookmarks marks;
    marks[3] = Camera{};
    marks[3]->vfov = 33;
    preferences.keep("vt9", marks);
    preferences.keep("card", marks);
    preferences.keep("card", Bookmarks{});
    ASSERT_EQ(storePreferences({}, preferences, path), "");
    const Preferences again = loadPreferences(path);
    EXPECT_FALSE(again.first);
    EXPECT_FALSE(again.panels);
    EXPECT_TRUE(again.light);
    EXPECT_EQ(again.tab, "lab");
    EXPECT_EQ(again.recent, preferences.recent);
    EXPECT_EQ(again.bookmarks, preferences.bookmarks);
    EXPECT_EQ(again.bookmarks.size(), 1u);
}

TEST_F(PreferencesFile, WindowsKeepWhatOthersHaveKept) {
    const auto with = [](Preferences preferences, const char* scene, const char* file) {
        Bookmarks marks;
        marks[0] = Camera{};
        preferences.keep(scene, marks);
        preferences.opened(file);
        return preferences;
    };
    const Preferences one = with({}, "vt9", "/one.json"), other = with({}, "card", "/other.json");
    ASSERT_EQ(storePreferences({}, one, path), "");
    ASSERT_EQ(storePreferences({}, other, path), "");
    Preferences both = loadPreferences(path);
    EXPECT_EQ(both.bookmarks.size(), 2u);
    EXPECT_EQ(both.recent, (std::vector<std::string>{"/other.json", "/one.json"}));
    Preferences less = one;  // which has not seen the other's
    less.keep("vt9", {});
    less.light = true;
    ASSERT_EQ(storePreferences(one, less, path), "");
    both = loadPreferences(path);
    EXPECT_TRUE(both.light);
    EXPECT_TRUE(both.bookmarks.contains("card"));
    EXPECT_FALSE(both.bookmarks.contains("vt9"));
}

TEST_F(PreferencesFile, WindowsKeepEachOthersBookmarksOfAScene) {
    const auto with = [](std::size_t digit) {
        Preferences preferences;
        Bookmarks marks;
        marks[digit] = Camera{};
        preferences.keep("vt9", marks);
        return preferences;
    };
    ASSERT_EQ(storePreferences({}, with(0), path), "");
    ASSERT_EQ(storePreferences({}, with(1), path), "");
    const Bookmarks both = loadPreferences(path).bookmarks["vt9"];
    EXPECT_TRUE(both[0]);
    EXPECT_TRUE(both[1]);
    ASSERT_EQ(storePreferences(with(0), {}, path), "");
    const Bookmarks less = loadPreferences(path).bookmarks["vt9"];
    EXPECT_FALSE(less[0]);
    EXPECT_TRUE(less[1]);
}

/// Many windows at a time: each reads, merges and writes under the lock.
TEST_F(PreferencesFile, WindowsThatWriteAtOnceLoseNothing) {
    std::vector<std::thread> windows;
    for (std::size_t digit = 0; digit < 9; ++digit) {
        windows.emplace_back([&, digit] {
            Preferences mine;
            Bookmarks marks;
            marks[digit] = Camera{};
            mine.keep("vt9", marks);
            EXPECT_EQ(storePreferences({}, mine, path), "");
        });
    }
    for (std::thread& window : windows) window.join();
    const Bookmarks all = loadPreferences(path).bookmarks["vt9"];
    for (std::size_t digit = 0; digit < 9; ++digit) EXPECT_TRUE(all[digit]) << digit;
}

TEST_F(PreferencesFile, OneThatOthersCanWriteIsNotUsed) {
    Preferences light;
    light.light = true;
    ASSERT_EQ(storePreferences({}, light, path), "");
    ASSERT_TRUE(loadPreferences(path).light);
    std::filesystem::permissions(path, std::filesystem::perms(0666));
    const Preferences none = loadPreferences(path);
    EXPECT_FALSE(none.light);
    EXPECT_NE(none.problem.find("can be written by other users"), std::string::npos)
        << none.problem;
}

TEST_F(PreferencesFile, ABookmarkThatCannotBeReadCostsOnlyItself) {
    Preferences preferences;
    Bookmarks marks;
    marks[0] = marks[1] = Camera{};
    preferences.keep("vt9", marks);
    ASSERT_EQ(storePreferences({}, preferences, path), "");
    std::ifstream file(path);
    nlohmann::json text = nlohmann::json::parse(file);
    text["bookmarks"]["vt9"]["2"]["from"] = "x";
    write(text.dump());
    marks[1].reset();
    EXPECT_EQ(loadPreferences(path).bookmarks["vt9"], marks);
}

TEST_F(PreferencesFile, DamageIsAsGoodAsNothing) {
    for (
        const char* text :
        {"", "{", "[]", "7", R"({"recent": 7, "tab": [], "panels": "no"})",
         R"({"recent": [1, null, {}], "bookmarks": {"vt9": [1, 2], "a": 7}})",
         R"({"bookmarks": {"vt9": {"1": {"vfov": 1e9}}, "card": {"10": {}}, "cornell": {"2": 7}}})",
         R"({"bookmarks": {"vt9": [{"vfov": 1e9},null,null,null,null,null,null,null,null]}})"}) {
        write(text);
        const Preferences preferences = loadPreferences(path);
        EXPECT_TRUE(preferences.panels) << text;
        EXPECT_TRUE(preferences.recent.empty()) << text;
        EXPECT_TRUE(preferences.bookmarks.empty()) << text;
        EXPECT_EQ(preferences.tab, "") << text;
    }
    write("{\"recent\": [");
    EXPECT_NE(loadPreferences(path).problem.find(path + ".damaged"), std::string::npos);
    ASSERT_EQ(storePreferences({}, {}, path), "");
    EXPECT_EQ(loadPreferences(path).problem, "");
    std::ifstream kept(path + ".damaged");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "{\"recent\": [")
        << "what it had is lost";
    EXPECT_NE(storePreferences({}, {}, "/proc/rayscope/window.json"), "");
    EXPECT_EQ(storePreferences({}, {}, ""), "");
}

TEST(LastState, CanBeOpened) {
    const std::string folder = testing::TempDir() + "rayscope-last";
    setenv("XDG_STATE_HOME", folder.c_str(), 1);
    State state = stateOf("vt9");
    state.scene.change([](Scene& scene) {
        scene.name = "vt9-edited";
        scene.spheres[0].radius *= 2;
    });
    state.camera.vfov = 33;
    state.settings.depth = 7;
    ASSERT_EQ(storeLastState(state), "");
    std::string takenBack;
    const auto result = opened(lastStatePath(), stateOf("vt46"), &takenBack);
    ASSERT_TRUE(result) << result.reason();
    EXPECT_EQ(takenBack, "");
    EXPECT_EQ(*result, state);
    setenv("XDG_STATE_HOME", "/proc/rayscope", 1);
    EXPECT_NE(storeLastState(state).find("/proc/rayscope"), std::string::npos);
    unsetenv("XDG_STATE_HOME");
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rayscope
