#include "ui/viewer.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "renderer/lab/conditions.h"
#include "renderer/scene/json.h"
#include "ui/budget.h"
#include "ui/lab_panel.h"
#include "ui/ladder_drive.h"
#include "ui/open_file.h"
#include "ui/panels.h"
#include "ui/present.h"
#include "ui/screenshot.h"
#include "ui/status.h"
#include "ui/steering.h"
#include "ui/tracer.h"
#include "ui/versus_drive.h"
#include "ui/wipe.h"

namespace rayscope {

namespace {

using Clock = std::chrono::steady_clock;

/// Between looks at the event queue while nothing changes on the screen by itself.
constexpr double kPausedSeconds = .04, kMinimisedSeconds = .1;

/// Where OpenGL runs on the CPU, larger films would take longer to show than to trace.
constexpr double kSoftwareGlPixels = 1920 * 1080;
/// And a picture that only loses noise is renewed this often.
constexpr double kSoftwareGlSeconds = .12;

/// Of a frame's budget while the laboratory is at work.
constexpr double kPictureShare = .3;

class Viewer {
public:
    explicit Viewer(const ViewerOptions& options);
    /// One frame; false when the window is closed.
    bool frame();

private:
    void layOut(const LayoutWish& wish, float pixelRatio);
    double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    void handleKeys(const Input& input, const Steering::Surroundings& around);
    void steer(const Input& input);
    void drawUi();
    void drawPanels(const Ui& ui);
    void carryOutRequests();
    void noticeChanges();
    void open(const std::string& nameOrPath);
    void adopt(State state);
    void trace();
    void present();
    void takeScreenshots();
    nlohmann::json measurements() const;
    void writeStatus();
    void climb();
    void carryOutLadderRequests();
    void carryOutLabRequests();
    void experiment();
    std::string goOnWithoutCuda(const std::string& reason);
    /// Of the present settings' renderer; while A is pinned, as it was after the last turn of B.
    KernelInfo kernel() const;
    Driven driven() {
        return {backends_, state_, [this](State state) {
                    std::string unpinned;
                    takeAlong(state.pinned, state_.scene, state.scene, &unpinned);
                    adopt(std::move(state));
                    warn(unpinned);
                }};
    }
    Compared compared() { return {backends_, state_, versus_, pinnedTracer_}; }
    void say(const std::string& text) {
        if (!text.empty()) toasts_.say(text, frameBegan_);
    }
    void warn(const std::string& text) {
        if (!text.empty()) toasts_.warn(text, frameBegan_);
    }

    const Clock::time_point start_ = Clock::now();
    Window window_;
    Presenter presenter_;
    Backends backends_;
    Tracer tracer_, pinnedTracer_;
    Versus versus_;
    State state_;
    Settings measured_;  ///< that the rates so far belong to
    Steering steering_;
    Rates rates_;
    Toasts toasts_;
    FrameBudget budget_;
    StatusFile status_;
    Theme theme_;
    PanelSizes sizes_;
    float panelEms_ = 20;        ///< width of a panel; measured in the first frame
    bool fontMeasured_ = false;  ///< once, so that the scale does not swing
    Layout layout_;
    Drawn drawn_;
    Requests requests_;
    std::vector<std::string> scenes_ = sceneNames();
    std::vector<std::string> ladders_ = ladderNames();
    LadderClimb climb_;
    Laboratory lab_;
    LabChoice labChoice_;
    LabRequests labRequests_;
    SideTab tab_ = SideTab::throughput;
    bool panels_ = true, help_ = false, paused_ = false;
    std::string closedLog_;  ///< the compile log that the user has closed
    Screenshots screenshots_;
    std::string lastScreenshot_;
    double frameBegan_ = 0;
    long frame_ = 0;
};

Viewer::Viewer(const ViewerOptions& options)
    : window_("Rayscope", options.width > 0 ? options.width : options.state.scene.width,
              options.height > 0 ? options.height : options.state.scene.height, options.vsync),
      presenter_(options.shaders),
      steering_(options.state.scene) {
    if (const char* font = std::getenv("RAYSCOPE_FONT")) theme_.fontWish = font;
    adopt(options.state);
}

/// The state becomes what is shown; what this machine cannot do is replaced, and said.
void Viewer::adopt(State state) {
    backends_.setScene(state.scene);
    std::string problem = backends_.unsupported(state.settings);
    if (!problem.empty()) {
        Settings cpu = withBackend(state.settings, Backend::cpu, state.scene);
        cpu.display = Display::host;
        const bool enough = backends_.unsupported(cpu).empty();
        warn(fmt::format("{}: going on with {}", problem,
                         enough ? "the CPU" : "the CPU's default settings"));
        state.settings = enough ? cpu : defaultSettings(Backend::cpu, state.scene);
    }
    if (std::find(scenes_.begin(), scenes_.end(), state.scene.name) == scenes_.end()) {
        scenes_.push_back(state.scene.name);
    }
    window_.setTitle(fmt::format("{} \u2014 Rayscope", state.scene.name));
    versus_.reset(backends_);
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

bool Viewer::frame() {
    const Size size = window_.size();
    const Input& input = window_.poll(size.empty() ? kMinimisedSeconds
                                      : paused_    ? kPausedSeconds
                                                   : 0);
    if (window_.closing()) return false;
    if (window_.size().empty() || window_.framebuffer().empty()) return true;
    const double before = frameBegan_;
    frameBegan_ = now();
    budget_.beginFrame(frameBegan_ - before);
    for (const std::string& path : input.dropped) requests_.open = path;
    const Size units = window_.size();
    layOut({units.width, units.height, window_.contentScale(), !panels_},
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
    climb();
    present();
    writeStatus();
    ++frame_;
    return true;
}

void Viewer::layOut(const LayoutWish& wish, float pixelRatio) {
    // The panels' width in ems hardly depends on the scale, so one more step settles it.
    for (int i = 0; i < 2; ++i) {
        const float scale = scaleFor(wish, panelEms_);
        if (i > 0 && scale == theme_.scale) break;
        updateTheme(theme_, scale, pixelRatio);
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
    say(steering_.steer(input, around, state_.camera));
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
            case Key::escape:
                help_ = false;
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
}

void Viewer::drawUi() {
    drawn_.clear();
    const Ui ui{theme_, sizes_, layout_, drawn_, requests_, lab_.switchesOf(state_)};
    drawPanels(ui);
    if (help_) drawHelp(ui);
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
    if (layout_.strip) {
        drawStatusStrip(
            ui, {state_.settings.backend, renderer.device(), state_.settings.display, film.width,
                 film.height, film.samples, steering_.flight, paused_, !kernel.ready && frame_ > 0,
                 climb_.climbing() ? climbingText(climb_) : labText(lab_)});
    }
    if (layout_.panels) {
        if (tab_ == SideTab::ladder)
            drawLadderPanel(ui, climb_, ladders_);
        else if (tab_ == SideTab::lab)
            drawLabPanel(ui, {lab_, state_, ladders_}, labChoice_, labRequests_);
        else if (tab_ == SideTab::versus)
            drawVersusPanel(ui, versus_, state_);
        else
            drawThroughputPanel(ui, rates_, kernel, film.samples, frameBegan_);
        drawKernelPanel(ui, backends_, kernel, scenes_, state_);
    }
    if (kernel.compileLog.empty() || kernel.compileLog == closedLog_) return;
    bool open = true;
    drawCompileLog(ui, kernel.compileLog, &open);
    if (!open) closedLog_ = kernel.compileLog;
}

void Viewer::carryOutRequests() {
    if (requests_.home) {
        state_.camera = state_.scene.camera;
        steering_.noteMove(frameBegan_);
    }
    if (requests_.restart) {
        tracer_.restart();
        pinnedTracer_.restart();
    }
    requests_.home = requests_.restart = false;
    if (!requests_.open.empty()) open(requests_.open);
    requests_.open.clear();
    if (requests_.versus.race) paused_ = false;
    say(carryOutVersusRequests(requests_, compared()));
    carryOutLadderRequests();
    carryOutLabRequests();
}

void Viewer::carryOutLabRequests() {
    if (labChoice_.ladder.empty()) labChoice_.ladder = firstOf(ladders_);
    std::string warning;
    const Size film = tracer_.size();
    say(carryOut(labRequests_, lab_, labChoice_, film.width, film.height, driven(), &warning));
    warn(warning);
    labRequests_ = {};
}

void Viewer::carryOutLadderRequests() {
    if (requests_.tab) tab_ = *requests_.tab;
    if (tab_ == SideTab::ladder && !climb_.ladder() && requests_.ladder.empty())
        requests_.ladder = firstOf(ladders_);
    if (!requests_.ladder.empty()) warn(climb_.choose(requests_.ladder));
    if (requests_.cancelClimb) climb_.cancel();
    if (requests_.climb) {
        paused_ = false;
        climb_.start();
    }
    if (requests_.rung) {
        climb_.cancel();
        warn(enterRung(climb_, *requests_.rung, driven()));
    }
    requests_.tab.reset();
    requests_.rung.reset();
    requests_.ladder.clear();
    requests_.climb = requests_.cancelClimb = false;
}

/// The laboratory's part of the frame; the picture's has been traced.
void Viewer::experiment() {
    if (!lab_.running()) return;
    const bool gpu = lab_.backend() == Backend::cuda;
    budget_.beginTrace(now());
    say(lab_.step((1 - kPictureShare) * budget_.milliseconds(gpu && !window_.softwareGl())));
    budget_.endTrace(now());
}

void Viewer::climb() {
    if (tab_ != SideTab::ladder && !climb_.climbing()) return;
    climb_.look(backends_, state_);
    if (paused_) return;
    if (climbOn(climb_, rates_.settled(), budget_.lastFrameSeconds(), driven()))
        say("The climb has ended");
}

void Viewer::open(const std::string& nameOrPath) {
    std::string takenBack;
    auto result = opened(nameOrPath, state_, &takenBack);
    if (const auto* problem = std::get_if<std::string>(&result)) return warn(*problem);
    adopt(std::get<State>(std::move(result)));
    warn(takenBack);
}

void Viewer::noticeChanges() {
    if (resetsTiming(measured_, state_.settings)) {
        rates_.mark(measured_, state_.settings, frameBegan_);
    }
    measured_ = state_.settings;
}

void Viewer::trace() {
    if (paused_) return;
    if (state_.pinned) warn(unpinImpossible(compared()));
    const bool moving = steering_.moving(frameBegan_);
    const bool onGpu = usesCuda(state_) && !window_.softwareGl();
    Settings& settings = state_.settings;
    const Display wanted = settings.display;
    std::string message;
    FrameStats stats;
    const double share = lab_.running() ? kPictureShare : 1;
    budget_.beginTrace(now());
    try {
        const Tracer::Wish wish{.scene = state_.scene,
                                .camera = state_.camera,
                                .settings = settings,
                                .framebuffer = window_.framebuffer(),
                                .mostPixels = window_.softwareGl() ? kSoftwareGlPixels : 0,
                                .uploadSeconds = window_.softwareGl() ? kSoftwareGlSeconds : 0,
                                .moving = moving,
                                .budgetMs = share * budget_.milliseconds(onGpu),
                                .now = frameBegan_};
        stats = state_.pinned ? traceSides(compared(), tracer_, wish, &message)
                              : tracer_.step(backends_, wish, &message);
    } catch (const std::runtime_error& error) {
        if (!usesCuda(state_)) throw;
        message = goOnWithoutCuda(error.what());
    }
    budget_.endTrace(now());
    warn(message);
    if (settings.display != wanted) measured_.display = settings.display;
    const bool settled = !moving && kernel().ready;
    rates_.add(stats, frameBegan_, budget_.lastFrameSeconds(), settled);
}

std::string Viewer::goOnWithoutCuda(const std::string& reason) {
    Settings& settings = state_.settings;
    if (settings.backend == Backend::cuda) tracer_.forget();
    backends_.loseCuda(reason);
    versus_.reset(backends_);
    const std::string unpinned = unpinImpossible(compared());
    settings = withBackend(settings, Backend::cpu, state_.scene);
    return fmt::format("CUDA has failed ({}): going on with the CPU{}{}", reason,
                       unpinned.empty() ? "" : ". ", unpinned);
}

KernelInfo Viewer::kernel() const {
    const KernelInfo& known = versus_.record(Side::b).kernel;
    return known.name.empty() ? backends_.get(state_.settings.backend).kernel() : known;
}

void Viewer::present() {
    const Size pixels = window_.framebuffer();
    const FilmView film = tracer_.view(frameBegan_);
    if (state_.pinned) {
        presenter_.draw(pinnedTracer_.view(frameBegan_), film, state_.scene.display, state_.view,
                        *state_.pinned,
                        wipePixel(layout_, window_.size(), pixels, state_.pinned->wipe), pixels);
        // What is seen is more than one film.
        if (requests_.screenshot) screenshots_.saveWindow(pixels, {state_, measurements()});
        requests_.screenshot = false;
    } else {
        presenter_.draw(film, state_.scene.display, state_.view, pixels);
    }
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    takeScreenshots();
    budget_.beginSwap(now());
    window_.swap();
    budget_.endSwap(now(), !window_.softwareGl());
}

void Viewer::takeScreenshots() {
    if (requests_.screenshot) {
        screenshots_.savePicture(tracer_.read(), tracer_.size(), {state_, measurements()});
    }
    if (requests_.windowScreenshot) {
        screenshots_.saveWindow(window_.framebuffer(), {state_, measurements()});
    }
    requests_.screenshot = requests_.windowScreenshot = false;
    for (const Saved& saved : screenshots_.finished()) {
        if (const auto* problem = std::get_if<std::string>(&saved)) {
            warn(*problem);
            continue;
        }
        lastScreenshot_ = std::get<SavedFile>(saved).path;
        say(fmt::format("Saved {}", lastScreenshot_));
    }
}

/// What was measured, for whoever reads a screenshot.
nlohmann::json Viewer::measurements() const {
    const Renderer& renderer = backends_.get(state_.settings.backend);
    const DeviceInfo device = renderer.device();
    nlohmann::json json =
        describeMeasurements(device, kernel(), tracer_.film(), rates_, window_.glName());
    ConditionsWatch watch(sensorsOf(state_.settings.backend, device));
    watch.look();
    json["conditions"] = toJson(watch.summary());
    if (state_.pinned) json["versus"] = describeSides(*state_.pinned, versus_);
    return json;
}

void Viewer::writeStatus() {
    if (!status_.due(frameBegan_)) return;
    const Film& film = tracer_.film();
    status_.write({.state = state_,
                   .rates = rates_,
                   .drawn = drawn_,
                   .frame = frame_,
                   .samples = film.samples,
                   .divisor = tracer_.divisor(),
                   .budgetMs = budget_.lastMilliseconds(),
                   .film = {film.width, film.height},
                   .window = window_.size(),
                   .framebuffer = window_.framebuffer(),
                   .flight = steering_.flight,
                   .panels = panels_,
                   .paused = paused_,
                   .moving = steering_.moving(frameBegan_),
                   .screenshot = lastScreenshot_,
                   .toast = toasts_.last,
                   .tab = tab_,
                   .climb = climb_,
                   .lab = lab_,
                   .versus = versus_},
                  frameBegan_);
}

}  // namespace

int runViewer(const ViewerOptions& options) {
    try {
        Viewer viewer(options);
        while (viewer.frame()) {
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "rayscope: {}\n", error.what());
        return 1;
    }
}

}  // namespace rayscope
