#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <stdexcept>
#include <utility>

#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/machine/conditions.h"
#include "ui/gl_zones.h"
#include "ui/viewer_class.h"
#include "ui/wipe.h"

namespace rayscope {

namespace {

/// Where OpenGL runs on the CPU, larger films would take longer to show than to trace.
constexpr double kSoftwareGlPixels = 1920 * 1080;
/// And a picture that only loses noise is renewed this often.
constexpr double kSoftwareGlSeconds = .12;

/// Of a frame's budget while the laboratory is at work.
constexpr double kPictureShare = .3;

}  // namespace

/// The part of the frame that is a ladder's, the laboratory's or a path's; the picture's has been
/// traced.
void Viewer::experiment() {
    if (!working() || why_.timing()) return;
    const bool gpu = climb_.measuring() ? climb_.backend() == Backend::cuda
                     : lab_.running()   ? lab_.backend() == Backend::cuda
                                        : usesCuda(state_);
    const double ms = (1 - kPictureShare) * budget_.milliseconds(gpu && !window_.softwareGl());
    if (!budget_.affordsJob(ms)) return;
    const Zone zone("lab step");
    budget_.beginJob(now());
    say(climb_.measuring() ? climb_.step(ms)  // measurements come first
        : lab_.running()   ? lab_.step(ms)
                           : path_.step(ms));
    budget_.endJob(now(), ms);
}

/// Records what the Why tab and the maps show, while nothing else is being measured.
void Viewer::explain() {
    const Zone zone("explain");
    const CountersRequests& asked = whyRequests_.counters;
    if (asked.keep || asked.forget) why_.compareWith(asked.keep);
    const bool open = tab_ == SideTab::why && layout_.panels;
    const bool measuring = working() || versus_.racing();
    warn(why_.step({.state = state_,
                    .framebuffer = window_.framebuffer(),
                    .open = open && !whyChoice_.counters,
                    .map = !state_.pinned,
                    .resting = !measuring && !steering_.moving(frameBegan_),
                    .again = whyRequests_.measure,
                    .count = asked.count,
                    .follow = open && whyChoice_.follow && usesCuda(state_)}));
    whyRequests_ = {};
}

const CostMap* Viewer::map() const {
    return state_.pinned ? nullptr : why_.map(state_, window_.framebuffer());
}

/// Meanwhile the window shows what it has, and then a coarse picture first.
bool Viewer::hierarchyReady() {
    if (!walksBvh(state_.settings) && !(state_.pinned && walksBvh(state_.pinned->settings)))
        return true;
    const bool ready = hierarchy_.ready(
        state_.scene, 0, [this](const Bvh& built) { backends_.giveHierarchy(built); });
    if (!ready) steering_.noteMove(frameBegan_);
    return ready;
}

void Viewer::trace() {
    // The scene may have been its last.
    if (usesCuda(state_) && !backends_.has(Backend::cuda))
        warn(goOnWithoutCuda(backends_.noCuda()));
    if (paused_ || why_.timing() || climb_.elsewhere() || !hierarchyReady()) return;
    const Zone zone("trace");
    if (state_.pinned) warn(unpinImpossible(compared()));
    if (!state_.pinned && pinnedTracer_.holdsMemory()) unpin(compared());  // that went with a scene
    const bool moving = steering_.moving(frameBegan_);
    const bool onGpu = usesCuda(state_) && !window_.softwareGl();
    Settings& settings = state_.settings;
    const Display wanted = settings.display;
    std::string message;
    FrameStats stats;
    const double share = working() ? kPictureShare : 1;
    const double budgetMs = share * budget_.milliseconds(onGpu);
    budget_.beginTrace(now());
    try {
        const Tracer::Wish wish{.scene = state_.scene,
                                .camera = state_.camera,
                                .settings = settings,
                                .framebuffer = window_.framebuffer(),
                                .mostPixels = window_.softwareGl() ? kSoftwareGlPixels : 0,
                                .uploadSeconds = window_.softwareGl() ? kSoftwareGlSeconds : 0,
                                .moving = moving,
                                .budgetMs = budgetMs,
                                .now = frameBegan_};
        stats = state_.pinned ? traceSides(compared(), tracer_, wish, &message)
                              : tracer_.step(backends_, wish, &message);
        // Kernels that are measured have the GPU for themselves. Sides wait at the end of a turn.
        if ((lab_.running() || climb_.measuring()) && onGpu && !state_.pinned)
            stats += backends_.get(Backend::cuda).finish();
    } catch (const std::runtime_error& error) {
        message =
            usesCuda(state_) ? goOnWithoutCuda(error.what()) : goOnWithFewerThreads(error.what());
    }
    budget_.endTrace(now(), budgetMs);
    warn(message);
    if (settings.display != wanted) measured_.display = settings.display;
    const bool settled = !moving && kernel().ready;
    recordRate(stats.timedRays, stats.timedMs);
    rates_.add(stats, frameBegan_, budget_.lastFrameSeconds(), settled);
}

/// The system may refuse as many as were asked for. Throws what is being handled where they are
/// few.
std::string Viewer::goOnWithFewerThreads(const std::string& reason) {
    bool fewer = false;
    for (Settings* s : {&state_.settings, state_.pinned ? &state_.pinned->settings : nullptr}) {
        if (s != nullptr) fewer |= std::exchange(s->threads, 0) != 0;
    }
    if (!fewer) throw;
    return fmt::format("{}: going on with one for each core", reason);
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
    const Zone zone("present");
    const Size pixels = window_.framebuffer();
    const FilmView film = tracer_.view(frameBegan_);
    collectGlZones();
    drawPicture(film, pixels);
    {
        const GlZone gl("draw panels");
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    }
    takeScreenshots();
    budget_.beginSwap(now());
    {
        const Zone swapping("swap");
        window_.swap();
    }
    budget_.endSwap(now(), !window_.softwareGl());
}

void Viewer::drawPicture(const FilmView& film, Size pixels) {
    const GlZone gl("draw picture");
    if (state_.pinned) {
        presenter_.draw(pinnedTracer_.view(frameBegan_), film, state_.scene.display, state_.view,
                        *state_.pinned,
                        wipePixel(layout_, window_.size(), pixels, state_.pinned->wipe), pixels);
        savePictureAsSeen();  // more than one film
    } else if (const CostMap* map = this->map()) {
        presenter_.drawMap(mapTexture_.view(*map, why_.maps()), map->fullScale, pixels);
        savePictureAsSeen();
    } else {
        presenter_.draw(film, state_.scene.display, state_.view, pixels);
    }
}

/// Before the panels are drawn.
void Viewer::savePictureAsSeen() {
    for (const SaveTo to : {SaveTo::file, SaveTo::clipboard}) {
        bool& wanted = to == SaveTo::file ? requests_.screenshot : requests_.copyPicture;
        if (wanted) screenshots_.saveWindow(window_.framebuffer(), caption(), to);
        wanted = false;
    }
}

void Viewer::takeScreenshots() {
    const auto save = [&](SaveTo to) {
        screenshots_.savePicture(tracer_.read(), tracer_.size(), caption(), to);
    };
    if (requests_.screenshot) save(SaveTo::file);
    if (requests_.copyPicture) save(SaveTo::clipboard);
    if (requests_.windowScreenshot) {
        screenshots_.saveWindow(window_.framebuffer(), caption(), SaveTo::file);
    }
    requests_.screenshot = requests_.copyPicture = requests_.windowScreenshot = false;
    for (const Saved& saved : screenshots_.finished()) {
        if (const auto* problem = std::get_if<std::string>(&saved)) {
            warn(*problem);
            continue;
        }
        const std::string& path = std::get<SavedFile>(saved).path;
        if (path.empty()) {
            say("Copied the picture");
            continue;
        }
        lastScreenshot_ = path;
        say(fmt::format("Saved {}", lastScreenshot_));
    }
}

/// What was measured, for whoever reads a screenshot.
nlohmann::json Viewer::measurements() {
    const Renderer& renderer = backends_.get(state_.settings.backend);
    const DeviceInfo device = renderer.device();
    nlohmann::json json =
        describeMeasurements(device, kernel(), tracer_.film(), rates_, window_.glName());
    ConditionsWatch& watch = watches_.of(state_.settings.backend, device);
    watch.look();
    json["conditions"] = toJson(watch.summary());
    if (state_.pinned) json["versus"] = describeSides(*state_.pinned, versus_);
    return json;
}

Caption Viewer::caption() {
    return {state_, measurements(), lab_.history()};
}

void Viewer::writeStatus() {
    if (!status_.due(frameBegan_)) return;
    const Film& film = tracer_.film();
    const bool cuda = backends_.has(Backend::cuda);
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
                   .trace = lastTrace_,
                   .toast = toasts_.last,
                   .tab = tab_,
                   .doing = doing(),
                   .tour = tour_,
                   .climb = climb_,
                   .lab = lab_,
                   .versus = versus_,
                   .why = why_,
                   .timeline = timeline_,
                   .reader = reader_,
                   .code = code_,
                   .editor = editor_,
                   .pciBusId = cuda ? backends_.get(Backend::cuda).device().pciBusId : ""},
                  frameBegan_);
}

}  // namespace rayscope
