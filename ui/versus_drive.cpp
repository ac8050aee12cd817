#include "ui/versus_drive.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "renderer/choices/axes.h"
#include "ui/versus_films.h"

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

/// A keeps what the user has arranged.
void pin(const Compared& window) {
    State& state = window.state;
    if (!state.pinned) state.pinned.emplace();
    state.pinned->settings = state.settings;
    window.versus.reset(window.backends);
    window.tracer.restart();
}

}  // namespace

bool usesCuda(const State& state) {
    return state.settings.backend == Backend::cuda ||
           (state.pinned && state.pinned->settings.backend == Backend::cuda);
}

void unpin(const Compared& window) {
    window.versus.reset(window.backends);
    window.state.pinned.reset();
    window.tracer.restart();  // so that nothing is carried over
    window.tracer.forget();
}

std::string unpinImpossible(const Compared& window) {
    if (!window.state.pinned) {
        unpin(window);
        return {};
    }
    Settings& settings = window.state.pinned->settings;
    if (settings.display == Display::interop && !window.backends.unsupported(settings).empty())
        settings.display = Display::copy;
    const std::string reason = window.backends.unsupported(settings);
    if (reason.empty()) return {};
    unpin(window);
    return fmt::format("A is no longer pinned: {}", reason);
}

void takeAlong(std::optional<Pinned>& pinned, const Scene& before, const Scene& after,
               std::string* reason) {
    if (!pinned) return;
    std::string problem;
    pinned->settings = forScene(pinned->settings, before, after, &problem);
    if (problem.empty()) return;
    pinned.reset();
    *reason = fmt::format("A is no longer pinned: {}", problem);
}

FrameStats traceSides(const Compared& window, Tracer& tracerOfB, const Tracer::Wish& ofB,
                      std::string* message) {
    Settings& pinned = window.state.pinned->settings;
    const Tracer::Wish ofA{.scene = ofB.scene,
                           .camera = ofB.camera,
                           .settings = pinned,
                           .framebuffer = ofB.framebuffer,
                           .mostPixels = ofB.mostPixels,
                           .uploadSeconds = ofB.uploadSeconds,
                           .moving = ofB.moving,
                           .budgetMs = ofB.budgetMs,
                           .now = ofB.now};
    VersusFilms films(window.backends, window.tracer, ofA, tracerOfB, ofB);
    const FrameStats stats = window.versus.frame(window.backends, films,
                                                 {pinned, ofB.settings, ofB.moving, ofB.budgetMs});
    *message = films.message();
    return stats;
}

std::string carryOutVersusRequests(Requests& requests, const Compared& window) {
    State& state = window.state;
    const VersusRequests asked = std::exchange(requests.versus, {});
    if (asked.unpin && state.pinned) {
        unpin(window);
        return "A is no longer pinned";
    }
    if (asked.pin) {
        pin(window);
        return "Pinned as A: what you change from now on is B";
    }
    if (!state.pinned) return {};
    if (asked.swap) {
        std::swap(state.pinned->settings, state.settings);
        window.versus.reset(window.backends);
        window.tracer.restart();
    }
    if (asked.nextShowing) state.pinned->showing = after(state.pinned->showing);
    if (asked.race) window.versus.startRace();
    if (asked.stopRace) window.versus.stopRace();
    return {};
}

}  // namespace rayscope
