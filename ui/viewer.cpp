#include "ui/viewer.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui_internal.h>

#include <cstdlib>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "renderer/base/say.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/code/carried_kernels.h"
#include "renderer/devices/starting.h"
#include "ui/viewer_class.h"

namespace rayscope {

namespace {

/// Between looks at the event queue while nothing changes on the screen by itself.
constexpr double kPausedSeconds = .04, kMinimisedSeconds = .1;
/// And between those at the device that works meanwhile.
constexpr double kFedSeconds = .001;

constexpr int kAnyPopup = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;

}  // namespace

Viewer::Viewer(const ViewerOptions& options)
    : window_("Rayscope", options.width > 0 ? options.width : options.state.scene->width,
              options.height > 0 ? options.height : options.state.scene->height, options.vsync),
      presenter_(options.shaders),
      backends_(options.devices),
      steering_(options.state.scene) {
    budget_.setRefreshRate(window_.refreshRate());
    if (const char* font = std::getenv("RAYSCOPE_FONT")) theme_.fontWish = font;
    showTab(preferences_.tab);
    frame_.scenes = {.scenes = sceneNames(), .recent = preferences_.recent, .last = {}};
    for (const std::string& name : frame_.scenes.scenes)
        frame_.scenes.titles[name] = sceneTitle(name);
    if (namesFile(lastStatePath())) frame_.scenes.last = lastStatePath();
    frame_.softwareGl = window_.softwareGl();
    if (options.lesson) begin(*options.lesson);
    adopt(options.state);
    if (namesFile(options.file)) documents_.remember(options.file, frame_);
    frame_.warn(preferences_.problem);
}

/// With the Code tab at the place that the lesson is about.
void Viewer::begin(const LessonWish& lesson) {
    lesson_.begin(lesson);
    code_.goTo(lesson.lesson.file, lineOf(lesson.lesson, kernelSources(lesson.b.source)));
    showTab(code_.id());
}

void Viewer::adopt(State state) {
    const State before = std::exchange(state_, std::move(state));
    code_.offer(setAside(state_), frame_);
    giveScene();
    const std::string problem = backends_.unsupported(state_.settings);
    if (!problem.empty()) {
        Settings cpu = withBackend(state_.settings, Backend::cpu, state_.scene);
        cpu.display = Display::host;
        const bool enough = backends_.unsupported(cpu).empty();
        frame_.warn(fmt::format("{}: going on with {}", problem,
                                enough ? "the CPU" : "the CPU's default settings"));
        state_.settings = enough ? cpu : startingSettings(Backend::cpu, state_.scene);
    }
    const bool sameScene = before.scene == state_.scene;
    if (!sameScene) {  // other settings of the same scene are a switch
        measured_ = state_.settings;
        frame_.rates.restart();
        steering_.enter(state_.scene);
    }
    steering_.noteMove(now());  // a coarse picture first
    // The films of A and B keep in step.
    const bool alone = !sameScene && !state_.pinned;
    alone ? tracer_.restartWithScene() : tracer_.restart();
    for (WindowFeature* feature : features_) feature->adopted(frame_, before);
}

/// To the renderers, and its name into the title and the list of scenes.
void Viewer::giveScene() {
    backends_.setScene(state_.scene);
    frame_.moved.reset();
    hierarchy_.sceneChanged();
    const std::string& name = state_.scene->name;
    std::vector<std::string>& names = frame_.scenes.scenes;
    // Files stand among the recent ones, and what was edited has no name that opens it.
    if (isMade(name) && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    window_.setTitle(fmt::format("{} \u2014 Rayscope", name));
}

void Viewer::sceneEdited(int moved) {
    if (moved >= 0) {
        backends_.adjustSphere(moved, state_.scene->spheres[moved]);
    } else {
        giveScene();
        std::string problem;
        state_.settings = possible(state_.settings, state_.scene, &problem);
        frame_.warn(problem);
    }
    versus_.restart(frame_);
    tracer_.restart();
    frame_.rates.restart();
}

/// To whoever watches it is as if the camera moved.
void Viewer::bodiesMoved(const SharedBvh& hierarchy) {
    backends_.moveSpheres(frame_.renderers());
    // One that is there is refitted by the renderers.
    const bool refits = state_.settings.hierarchy == Hierarchy::refit && tracer_.film().samples > 0;
    if (!refits) hierarchy_.sceneChanged();
    if (hierarchy != nullptr) {
        backends_.giveHierarchy(hierarchy);
        hierarchy_.given();
    }
    tracer_.restart();
    steering_.noteMove(frame_.now);
    if (state_.pinned) versus_.restart(frame_);
}

/// The film's pixels are carried over.
void Viewer::useDevices(const DeviceList& devices) {
    for (WindowFeature* feature : features_) feature->leaveGpu(frame_);
    tracer_.forget();
    backends_.use(devices);
    adopt(state_);
}

/// The first one where there is none of that name.
void Viewer::showTab(const std::string& id) {
    kernelOpen_ = id == kernelPanel_.id();
    if (!kernelOpen_) {
        const auto found = std::ranges::find(tabs_, id, &Tab::id);
        open_ = found == tabs_.end() ? tabs_.front() : *found;
        preferences_.tab = open_->id();
    }
    frame_.tab = shownTab().id();
}

KernelInfo Viewer::kernel() const {
    const KernelInfo& known = versus_.kernel();
    return known.name.empty() ? tracer_.kernel() : known;
}

std::string Viewer::doing() const {
    for (const WindowFeature* feature : features_) {
        if (std::string doing = feature->doing(); !doing.empty()) return doing;
    }
    return {};
}

const Input& Viewer::poll() {
    const Zone zone("poll");
    if (window_.size().empty()) {
        window_.wait(kMinimisedSeconds);
    } else if (frame_.paused) {
        window_.wait(kPausedSeconds);
    } else if (fillsFrames()) {
        seeWhatIsLeft();
        keepBusy(kFedMs);
        for (double left = budget_.untilNextFrame(now());
             left > 0 && !window_.wait(std::min(left, kFedSeconds));
             left = budget_.untilNextFrame(now()))
            keepBusy(kFedMs);
    }
    return window_.poll();
}

bool Viewer::frame() {
    const Zone zone("frame");
    const Input& input = poll();
    if (window_.closing()) return false;
    if (window_.size().empty() || window_.framebuffer().empty()) {
        status_.rest();
        return true;
    }
    beginFrame();
    if (input.any()) touched_ = frame_.now;
    if (!input.dropped.empty()) frame_.then([this, path = input.dropped.back()] { open(path); });
    steer(input);
    // A new view as early as can be; the device traces it while the panels are drawn.
    const bool early = fillsFrames() && steering_.moving(frame_.now);
    early ? trace() : keepBusy(kFedMs);
    draw();
    act();
    if (!early) trace();
    goOnWithJob();
    for (WindowFeature* feature : features_) feature->step(frame_);
    present();
    writeStatus();
    ++frame_.number;
    markFrame();
    return true;
}

void Viewer::beginFrame() {
    const double before = std::exchange(frame_.now, now());
    frame_.seconds = frame_.now - before;
    status_.beginFrame(frame_.now);
    budget_.beginFrame(frame_.now, frame_.seconds);
    const Size units = frame_.window = window_.size();
    // Of a window that is being resized a coarse picture comes first.
    if (std::exchange(frame_.framebuffer, window_.framebuffer()) != window_.framebuffer())
        steering_.noteMove(frame_.now);
    const bool pane = std::ranges::any_of(
        features_, [this](const WindowFeature* feature) { return feature->wantsPane(frame_); });
    layOut({.width = units.width,
            .height = units.height,
            .contentScale = window_.contentScale(),
            .hidden = !preferences_.panels,
            .timeline = timeline_.shown(),
            .pane = pane,
            .text = static_cast<float>(preferences_.text),
            .left = static_cast<float>(preferences_.left),
            .right = static_cast<float>(preferences_.right)},
           static_cast<float>(frame_.framebuffer.width) / static_cast<float>(units.width));
    frame_.panels = layout_.panels;
    frame_.tab = shownTab().id();
    if (!frame_.panels) leaveKeyboard();
    // A list that is open is walked through by arrows, too.
    listOpen_ = ImGui::IsPopupOpen(nullptr, kAnyPopup);
    int& flags = ImGui::GetIO().ConfigFlags;
    constexpr int kWalks = ImGuiConfigFlags_NavEnableKeyboard;
    flags = frame_.keyboard || listOpen_ ? flags | kWalks : flags & ~kWalks;
    frame_.focused.clear();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700
    // From then on Enter chooses, as Space does.
    ImGuiIO& io = ImGui::GetIO();
    if (listOpen_ && io.KeysDown[io.KeyMap[ImGuiKey_Enter]])
        io.NavInputs[ImGuiNavInput_Activate] = 1;
#endif
    ImGui::NewFrame();
}

void Viewer::layOut(const LayoutWish& wish, float pixelRatio) {
    float width = 0;
    // The panels' width in ems hardly depends on the scale, so one more step settles it.
    for (int i = 0; i < 2; ++i) {
        const float scale = scaleFor(wish, panelEms_);
        if (i > 0 && scale == theme_.scale) break;
        updateTheme(theme_, preferences_.light ? Look::light : Look::dark, scale, pixelRatio);
        width = panelWidth(theme_, tabs_, kernelPanel_.width(theme_));
        if (fontMeasured_) break;
        panelEms_ = width / theme_.em();
        fontMeasured_ = true;
    }
    layout_ = layoutFor(wish, theme_.scale, width);
}

void Viewer::steer(const Input& input) {
    const ImGuiIO& io = ImGui::GetIO();
    const Steering::Surroundings around{frame_.renderers(), frame_.window,       frame_.now,
                                        frame_.seconds,     io.WantCaptureMouse, io.WantTextInput};
    // A click into the picture takes the keyboard back.
    if (!around.overPanels && !input.presses.empty()) leaveKeyboard();
    handleKeys(input, around);
    Input rest = input;
    scene_.steer(rest, around, frame_);
    frame_.say(steering_.steer(rest, around, state_.camera));
    window_.captureCursor(steering_.wantsCursor());
}

void Viewer::handleKey(const KeyPress& press) {
    if (press.key == Key::panels) preferences_.panels = !preferences_.panels;
    if (press.key == Key::pause) frame_.paused = !frame_.paused;
    if (press.key == Key::restart) tracer_.restart();
    if (press.key == Key::through) {
        bool& through = steering_.flight.through;
        through = !through;
        frame_.say(through ? "Flying through surfaces (G ends that)" : "Surfaces stop the camera");
    }
    for (WindowFeature* feature : features_) feature->key(press, frame_);
}

/// Those of combos and the like; false where none was open when the frame began: ImGui may have
/// closed one by itself since.
bool Viewer::closeLists() {
    if (ImGui::IsPopupOpen(nullptr, kAnyPopup)) ImGui::ClosePopupToLevel(0, true);
    return std::exchange(listOpen_, false);
}

/// F6 takes the keyboard from the picture to the panels, one after the other, and back.
void Viewer::moveFocus() {
    if (!layout_.panels) return;
    const std::string side = "side." + shownTab().id();
    const ImGuiWindow* const now = ImGui::GetCurrentContext()->NavWindow;
    const bool inSide = frame_.keyboard && now != nullptr && now->Name == side;
    if (inSide) return leaveKeyboard();
    const bool first = !frame_.keyboard && !layout_.folded;
    frame_.keyboard = true;
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    ImGuiWindow* const window = ImGui::FindWindowByName(first ? "Kernel" : side.c_str());
    if (window == nullptr) return leaveKeyboard();
    window->Flags &= ~ImGuiWindowFlags_NoNav;  // as it is from this frame on
    ImGui::FocusWindow(window);
    ImGui::NavInitWindow(window, true);
}

void Viewer::leaveKeyboard() {
    if (!std::exchange(frame_.keyboard, false)) return;
    ImGui::FocusWindow(nullptr);
}

/// The tab beside the open one, of the panel that has tabs.
void Viewer::showNextTab(int step) {
    const Tabs& tabs = layout_.folded ? foldedTabs_ : tabs_;
    const auto open = std::ranges::find(tabs, &shownTab());
    const auto count = static_cast<int>(tabs.size());
    const int now = static_cast<int>(open - tabs.begin());
    showTab(tabs[static_cast<std::size_t>((now + step + count) % count)]->id());
}

/// Whether the key moves through panels rather than does something with the picture.
bool Viewer::forPanels(const KeyPress& press) {
    if (press.key == Key::focus) moveFocus();
    if (press.key == Key::fullscreen) window_.toggleFullscreen();
    const bool turns = press.key == Key::previous || press.key == Key::next;
    if (turns && press.ctrl) showNextTab(press.key == Key::next ? 1 : -1);
    if (press.key == Key::focus || press.key == Key::fullscreen || (turns && press.ctrl))
        return true;
    if (!frame_.keyboard) return false;
    if (press.key == Key::escape) leaveKeyboard();
    // What ImGui understands: Space presses, Tab goes to the next field, and so on.
    return press.key == Key::escape || press.key == Key::pause || press.key == Key::panels ||
           press.key == Key::home || turns;
}

void Viewer::handleKeys(const Input& input, const Steering::Surroundings& around) {
    for (const KeyPress& press : input.keys) {
        if (around.typing && press.key != Key::screenshot) continue;
        if (press.key == Key::escape && closeLists()) continue;
        if (forPanels(press)) continue;
        if (press.key == Key::orbit)
            frame_.say(steering_.toggleOrbit(input, around, state_.camera));
        handleKey(press);
    }
    if (around.typing) return;
    for (WindowFeature* feature : features_) {
        for (const Chord& chord : input.chords) feature->chord(chord, frame_);
        for (const int digit : input.digits) feature->digit(digit, frame_);
    }
}

void Viewer::draw() {
    const Zone zone("panels");
    drawn_.clear();
    const Ui ui{theme_, layout_, drawn_, frame_};
    if (layout_.panels) drawSidePanel(ui, layout_.folded ? foldedTabs_ : tabs_, shownTab());
    for (WindowFeature* feature : features_) feature->draw(ui);
    frame_.toasts.draw(ui, frame_.now);
    ImGui::Render();
}

/// What was asked for while everything was drawn, then what features do by themselves.
void Viewer::act() {
    frame_.errands.finish();
    for (const auto& action : std::exchange(frame_.asked, {})) action();
    for (WindowFeature* feature : features_) feature->act(frame_);
    if (resetsTiming(measured_, state_.settings))
        frame_.rates.mark(measured_, state_.settings, frame_.now);
    measured_ = state_.settings;
}

/// Films and textures of each size the window has had go back to the system. By itself the
/// allocator of glibc begins to keep blocks of up to 32 MB in its heap once one was freed, where
/// smaller ones that stay hold them; it has up to eight heaps for every core, in each of which a
/// compilation leaves its holes; and small blocks that are free are kept apart, a million of them
/// after the JSON of a large scene, where nothing around them goes back either.
static void returnFreeMemory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_ARENA_MAX, 4);  // threads that work for long hardly allocate
    mallopt(M_MXFAST, 0);
#endif
}

int runViewer(const ViewerOptions& options) {
    returnFreeMemory();
    try {
        Viewer viewer(options);
        while (viewer.frame() && (!options.goOn || options.goOn())) {
        }
        viewer.remember();
        return 0;
    } catch (const std::exception& error) {
        complain(error.what());
        return 1;
    }
}

}  // namespace rayscope
