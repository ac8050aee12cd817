#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "renderer/choices/axes.h"
#include "ui/versus_panel.h"

// What the A | B tab does and draws over the pictures; versus_panel.cpp draws the panel.

namespace rayscope {

namespace {

/// The films of two tracers for one frame: of the same camera and size, whatever each of them would
/// choose alone.
class VersusFilms : public SideFilms {
public:
    VersusFilms(Backends& backends, Tracer& a, const Tracer::Wish& wishA, Tracer& b,
                const Tracer::Wish& wishB, std::string* message)
        : backends_(backends), sides_{{{a, wishA}, {b, wishB}}}, message_(message) {}

    bool align() override {
        double divisor = 1;
        for (Pair& side : sides_) {
            if (!side.tracer.prepare(backends_, side.wish, message_)) return false;
            divisor = std::max(divisor, side.tracer.divisorFor(side.wish));
        }
        const auto all = [&](auto holds) { return std::ranges::all_of(sides_, holds); };
        const bool same =
            all([&](const Pair& side) { return side.tracer.shows(side.wish.camera, divisor); });
        const bool mayEnd = all([](const Pair& side) { return side.tracer.mayEnd(side.wish); });
        const bool fresh = all([](const Pair& side) { return !side.tracer.stale(); });
        const bool together = !same && (mayEnd || !fresh);
        for (Pair& side : sides_) {
            if (together || side.tracer.stale()) side.tracer.beginFilm(side.wish, divisor);
        }
        return true;
    }
    FrameStats trace(Side side, double budgetMs) override {
        Pair& pair = sides_[static_cast<size_t>(side)];
        pair.wish.budgetMs = budgetMs;
        return pair.tracer.advance(pair.wish);
    }
    void restart(Side side) override { at(side).restart(); }
    const Film& film(Side side) const override { return at(side).film(); }
    FrameStats finish(Side side) override { return at(side).finish(); }
    KernelInfo kernel(Side side) const override { return at(side).kernel(); }
    long number(Side side) const override { return at(side).films(); }
    std::vector<Pixel> fetch(Side side) override { return at(side).samplePixels(); }

private:
    struct Pair {
        Tracer& tracer;
        Tracer::Wish wish;
    };
    Tracer& at(Side side) const { return sides_[static_cast<size_t>(side)].tracer; }

    Backends& backends_;
    std::array<Pair, 2> sides_;
    std::string* message_;
};

nlohmann::json describeSide(const SideRecord& side) {
    return {{"samples", side.samples()},
            {"kernel_ms", side.stats.kernelMs},
            {"rays_per_second", side.raysPerSecond().value_or(0)},
            {"error", side.error().value_or(0)},
            {"own_kernel", !side.foreign}};
}

constexpr float kReach = 8;  ///< of the line, to both sides of it
constexpr float kHandle = 15, kArrow = 4.5f;
constexpr float kSideGap = 8;

/// Says so where the picture is not by the side's own kernel.
std::string labelOf(const Versus& versus, Side side) {
    const char* name = side == Side::a ? "A" : "B";
    const SideRecord& record = versus.record(side);
    if (!record.foreign) return name;
    return fmt::format("{}: {}, another kernel goes on", name,
                       record.kernel.compileLog.empty() ? "compiling" : "does not compile");
}

void drawHandle(const Theme& theme, ImVec2 middle, bool lit) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const float radius = theme.units(kHandle), arrow = theme.units(kArrow);
    list.AddCircleFilled(middle, radius, packed(colors::panel));
    list.AddCircle(middle, radius, packed(lit ? colors::accent : colors::text), 0,
                   theme.units(1.6f));
    for (float side : {-1.f, 1.f}) {
        const float x = middle.x + side * arrow;
        list.AddTriangleFilled({x, middle.y - arrow}, {x, middle.y + arrow},
                               {x + side * arrow * 1.3f, middle.y},
                               packed(lit ? colors::accent : colors::text));
    }
}

/// A window of its own, so that the mouse over it belongs to it and not to the camera. It lies
/// behind the panels.
void dragLine(const Ui& ui, Size window, Pinned& pinned) {
    const float reach = ui.theme.units(kReach);
    const float x = wipePlace(ui.layout, window, pinned.wipe);
    const float bottom = ui.layout.strip ? ui.layout.status.y : static_cast<float>(window.height);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    beginPane("Wipe", {x - reach, 0, 2 * reach, bottom},
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground |
                  ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::InvisibleButton("line", {2 * reach, bottom});
    const bool active = ImGui::IsItemActive(), lit = active || ImGui::IsItemHovered();
    if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (active) pinned.wipe = std::clamp(ImGui::GetIO().MousePos.x / window.width, 0.f, 1.f);
    ImGui::End();
    ImGui::PopStyleVar(2);
    const float now = wipePlace(ui.layout, window, pinned.wipe);
    const float radius = ui.theme.units(kHandle), middle = bottom / 2;
    drawHandle(ui.theme, {now, middle}, lit);
    ui.drawn["wipe"] = {{now - radius, middle - radius, 2 * radius, 2 * radius}};
}

/// The colours of the difference, and what their ends mean.
void drawLegend(const Ui& ui, const Pinned& pinned, double noise) {
    const State& state = ui.frame.state;
    const std::string full =
        fmt::format("{:.3g}", fullScaleOf(pinned, state.scene->display, state.view, noise));
    const std::string low = pinned.withSign ? "A brighter by " + full : "|A - B|   0";
    const std::string high = pinned.withSign ? "B by " + full : full;
    drawRampLegend(ui, "legend.difference", low, high, pinned.withSign ? kSigned : kMagnitude);
}

}  // namespace

void takeAlong(std::optional<Pinned>& pinned, const Scene& before, const Scene& after,
               std::string* reason) {
    if (!pinned) return;
    std::string problem;
    pinned->settings = forScene(pinned->settings, before, after, &problem);
    if (problem.empty()) return;
    pinned.reset();
    *reason = fmt::format("A is no longer pinned: {}", problem);
}

void adoptWithPinned(State next, Frame& frame) {
    std::string unpinned;
    takeAlong(next.pinned, frame.state.scene, next.scene, &unpinned);
    frame.host.adopt(std::move(next));
    frame.warn(unpinned);
}

/// What the user has arranged stays.
void VersusTab::pin(Frame& frame) {
    State& state = frame.state;
    if (!state.pinned) state.pinned.emplace();
    state.pinned->settings = state.settings;
    versus_.reset();
    tracer_.restart();
    frame.say("Pinned as A: what you change from now on is B");
}

void VersusTab::unpin(Frame& frame) {
    if (!frame.state.pinned) return;
    end(frame);
    frame.say("A is no longer pinned");
}

void VersusTab::swap(Frame& frame) {
    State& state = frame.state;
    if (!state.pinned) return;
    std::swap(state.pinned->settings, state.settings);
    versus_.reset();
    tracer_.restart();
}

void VersusTab::showNext(Frame& frame) {
    auto& pinned = frame.state.pinned;
    if (pinned) pinned->showing = Showing((static_cast<int>(pinned->showing) + 1) % 4);
}

void VersusTab::race(Frame& frame) {
    frame.paused = false;
    if (frame.state.pinned) versus_.startRace();
}

void VersusTab::prepare(Frame& frame) {
    if (frame.state.pinned) frame.warn(unpinImpossible(frame));
    if (!frame.state.pinned && tracer_.holdsMemory()) end(frame);  // that went with a scene
}

/// Frees A's film.
void VersusTab::end(Frame& frame) {
    versus_.reset();
    frame.state.pinned.reset();
    tracer_.restart();  // so that nothing is carried over
    tracer_.forget();
}

std::string VersusTab::unpinImpossible(Frame& frame) {
    if (!frame.state.pinned) {
        end(frame);
        return {};
    }
    Settings& settings = frame.state.pinned->settings;
    if (settings.display == Display::interop && !frame.backends.unsupported(settings).empty())
        settings.display = Display::copy;
    const std::string reason = frame.backends.unsupported(settings);
    if (reason.empty()) return {};
    end(frame);
    return fmt::format("A is no longer pinned: {}", reason);
}

std::string VersusTab::forget(Frame& frame) {
    versus_.reset();
    return unpinImpossible(frame);
}

void VersusTab::restart(Frame& frame) {
    frame.warn(forget(frame));
    tracer_.restart();
}

FrameStats VersusTab::trace(Frame& frame, const Tracer::Wish& ofB, std::string* message) {
    Settings& pinned = frame.state.pinned->settings;
    Tracer::Wish ofA = ofB;
    ofA.settings = &pinned;
    VersusFilms films(frame.backends, tracer_, ofA, frame.tracer, ofB, message);
    return versus_.frame(films, {pinned, *ofB.settings, ofB.moving, ofB.budgetMs});
}

/// What differences are shown in: until the noise is known, an eighth of what is shown as white, so
/// that it does not look like a difference.
double VersusTab::shownNoise(const State& state) const {
    const double white =
        std::exp2(-state.view.exposure) / std::max(state.scene->display.exposure, 1e-9);
    return noise().value_or(white / 8);
}

void VersusTab::present(const Frame& frame, Presenter& presenter, const Layout& layout) {
    const Pinned& pinned = *frame.state.pinned;
    presenter.draw(tracer_.view(frame.now), frame.tracer.view(frame.now),
                   frame.state.scene->display, frame.state.view, pinned,
                   wipePixel(layout, frame.window, frame.framebuffer, pinned.wipe),
                   frame.framebuffer, shownNoise(frame.state));
}

void VersusTab::key(const KeyPress& press, Frame& frame) {
    if (press.key == Key::pin) frame.state.pinned ? unpin(frame) : pin(frame);
    if (press.key == Key::showing) showNext(frame);
    if (press.key == Key::restart) tracer_.restart();
    if (press.key == Key::escape) stopRace();
}

nlohmann::json VersusTab::sides(const Pinned& pinned) const {
    const SideRecord &a = versus_.record(Side::a), &b = versus_.record(Side::b);
    const std::optional<Lead> lead = leadOf(a, b);
    return {{"settings", toJson(pinned.settings)},
            {"showing", nameOf(pinned.showing)},
            {"wipe", pinned.wipe},
            {"gain", pinned.gain},
            {"noise", noise().value_or(0)},
            {"with_sign", pinned.withSign},
            {"racing", versus_.racing()},
            {"lead", lead ? lead->ratio : 0},
            {"lead_spread", lead ? lead->spread : 0},
            {"a", describeSide(a)},
            {"b", describeSide(b)}};
}

void VersusTab::describe(const Frame& frame, nlohmann::json& status) const {
    const auto& pinned = frame.state.pinned;
    status["pinned"] = pinned ? sides(*pinned) : nlohmann::json();
}

float wipePlace(const Layout& layout, Size window, double wipe) {
    const Rect& free = layout.free;
    const float x = static_cast<float>(wipe * window.width);
    const float place = std::round(std::clamp(x, free.x, free.x + free.width));
    return std::min(place, static_cast<float>(window.width));  // narrower than its margins
}

int wipePixel(const Layout& layout, Size window, Size framebuffer, double wipe) {
    const double ratio = static_cast<double>(framebuffer.width) / window.width;
    return static_cast<int>(std::lround(wipePlace(layout, window, wipe) * ratio));
}

void VersusTab::draw(const Ui& ui) {
    if (!ui.frame.state.pinned) return;
    Pinned& pinned = *ui.frame.state.pinned;
    const Rect& free = ui.layout.free;
    const float middle = free.x + free.width / 2, gap = ui.theme.units(kSideGap);
    if (pinned.showing == Showing::split) {
        dragLine(ui, ui.frame.window, pinned);
        const float x = wipePlace(ui.layout, ui.frame.window, pinned.wipe);
        drawLabel(ui, labelOf(versus_, Side::a), x - gap, 1);
        drawLabel(ui, labelOf(versus_, Side::b), x + gap, 0);
    } else if (pinned.showing == Showing::difference) {
        drawLegend(ui, pinned, shownNoise(ui.frame.state));
    } else {
        const Side side = pinned.showing == Showing::a ? Side::a : Side::b;
        drawLabel(ui, labelOf(versus_, side), middle, .5f);
    }
}

}  // namespace rayscope
