#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "renderer/choices/axes.h"
#include "ui/versus_films.h"
#include "ui/versus_panel.h"

// What the A | B tab does; versus_panel.cpp draws it, wipe.cpp what lies over the pictures.

namespace rayscope {

namespace {

Showing after(Showing showing) {
    switch (showing) {
        case Showing::split:
            return Showing::difference;
        case Showing::difference:
            return Showing::a;
        case Showing::a:
            return Showing::b;
        case Showing::b:
            break;
    }
    return Showing::split;
}

nlohmann::json describeSide(const SideRecord& side) {
    return {{"samples", side.samples()},
            {"kernel_ms", side.stats.kernelMs},
            {"rays_per_second", side.raysPerSecond().value_or(0)},
            {"error", side.error().value_or(0)},
            {"own_kernel", !side.foreign}};
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
    if (pinned) pinned->showing = after(pinned->showing);
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

void VersusTab::adopted(Frame& frame, const State&) {
    restart(frame);
}

FrameStats VersusTab::trace(Frame& frame, const Tracer::Wish& ofB, std::string* message) {
    Settings& pinned = frame.state.pinned->settings;
    const Tracer::Wish ofA{.scene = ofB.scene,
                           .camera = ofB.camera,
                           .settings = pinned,
                           .framebuffer = ofB.framebuffer,
                           .mostPixels = ofB.mostPixels,
                           .uploadSeconds = ofB.uploadSeconds,
                           .moving = ofB.moving,
                           .budgetMs = ofB.budgetMs,
                           .now = ofB.now};
    VersusFilms films(frame.backends, tracer_, ofA, frame.tracer, ofB);
    const FrameStats stats = versus_.frame(films, {pinned, ofB.settings, ofB.moving, ofB.budgetMs});
    *message = films.message();
    return stats;
}

void VersusTab::present(const Frame& frame, Presenter& presenter, const Layout& layout) {
    const Pinned& pinned = *frame.state.pinned;
    presenter.draw(tracer_.view(frame.now), frame.tracer.view(frame.now),
                   frame.state.scene->display, frame.state.view, pinned,
                   wipePixel(layout, frame.window, frame.framebuffer, pinned.wipe),
                   frame.framebuffer);
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

}  // namespace rayscope
