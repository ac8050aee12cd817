// Panels without a window, and what is around them.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>

#include "renderer/backend/kernel_isolation.h"
#include "renderer/base/temporary_folder.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/kernel_sources.h"
#include "renderer/scene/json.h"
#include "tests/made_up_window.h"
#include "ui/code_panel.h"
#include "ui/documents.h"
#include "ui/features.h"
#include "ui/kernel_panel.h"
#include "ui/lab_panel.h"
#include "ui/ladder_panel.h"
#include "ui/scene_panel.h"
#include "ui/versus_panel.h"
#include "ui/why_panel.h"

namespace rayscope {
namespace {

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

/// Panels drawn into no window at all: ImGui lays out the same.
class Panels : public testing::Test {
protected:
    Panels() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        backends_.setScene(state_.scene);
    }
    ~Panels() override { ImGui::DestroyContext(); }

    static Scene scene() {
        Scene scene;
        scene.name = "a scene with a name that is longer than any panel is wide";
        scene.spheres.push_back({{0, 0, 0}, 1, {}});
        return scene;
    }

    /// Two frames, after which windows that fit themselves to their contents have done so.
    void draw(const LayoutWish& wish, const std::function<void(const Ui&)>& contents) {
        ImGui::GetIO().DisplaySize = {static_cast<float>(wish.width),
                                      static_cast<float>(wish.height)};
        for (int i = 0; i < 2; ++i) {
            updateTheme(theme_, Look::dark, scaleFor(wish, ems_), 1);
            panelWidth_ = panelWidth(theme_, tabs_, kernel_.width(theme_));
            ems_ = panelWidth_ / theme_.em();
        }
        layout_ = layoutFor(wish, theme_.scale, panelWidth_);
        window_.frame.window = {wish.width, wish.height};
        for (int i = 0; i < 2; ++i) {
            drawn_.clear();
            ImGui::NewFrame();
            contents({theme_, layout_, drawn_, window_.frame});
            ImGui::EndFrame();
            window_.act();
        }
    }
    /// With a panel of the tab.
    void draw(const LayoutWish& wish, Tab& tab) {
        window_.frame.tab = tab.id();
        draw(wish, [&](const Ui& ui) {
            Tabs tabs = tabs_;
            if (layout_.folded) tabs.insert(tabs.begin(), &kernel_);
            drawSidePanel(ui, tabs, tab);
            tab.draw(ui);
        });
    }

    /// In a window in which most of its groups are folded.
    void showKernel() {
        draw({1280, 420}, [&](const Ui& ui) { kernel_.draw(ui); });
    }
    void clickInKernel(const char* name) {
        ImGuiIO& io = ImGui::GetIO();
        const Rect rect = drawn_.at(name).rect;
        io.MousePos = {rect.x + rect.width / 2, rect.y + rect.height / 2};
        for (const bool down : {false, true, false}) {
            io.MouseDown[0] = down;
            showKernel();
        }
    }

    void showLadder(const std::string& name) {
        ladder_.choose(name, window_.frame);
        ASSERT_EQ(window_.said(), "");
        window_.frame.tab = ladder_.id();
        ladder_.step(window_.frame);
    }

    State state_{scene(), {}, defaultSettings(Backend::cpu, scene()), {}};
    Backends backends_;
    MadeUpWindow window_{backends_, state_};
    Theme theme_;
    float ems_ = 20, panelWidth_ = 0;
    Layout layout_;
    Drawn drawn_;
    KernelPanel kernel_;
    const std::unique_ptr<Tab> throughput_ = throughputTab();
    const std::function<Machine()> open_ = [] { return openMachine(); };
    LadderTab ladder_{open_};
    VersusTab versus_;
    LabTab lab_{open_};
    WhyTab why_{open_};
    CodeTab code_;
    SimulationView simulation_{open_};
    SceneTab scene_{open_, simulation_};
    Tabs tabs_{throughput_.get(), &ladder_, &versus_, &lab_, &why_, &code_, &scene_};
};

/// How far the Kernel panel can be scrolled.
float scrolled() {
    return ImGui::FindWindowByName("Kernel")->ScrollMax.y;
}

/// Each engine has rows of its own.
constexpr std::pair<Backend, Engine> kShown[] = {
    {Backend::cpu, Engine::megakernel}, {Backend::cpu, Engine::regeneration},
    {Backend::cpu, Engine::wavefront},  {Backend::cuda, Engine::megakernel},
    {Backend::cuda, Engine::wavefront}, {Backend::cuda, Engine::regeneration},
    {Backend::cuda, Engine::hybrid},
};

TEST_F(Panels, NoTextIsCutOffWithAnyFont) {
    for (const char* font : {"none", ""}) {
        for (const Size size : {Size{1280, 720}, {1920, 1080}, {3840, 2160}}) {
            theme_ = {};
            theme_.fontWish = font;
            KernelInfo& running = window_.running;
            running.registers = running.localBytes = running.spillBytes = 96;
            running.occupancy = .5;
            running.compileMs = 812;
            for (const auto& [backend, engine] : kShown) {
                state_.settings = defaultSettings(backend, state_.scene);
                state_.settings.variant.engine = engine;
                state_.settings.variant.sceneMemory = SceneMemory::shared;
                draw({size.width, size.height, 1, false}, [&](const Ui& ui) { kernel_.draw(ui); });
                const ImGuiStyle& style = ImGui::GetStyle();
                for (const Axis& axis : axes()) {
                    if (!drawn_.contains("axis." + std::string(axis.id))) continue;
                    const Rect label = drawn_.at("label." + std::string(axis.id)).rect;
                    const Rect control = drawn_.at("axis." + std::string(axis.id)).rect;
                    const std::string text(axis.label);
                    EXPECT_GE(label.width, textSize(theme_.body, text).x - 1) << text << font;
                    EXPECT_LE(label.x + label.width, control.x) << text << font;
                    for (const AxisValue& value : axis.values) {
                        if (axis.kind != AxisKind::choice) continue;
                        const float arrow = control.height, room = control.width - arrow;
                        EXPECT_LE(textSize(theme_.body, value.label).x + 2 * style.FramePadding.x,
                                  room + 1)
                            << value.label << font;
                    }
                }
                const Rect panel = drawn_.at("panel.kernel").rect;
                EXPECT_LE(panel.y + panel.height, layout_.status.y) << size.height;
                EXPECT_EQ(scrolled(), 0) << static_cast<int>(engine) << " " << size.height << font;
                for (const char* group : {"Scene", "Kernel", "Light paths", "View"})
                    EXPECT_TRUE(drawn_.contains(fmt::format("group.{}", group))) << group;
                EXPECT_TRUE(drawn_.contains("axis.precision")) << "never folded by itself";
                EXPECT_LE(panel.width, layout_.kernel.width);
            }
        }
    }
}

TEST_F(Panels, WhatTheUserOpensStaysOpen) {
    showKernel();
    EXPECT_FALSE(drawn_.contains("view.exposure")) << "there is no room";
    clickInKernel("group.View");
    EXPECT_TRUE(drawn_.contains("view.exposure"));
    clickInKernel("group.Kernel");
    EXPECT_FALSE(drawn_.contains("axis.precision"));
}

TEST_F(Panels, AFoldedHeadingLeavesRoomForTheDefaults) {
    state_.settings.variant.path = Path::stack;
    showKernel();
    ASSERT_FALSE(drawn_.contains("axis.backend")) << "there is no room";
    EXPECT_FALSE(overlap(drawn_.at("group.Backend").rect, drawn_.at("button.defaults").rect));
    clickInKernel("button.defaults");
    EXPECT_EQ(state_.settings.variant.path, Path::loop);
    EXPECT_FALSE(drawn_.contains("axis.backend")) << "the heading was not clicked";
}

/// On the CPU, which does what a lesson's GPU would: the student's side is the faster build.
TEST_F(Panels, ALessonIsMeasuredWhenItsKernelsAreSaved) {
    if (embeddedKernelSources().empty()) GTEST_SKIP() << "built without the CUDA toolkit";
    auto made = findScene("vt9");
    ASSERT_TRUE(made) << made.reason();
    Scene small = *made;
    small.width = 96;
    small.height = 54;
    const TemporaryFolder weak, own;
    const auto use = [](const char* name, const std::string& folder) {
        EXPECT_EQ(copyKernelSources(folder).reason(), "");
        EXPECT_EQ(setKernelSourceDirectory(*sourceNamed(name), folder).reason(), "");
        return *sourceNamed(name);
    };
    runEditedKernelsBy(RAYSCOPE_PROGRAM);
    LessonWish wish;
    wish.lesson.name = "made_up";
    wish.lesson.title = "A build without optimisation";
    wish.lesson.task = "Find out what the compiler was told.";
    wish.lesson.why = "Every variable lived in memory.";
    wish.lesson.goal = 1.2;
    wish.seconds = 2;
    wish.lesson.counters = {{"rays_per_second", true}};
    wish.state.scene = small;
    wish.state.camera = small.camera;
    wish.state.settings = wish.b = defaultSettings(Backend::cpu, small);
    ASSERT_TRUE(assign(wish.state.settings, "opt=O0"));
    wish.state.settings.source = use("weak", weak.path());
    wish.b.source = use("mine", own.path());
    LessonView lesson([] {
        Machine machine;
        machine.cpu = makeCpuRenderer();
        return machine;
    });
    lesson.begin(wish);
    CodeTab code(&lesson);
    Frame& frame = window_.frame;
    const auto status = [&] {
        nlohmann::json all;
        lesson.describe(frame, all);
        return all["lesson"];
    };
    draw({1280, 720, 1, false}, code);
    lesson.step(frame);
    EXPECT_EQ(status()["changed"], false);
    EXPECT_FALSE(lesson.working()) << "nothing has been edited";
    EXPECT_FALSE(drawn_.contains("lesson.bar"));

    const std::string file = own.path() + "/" + std::string(kMegakernelSource);
    std::ofstream(file, std::ios::app) << "// mine\n";
    ASSERT_EQ(setKernelSourceDirectory(kMine, own.path()).reason(), "");
    for (int i = 0; i < 4000 && !lesson.working(); ++i) {  // machine code is read first
        lesson.step(frame);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(lesson.working()) << status();
    draw({1280, 720, 1, false}, code);
    for (int i = 0; i < 4000 && lesson.working(); ++i) lesson.work(frame, 20);
    lesson.step(frame);
    EXPECT_EQ(status()["measured"], 1) << status();
    EXPECT_EQ(status()["solved"], true) << status();
    EXPECT_EQ(status()["counters"], 1) << status();
    EXPECT_EQ(window_.said(), "Lesson 0, made_up: solved");
    draw({1280, 2000, 1, false}, code);
    for (const char* item : {"lesson.bar", "lesson.verdict", "lesson.why", "lesson.measure"})
        EXPECT_TRUE(drawn_.contains(item)) << item;
    for (const int source : {wish.state.settings.source, wish.b.source})
        EXPECT_TRUE(setKernelSourceDirectory(source, ""));
    runEditedKernelsBy("");
}

TEST(Folding, FoldsInOrderUntilTheRestFits) {
    const std::vector<RowGroup> groups{{"a", 5, RowGroup::kAlways}, {"b", 5, 2}, {"c", 5, 1}};
    const std::vector<RowHeights> heights{{20, 30}, {10, 20}};
    Folding folding;
    EXPECT_EQ(folding.fit(groups, 390, heights), 0u);
    EXPECT_EQ(folding.fit(groups, 389, heights), 1u);
    EXPECT_TRUE(folding.open("c"));
    EXPECT_EQ(folding.fit(groups, 209, heights), 1u);
    EXPECT_FALSE(folding.open("c"));
    EXPECT_TRUE(folding.open("b"));
    EXPECT_EQ(folding.fit(groups, 10, heights), 1u);
    EXPECT_FALSE(folding.open("b"));
    EXPECT_TRUE(folding.open("a"));
    folding.toggle("c");
    folding.fit(groups, 10, heights);
    EXPECT_TRUE(folding.open("c")) << "what the user has opened";
    folding.toggle("a");
    folding.fit(groups, 1000, heights);
    EXPECT_FALSE(folding.open("a"));
}

/// Of both sides, in as many lines as it takes.
TEST_F(Panels, AllTabsAreReachedInANarrowWindow) {
    for (const char* font : {"none", ""}) {
        for (const Size size : {Size{640, 400}, {849, 700}}) {
            theme_ = {};
            theme_.fontWish = font;
            draw({size.width, size.height}, scene_);
            ASSERT_TRUE(layout_.folded);
            const Rect panel = drawn_.at("panel.scene").rect;
            std::vector<Rect> headings;
            for (const char* tab :
                 {"kernel", "throughput", "ladder", "versus", "lab", "why", "code", "scene"}) {
                const Rect heading = drawn_.at(fmt::format("tab.{}", tab)).rect;
                EXPECT_GE(heading.x, panel.x) << tab;
                EXPECT_LE(heading.x + heading.width, panel.x + panel.width) << tab << font;
                for (const Rect& other : headings) EXPECT_FALSE(overlap(heading, other)) << tab;
                headings.push_back(heading);
                EXPECT_LE(heading.y + heading.height, drawn_.at("button.add").rect.y) << tab;
            }
        }
    }
}

TEST_F(Panels, LaddersFitWithAnyFont) {
    for (const char* font : {"none", ""}) {
        for (const Size size :
             {Size{640, 400}, {800, 600}, {1280, 720}, {1600, 900}, {3840, 2160}}) {
            theme_ = {};
            theme_.fontWish = font;
            for (const std::string& name : ladderNames()) {
                showLadder(name);
                const LadderClimb& climb = ladder_.climb();
                draw({size.width, size.height, 1, false}, ladder_);
                EXPECT_LE(ladder_.width(theme_), kernel_.width(theme_)) << "it needs no more room";
                ASSERT_TRUE(layout_.panels);
                const Rect panel = drawn_.at("panel.ladder").rect;
                EXPECT_LE(panel.x + panel.width, size.width) << name;
                EXPECT_LE(panel.y + panel.height, layout_.status.y) << name;
                EXPECT_FALSE(
                    overlap(drawn_.at("tab.throughput").rect, drawn_.at("tab.ladder").rect));
                const float rate = textSize(theme_.body, "888.8 M").x + theme_.units(16);
                float bottom = 0;
                for (size_t i = 0; i < climb.ladder()->rungs.size(); ++i) {
                    const Rect row = drawn_.at(fmt::format("ladder.rung.{}", i)).rect;
                    EXPECT_GE(row.y, bottom - .5f) << "rows do not overlap";
                    bottom = row.y + row.height;
                    const std::string& text = climb.ladder()->rungs[i].name;
                    EXPECT_LE(textSize(theme_.body, text).x, row.width - rate) << text << font;
                }
            }
        }
    }
}

/// Forty buttons below each other.
class HighTab : public Tab {
public:
    HighTab() : Tab("high", "High") {}
    void drawPanel(const Ui& ui) override {
        for (int i = 0; i < 40; ++i)
            pressed |= button(ui, fmt::format("row {}", i).c_str(), fmt::format("row.{}", i), {-1});
    }
    bool pressed = false;
};

TEST_F(Panels, TabsStayWhileTheContentsScrollBeneathThem) {
    HighTab high;
    tabs_.insert(tabs_.begin() + 1, &high);
    bool& pressed = high.pressed;
    const LayoutWish wish{1280, 420, 1, false};
    std::string shown;  ///< that was asked for
    const auto click = [&](const Rect& rect) {
        pressed = false;
        ImGuiIO& io = ImGui::GetIO();
        io.MousePos = {rect.x + rect.width / 2, rect.y + rect.height / 2};
        for (const bool down : {false, true, false}) {
            io.MouseDown[0] = down;
            draw(wish, high);
            if (window_.frame.tab != high.id()) shown = window_.frame.tab;
        }
    };
    draw(wish, high);
    const Rect tab = drawn_.at("tab.code").rect, row = drawn_.at("row.0").rect;
    click(row);
    EXPECT_TRUE(pressed);
    ImGui::GetIO().MouseWheel = -1;
    draw(wish, high);
    EXPECT_LT(drawn_.at("row.0").rect.y, row.y - tab.height);
    EXPECT_EQ(drawn_.at("tab.code").rect.y, tab.y);
    EXPECT_TRUE(std::any_of(drawn_.begin(), drawn_.end(), [&](const auto& item) {
        return item.first.starts_with("row.") && overlap(item.second.rect, tab);
    }));
    click({tab.x - 8, tab.y, 6, tab.height});  // between two tabs
    EXPECT_FALSE(pressed);
    click(tab);
    EXPECT_EQ(shown, "code");
}

TEST_F(Panels, TheTourStaysBetweenThePanels) {
    for (const char* font : {"none", ""}) {
        for (const Size size :
             {Size{640, 400}, {800, 600}, {1280, 720}, {1600, 900}, {3840, 2160}}) {
            theme_ = {};
            theme_.fontWish = font;
            showLadder("voxel-tracer");
            const int count = static_cast<int>(ladder_.climb().standings().size());
            for (int rung = 0; rung < count; ++rung) {
                ladder_.tour(rung, window_.frame);
                for (int i = 0; i < 2; ++i) {  // the height follows the contents a frame later
                    draw({size.width, size.height, 1, false},
                         [&](const Ui& ui) { ladder_.draw(ui); });
                }
                const Rect card = drawn_.at("panel.tour").rect, end = drawn_.at("tour.end").rect;
                EXPECT_GE(card.x, layout_.free.x);
                EXPECT_LE(card.x + card.width, layout_.free.x + layout_.free.width + .5f);
                EXPECT_LE(end.x + end.width, card.x + card.width);
                EXPECT_LE(end.y + end.height, card.y + card.height) << rung << " of " << font;
            }
            EXPECT_FALSE(drawn_.at("tour.next").enabled) << "it was the last";
        }
    }
}

TEST_F(Panels, AAgainstBFitsWithAnyFont) {
    for (const char* font : {"none", ""}) {
        for (const Size size :
             {Size{640, 400}, {800, 600}, {900, 560}, {1280, 720}, {3840, 2160}}) {
            theme_ = {};
            theme_.fontWish = font;
            state_.pinned.emplace(state_.settings);
            state_.pinned->showing = Showing::difference;
            state_.view.exposure = 10;  // the ends of the scale are small numbers
            draw({size.width, size.height, 1, false}, versus_);
            EXPECT_LE(versus_.width(theme_), kernel_.width(theme_)) << "it needs no more room";
            ASSERT_TRUE(layout_.panels);
            const Rect panel = drawn_.at("panel.versus").rect;
            EXPECT_LE(panel.x + panel.width, size.width);
            EXPECT_LE(panel.y + panel.height, layout_.status.y);
            const std::vector<std::pair<const char*, const char*>> buttons{
                {"button.pin", "Pin as A"},
                {"button.unpin", "Unpin"},
                {"button.swap", "Swap"},
                {"showing.split", "Split"},
                {"showing.difference", "Difference"}};
            for (const auto& [name, text] : buttons) {
                const Rect button = drawn_.at(name).rect;
                EXPECT_LE(textSize(theme_.body, text).x, button.width) << text << font;
                EXPECT_LE(button.x + button.width, panel.x + panel.width) << text << font;
            }
            const Rect legend = drawn_.at("legend.difference").rect;
            EXPECT_GE(legend.x, layout_.free.x) << size.width << font;
            EXPECT_LE(legend.x + legend.width, layout_.free.x + layout_.free.width) << font;
            state_.pinned->showing = Showing::split;
            draw({size.width, size.height, 1, false}, [&](const Ui& ui) { versus_.draw(ui); });
            EXPECT_TRUE(drawn_.contains("wipe"));
        }
    }
}

TEST_F(Panels, TheCodeFitsWithAnyFont) {
    window_.frame.tab = code_.id();
    window_.running.ready = true;
    for (nlohmann::json status; status["code"]["pairs"] != 1;
         code_.describe(window_.frame, status)) {
        code_.step(window_.frame);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (const char* font : {"none", ""}) {
        for (const Size size :
             {Size{640, 400}, {800, 600}, {900, 560}, {1280, 720}, {3840, 2160}}) {
            theme_ = {};
            theme_.fontWish = font;
            draw({size.width, size.height, 1, false, false, true}, code_);
            const Rect panel = drawn_.at("panel.code").rect;
            EXPECT_LE(panel.x + panel.width, size.width);
            EXPECT_LE(panel.y + panel.height, layout_.status.y);
            const Rect text = drawn_.at("panel.code_text").rect;
            for (const Rect& other : {panel, layout_.kernel, layout_.status})
                EXPECT_FALSE(overlap(text, other)) << size.width << font;
            EXPECT_EQ(text.width, layout_.status.width - 2 * text.x) << "as wide as the window";
            const Rect edit = drawn_.at("code.edit").rect;
            EXPECT_LE(edit.x + edit.width, text.x + text.width) << size.width << font;
        }
    }
}

TEST_F(Panels, TheCompilersLogStaysBelowThePanels) {
    window_.running.compileLog =
        "kernel.cu(12): error: identifier \"spheres\" is undefined\n1 error detected.\n";
    for (const Size size : {Size{500, 300}, {1280, 720}, {3840, 2160}}) {
        const std::unique_ptr<WindowFeature> log = compileLog();
        const auto open = [&] { return drawn_.contains("panel.compiler"); };
        draw({size.width, size.height, 1, false, false, true}, [&](const Ui& ui) {
            kernel_.draw(ui);
            log->draw(ui);
        });
        ASSERT_TRUE(open());
        const Rect panel = drawn_.at("panel.compiler").rect;
        EXPECT_FALSE(overlap(panel, layout_.kernel)) << size.width;
        EXPECT_FALSE(overlap(panel, layout_.status)) << size.width;
        EXPECT_GE(panel.width, 200) << size.width;
        ImGuiIO& io = ImGui::GetIO();
        const Rect button = drawn_.at("button.close_log").rect;
        io.MousePos = {button.x + button.width / 2, button.y + button.height / 2};
        for (bool down : {false, true, false}) {
            io.MouseDown[0] = down;
            draw({size.width, size.height, 1, false, false, true},
                 [&](const Ui& ui) { log->draw(ui); });
        }
        EXPECT_FALSE(open()) << size.width;
    }
}

TEST_F(Panels, NoFontIsWithoutHeight) {
    for (const char* font : {"none", ""}) {
        theme_ = {};
        theme_.fontWish = font;
        updateTheme(theme_, Look::dark, 1, .001f);  // ImGui ends the program
        EXPECT_GT(theme_.body.size, 0);
    }
    updateTheme(theme_, Look::dark, 1, 1);
}

/// Of two opaque colours. Source: WCAG 2.2, "contrast ratio" and "relative luminance".
double contrast(const ImVec4& a, const ImVec4& b) {
    const auto linear = [](double c) {
        return c <= .04045 ? c / 12.92 : std::pow((c + .055) / 1.055, 2.4);
    };
    const auto luminance = [&](const ImVec4& c) {
        return .2126 * linear(c.x) + .7152 * linear(c.y) + .0722 * linear(c.z);
    };
    const double low = std::min(luminance(a), luminance(b));
    return (std::max(luminance(a), luminance(b)) + .05) / (low + .05);
}

ImVec4 over(const ImVec4& top, const ImVec4& below, float opacity = 1) {
    const float o = top.w * opacity, rest = 1 - o;
    return {o * top.x + rest * below.x, o * top.y + rest * below.y, o * top.z + rest * below.z, 1};
}

TEST_F(Panels, TextsHaveContrastWhateverIsBehindThem) {
    EXPECT_NEAR(contrast({1, 1, 1, 1}, {0, 0, 0, 1}), 21, 1e-6);
    EXPECT_NEAR(contrast({.4667f, .4667f, .4667f, 1}, {1, 1, 1, 1}), 4.48, .01) << "#777777";
    for (const Look look : {Look::dark, Look::light}) {
        updateTheme(theme_, look, 1, 1);
        const ImGuiStyle& style = ImGui::GetStyle();
        const float off = style.DisabledAlpha;
        std::set<std::array<float, 3>> hues;
        for (size_t i = 0; i < std::size(kZoneKinds); ++i) {
            const ImVec4 zone = colorOf(static_cast<ZoneKind>(i));
            EXPECT_GE(contrast(colors::text, zone), 4.5) << kZoneKinds[i];
            hues.insert({zone.x, zone.y, zone.z});
        }
        EXPECT_EQ(hues.size(), std::size(kZoneKinds));
        for (const float picture : {0.f, .5f, 1.f}) {
            for (const ImVec4& behind : {colors::panel, colors::popup}) {
                const ImVec4 plain = over(behind, {picture, picture, picture, 1});
                for (const int control : {ImGuiCol_ChildBg, ImGuiCol_FrameBg, ImGuiCol_Button}) {
                    const ImVec4& face = style.Colors[control];
                    const ImVec4 below = over(face, plain), disabled = over(face, plain, off);
                    const auto name = [&] {
                        return fmt::format("look {}, picture {}, control {}",
                                           static_cast<int>(look), picture, control);
                    };
                    EXPECT_GE(contrast(over(colors::text, disabled, off), disabled), 4.5) << name();
                    for (const ImVec4& color :
                         {colors::text, colors::dim, colors::accent, colors::warning,
                          style.Colors[ImGuiCol_TextDisabled]})
                        EXPECT_GE(contrast(color, below), 4.5) << name();
                }
            }
        }
    }
}

TEST_F(Panels, TheFallbackFontIsWiderAndHasADash) {
    theme_.fontWish = "none";
    draw({1280, 720, 1, false}, [](const Ui&) {});
    EXPECT_EQ(theme_.fontPath, "");
    EXPECT_EQ(textSize(theme_.body, "\u2014").x, textSize(theme_.body, "-").x);
    EXPECT_EQ(fitted(theme_.body, "abcdefghij", textSize(theme_.body, "abcdef").x), "abc...");
}

TEST(Columns, FollowTheShapeOfTheWindow) {
    const Size window{1280, 720};
    EXPECT_EQ(columnsOf({1280, 720}, window), (Columns{0, 1280}));
    for (const double divisor : {1.5, 2., 3., 4., 6., 8., 12., 16.}) {
        for (const Size size : {window, {1023, 767}, {640, 401}, {37, 3}}) {
            EXPECT_EQ(columnsOf(divided(size, divisor), size), (Columns{0, size.width}))
                << size.width << " over " << divisor;
        }
    }
    EXPECT_EQ(columnsOf({640, 720}, window), (Columns{320, 960})) << "of half the width";
    EXPECT_EQ(columnsOf({1280, 360}, window), (Columns{-640, 1920})) << "of half the height";
    EXPECT_EQ(columnsOf({1, 4000}, {4000, 1}), (Columns{2000, 2001}));
}

TEST(OpenFile, OpensScenesAndSaysWhyNot) {
    const State state{Scene{}, {}, defaultSettings(Backend::cpu, Scene{}), {}};
    std::string takenBack;
    const auto scene = opened("vt46", state, &takenBack);
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->scene->spheres.size(), 46u);
    EXPECT_EQ(scene->camera, scene->scene->camera);
    State marked = *scene;
    marked.bookmarks[0] = marked.camera;
    EXPECT_TRUE(any((*opened("vt46", marked, &takenBack)).bookmarks));
    EXPECT_FALSE(any((*opened("cornell", marked, &takenBack)).bookmarks)) << "another scene's";
    for (const char* wrong : {"/nowhere/scene.json", "/nowhere/picture.png", "/etc/hostname"}) {
        const auto result = opened(wrong, state, &takenBack);
        ASSERT_FALSE(result) << wrong;
        EXPECT_NE(result.reason().find(wrong), std::string::npos) << result.reason();
    }
    namespace fs = std::filesystem;
    const fs::path file =
        fs::temp_directory_path() / fmt::format("rayscope-state-{}.json", getpid());
    nlohmann::json text = toJson(*scene);
    std::ofstream(file) << text;
    EXPECT_TRUE(*opened(file.string(), state, &takenBack) == *scene);
    text["settings"]["depth"] = 99;
    std::ofstream(file) << text;
    const auto wrong = opened(file.string(), state, &takenBack);
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.reason().find("depth"), std::string::npos) << wrong.reason();
    fs::remove(file);
}

TEST(Screenshots, FindTheUsersPictures) {
    const std::string file =
        "# written by xdg-user-dirs-update\nXDG_MUSIC_DIR=\"$HOME/Musik\"\n"
        "XDG_PICTURES_DIR=\"$HOME/Bilder\"\n";
    EXPECT_EQ(picturesFolderIn(file, "/home/a"), "/home/a/Bilder");
    EXPECT_EQ(picturesFolderIn("XDG_PICTURES_DIR=\"/mnt/p\"\n", "/home/a"), "/mnt/p");
    EXPECT_EQ(picturesFolderIn("# XDG_PICTURES_DIR=\"/mnt/p\"\n", "/home/a"), "");
}

TEST(Screenshots, OutliveAFolderThatIsGoneAndDamagedSettings) {
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope_output_" + std::to_string(getpid()));
    fs::create_directories(folder / "gone");
    fs::create_directories(folder / "home" / ".config" / "user-dirs.dirs");
    const fs::path before = fs::current_path();
    fs::current_path(folder / "gone");
    fs::remove(folder / "gone");
    setenv("HOME", (folder / "home").c_str(), 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_PICTURES_DIR");
    EXPECT_EQ(outputFolder(), (folder / "home").string());
    fs::current_path(before);
    fs::remove_all(folder);
}

}  // namespace
}  // namespace rayscope
