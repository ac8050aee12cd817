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
    frame_.scenes = {sceneNames(), preferences_.recent, {}};
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
    // other settings of the same scene are a switch
    if (before.scene != state_.scene) {
        measured_ = state_.settings;
        frame_.rates.restart();
        steering_.flight = {};
        steering_.flight.speed = defaultSpeed(state_.scene);
    }
    steering_.noteMove(now());  // a coarse picture first
    tracer_.restart();
    for (WindowFeature* feature : features_) feature->adopted(frame_, before);
}

/// To the renderers, and its name into the title and the list of scenes.
void Viewer::giveScene() {
    backends_.setScene(state_.scene);
    frame_.moved.reset();
    hierarchy_.sceneChanged();
    const std::string& name = state_.scene->name;
    std::vector<std::string>& names = frame_.scenes.scenes;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
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
    layOut({units.width, units.height, window_.contentScale(), !preferences_.panels,
            timeline_.shown(), pane},
           static_cast<float>(frame_.framebuffer.width) / static_cast<float>(units.width));
    frame_.panels = layout_.panels;
    frame_.tab = shownTab().id();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
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
    for (WindowFeature* feature : features_) feature->key(press, frame_);
}

/// Those of combos and the like; false where none is open. ImGui closes them by itself only where
/// the keyboard walks through its controls, which takes keys that fly.
static bool closeLists() {
    const bool open =
        ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
    if (open) ImGui::ClosePopupToLevel(0, true);
    return open;
}

void Viewer::handleKeys(const Input& input, const Steering::Surroundings& around) {
    for (const KeyPress& press : input.keys) {
        if (around.typing && press.key != Key::screenshot) continue;
        if (press.key == Key::escape && closeLists()) continue;
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
