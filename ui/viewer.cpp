#include "ui/viewer.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "renderer/base/say.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "ui/open_file.h"
#include "ui/tour.h"
#include "ui/viewer_class.h"
#include "ui/wipe.h"

namespace rayscope {

namespace {

/// Between looks at the event queue while nothing changes on the screen by itself.
constexpr double kPausedSeconds = .04, kMinimisedSeconds = .1;

}  // namespace

Viewer::Viewer(const ViewerOptions& options)
    : window_("Rayscope", options.width > 0 ? options.width : options.state.scene.width,
              options.height > 0 ? options.height : options.state.scene.height, options.vsync),
      presenter_(options.shaders),
      backends_(options.device),
      steering_(options.state.scene) {
    if (const char* font = std::getenv("RAYSCOPE_FONT")) theme_.fontWish = font;
    panels_ = memory_.panels;
    tab_ = sideTabFrom(memory_.tab);
    list_.recent = memory_.recent;
    if (namesFile(lastStatePath())) list_.last = lastStatePath();
    if (!memory_.first) kept_ = memory_;
    adopt(options.state);
    if (namesFile(options.file)) rememberFile(options.file);
    warn(memory_.problem);
    if (memory_.first) say("W A S D and the mouse fly; F1 shows all keys");
}

/// The state becomes what is shown; what this machine cannot do is replaced, and said.
void Viewer::adopt(State state) {
    editor_.letGo();
    edited_ = false;
    giveScene(state.scene);
    std::string problem = backends_.unsupported(state.settings);
    if (!problem.empty()) {
        Settings cpu = withBackend(state.settings, Backend::cpu, state.scene);
        cpu.display = Display::host;
        const bool enough = backends_.unsupported(cpu).empty();
        warn(fmt::format("{}: going on with {}", problem,
                         enough ? "the CPU" : "the CPU's default settings"));
        state.settings = enough ? cpu : defaultSettings(Backend::cpu, state.scene);
    }
    showName(state.scene.name);
    recallBookmarks(state);
    versus_.reset(backends_);
    if (state.scene.spheres.size() != state_.scene.spheres.size()) editor_.select(-1);
    state_ = std::move(state);
    warn(unpinImpossible(compared()));
    measured_ = state_.settings;
    steering_.flight = {};
    steering_.flight.speed = defaultSpeed(state_.scene);
    steering_.noteMove(now());  // a coarse picture first
    tracer_.restart();
    pinnedTracer_.restart();
    rates_.restart();
}

void Viewer::giveScene(const Scene& scene) {
    backends_.setScene(scene);
    hierarchy_.sceneChanged();
}

/// In the title and in the list of scenes.
void Viewer::showName(const std::string& scene) {
    std::vector<std::string>& names = list_.scenes;
    if (std::find(names.begin(), names.end(), scene) == names.end()) names.push_back(scene);
    window_.setTitle(fmt::format("{} \u2014 Rayscope", scene));
}

const Input& Viewer::poll() {
    const Zone zone("poll");
    return window_.poll(window_.size().empty() ? kMinimisedSeconds : paused_ ? kPausedSeconds : 0);
}

bool Viewer::frame() {
    const Zone zone("frame");
    const Input& input = poll();
    if (window_.closing()) return false;
    if (window_.size().empty() || window_.framebuffer().empty()) {
        status_.rest();
        return true;
    }
    const double before = frameBegan_;
    frameBegan_ = now();
    status_.beginFrame(frameBegan_);
    budget_.beginFrame(frameBegan_ - before);
    for (const std::string& path : input.dropped) requests_.open = path;
    const Size units = window_.size();
    layOut({units.width, units.height, window_.contentScale(), !panels_, timeline_.shown()},
           static_cast<float>(window_.framebuffer().width) / static_cast<float>(units.width));
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    steer(input);
    drawUi();
    ImGui::Render();
    carryOutRequests();
    noticeChanges();
    trace();
    experiment();
    explain();
    readCode();
    noticeSources();
    climb();
    present();
    writeStatus();
    ++frame_;
    markFrame();
    return true;
}

void Viewer::layOut(const LayoutWish& wish, float pixelRatio) {
    // The panels' width in ems hardly depends on the scale, so one more step settles it.
    for (int i = 0; i < 2; ++i) {
        const float scale = scaleFor(wish, panelEms_);
        if (i > 0 && scale == theme_.scale) break;
        updateTheme(theme_, memory_.light ? Look::light : Look::dark, scale, pixelRatio);
        sizes_ = measurePanels(theme_);
        if (fontMeasured_) break;
        panelEms_ = sizes_.width / theme_.em();
        fontMeasured_ = true;
    }
    layout_ = layoutFor(wish, theme_.scale, sizes_.width);
}

void Viewer::steer(const Input& input) {
    const ImGuiIO& io = ImGui::GetIO();
    const Steering::Surroundings around{state_.scene,        window_.size(),
                                        frameBegan_,         budget_.lastFrameSeconds(),
                                        io.WantCaptureMouse, io.WantTextInput};
    handleKeys(input, around);
    const Camera before = state_.camera;
    Input rest = input;
    steerSpheres(rest, around);
    say(steering_.steer(rest, around, state_.camera));
    fly(!(state_.camera == before));
    window_.captureCursor(steering_.wantsCursor());
}

void Viewer::handleKeys(const Input& input, const Steering::Surroundings& around) {
    for (const KeyPress& press : input.keys) {
        if (around.typing && press.key != Key::screenshot) continue;
        switch (press.key) {
            case Key::home:
                requests_.home = true;
                break;
            case Key::panels:
                panels_ = !panels_;
                break;
            case Key::pause:
                paused_ = !paused_;
                break;
            case Key::restart:
                requests_.restart = true;
                break;
            case Key::help:
                help_ = !help_;
                break;
            case Key::previous:
                if (tour_ > 0) requests_.tour = tour_ - 1;
                break;
            case Key::next:
                if (tour_ >= 0) requests_.tour = tour_ + 1;
                break;
            case Key::escape:
                help_ = false;
                requests_.tour = -1;
                editor_.place(false);
                say(path_.cancel());
                climb_.cancel();
                lab_.cancel();
                versus_.stopRace();
                break;
            case Key::pin:
                (state_.pinned ? requests_.versus.unpin : requests_.versus.pin) = true;
                break;
            case Key::showing:
                requests_.versus.nextShowing = true;
                break;
            case Key::timeline:
                requests_.timeline = true;
                break;
            case Key::remove:
                sceneRequests_.remove = editing();
                break;
            case Key::orbit:
                say(steering_.toggleOrbit(input, around, state_.camera));
                break;
            case Key::screenshot:
                (press.shift ? requests_.windowScreenshot : requests_.screenshot) = true;
                break;
            default:
                break;
        }
        if (press.key == Key::escape) closedLog_ = kernel().compileLog;
    }
    if (around.typing) return;
    for (const Chord& chord : input.chords) handleChord(chord);
    for (const int digit : input.digits) goToBookmark(digit - 1);
}

void Viewer::drawUi() {
    const Zone zone("panels");
    drawn_.clear();
    const Ui ui{theme_, sizes_, layout_, drawn_, requests_, lab_.switchesOf(state_)};
    drawPanels(ui);
    if (layout_.timeline.height > 0) {
        timeline_.refresh();
        drawTimeline(ui, timeline_);
    }
    if (help_) help_ = drawHelp(ui);
    toasts_.forgetOld(frameBegan_);
    drawToasts(ui, toasts_);
}

void Viewer::drawPanels(const Ui& ui) {
    const Renderer& renderer = backends_.get(state_.settings.backend);
    const KernelInfo kernel = this->kernel();
    const Film& film = tracer_.film();
    if (state_.pinned) {
        drawWipe(ui,
                 {window_.size(), versus_,
                  fullScaleOf(*state_.pinned, state_.scene.display, state_.view)},
                 *state_.pinned);
    }
    if (state_.view.shown != Shown::picture && !state_.pinned)
        drawMapLegend(ui, map(), why_.busy());
    if (layout_.strip) {
        drawStatusStrip(ui, {state_.settings.backend, renderer.device(), state_.settings.display,
                             film.width, film.height, film.samples, steering_.flight, paused_,
                             !kernel.ready && frame_ > 0, doing()});
    }
    if (layout_.panels) {
        if (editing()) drawSelection(state_.scene, state_.camera, window_.size(), editor_);
        if (tab_ == SideTab::ladder)
            drawLadderPanel(ui, climb_, tour_, ladders_);
        else if (tab_ == SideTab::lab)
            drawLabPanel(ui, {lab_, state_, ladders_}, labChoice_, labRequests_);
        else if (tab_ == SideTab::versus)
            drawVersusPanel(ui, versus_, codeCurrent_ ? reader_.pair()->verdict : CodeVerdict{},
                            state_);
        else if (tab_ == SideTab::scene)
            drawScenePanel(ui, {state_, editor_, path_}, sceneChoice_, sceneRequests_);
        else if (tab_ == SideTab::code)
            drawCodePanel(ui, {reader_, state_, codeCurrent_}, code_, codeRequests_);
        else if (tab_ == SideTab::why)
            drawWhyPanel(ui, why_, state_, whyChoice_, whyRequests_);
        else
            drawThroughputPanel(ui, rates_, kernel, film.samples, frameBegan_);
        drawKernelPanel(ui, backends_, kernel, list_, state_);
    }
    if (tour_ >= 0 && climb_.ladder()) drawTour(ui, climb_, tour_);
    const bool listed = tab_ == SideTab::code && layout_.panels;  // there
    if (kernel.compileLog.empty() || kernel.compileLog == closedLog_ || listed) return;
    bool open = true;
    drawCompileLog(ui, kernel.compileLog, &open);
    if (!open) closedLog_ = kernel.compileLog;
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
