#include "ui/ladder_climb.h"

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

/// Of kernel time, for the rate of a rung.
constexpr double kEnoughMs = 1000;
/// After this long less will do, and where nothing came at all the rung is given up: the slowest
/// kernels take a quarter of that to compile.
constexpr double kLongSeconds = 10, kLongestSeconds = 60;
constexpr double kLeastMs = 100;

/// What the window decides for itself is no part of a rung.
Settings comparable(const Settings& settings) {
    Settings result = canonical(settings);
    result.display = Display::host;
    result.seed = 1;
    return result;
}

std::string reasonFor(const Rung& rung, const Settings& settings, const Scene& scene,
                      const Backends& backends, const State& state) {
    std::string reason = meaningless(rung, settings);
    if (!reason.empty()) return reason;
    return scene.name == state.scene.name ? backends.unsupported(settings)
                                          : backends.unsupported(settings, scene);
}

}  // namespace

std::string LadderClimb::choose(const std::string& name) {
    cancel();
    entered_ = current_ = -1;
    if (const auto known = known_.find(name); known != known_.end()) {
        shown_ = &known->second;
        return {};
    }
    auto found = findLadder(name);
    if (const auto* reason = std::get_if<std::string>(&found)) return *reason;
    Shown shown{std::get<Ladder>(std::move(found)), {}, {}};
    for (const Rung& rung : shown.ladder.rungs) {
        if (shown.scenes.contains(rung.scene)) continue;
        auto scene = findScene(rung.scene);
        if (const auto* reason = std::get_if<std::string>(&scene)) return *reason;
        shown.scenes[rung.scene] = std::get<Scene>(std::move(scene));
    }
    shown.standings.resize(shown.ladder.rungs.size());
    shown_ = &(known_[name] = std::move(shown));
    return {};
}

int LadderClimb::measuredBefore(int rung) const {
    int from = ladder()->rungs[rung].from;
    while (from >= 0 && !standings()[from].rate) from = ladder()->rungs[from].from;
    return from;
}

bool LadderClimb::matches(int rung, const State& state) const {
    return standings()[rung].reason.empty() && sceneOf(rung).name == state.scene.name &&
           comparable(standings()[rung].settings) == comparable(state.settings);
}

void LadderClimb::look(const Backends& backends, const State& state) {
    if (!shown_) return;
    const int count = static_cast<int>(shown_->standings.size());
    for (int i = 0; i < count; ++i) {
        Standing& standing = shown_->standings[i];
        const Scene& scene = sceneOf(i);
        Settings& s = standing.settings;
        s = settingsOf(shown_->ladder, i, scene, state.settings.backend);
        s.seed = state.settings.seed;
        if (s.backend == state.settings.backend) s.display = state.settings.display;
        if (s.display == Display::interop && !backends.unsupported(s).empty())
            s.display = Display::copy;
        standing.reason = reasonFor(shown_->ladder.rungs[i], s, scene, backends, state);
    }
    current_ = entered_ >= 0 && matches(entered_, state) ? entered_ : -1;
    for (int i = 0; i < count && current_ < 0; ++i) {
        if (matches(i, state)) current_ = i;
    }
}

void LadderClimb::note(const FrameStats& settled) {
    settledMs_ = settled.timedMs;
    if (current_ < 0) return;
    const bool enough =
        settledMs_ >= kEnoughMs || (dwelt_ > kLongSeconds && settledMs_ >= kLeastMs);
    if (!enough) return;
    Standing& standing = shown_->standings[current_];
    standing.rate = 1e3 * static_cast<double>(settled.timedRays) / settled.timedMs;
    standing.skipped.clear();
    measured_ = true;
}

void LadderClimb::start() {
    climbing_ = shown_ != nullptr;
    target_ = entered_ = -1;
    for (Standing& standing : shown_->standings) standing.skipped.clear();
}

std::optional<int> LadderClimb::next(double seconds, const std::string& problem) {
    if (!climbing_) return {};
    dwelt_ += seconds;
    if (target_ >= 0 && entered_ == target_) {
        if (current_ != target_) {
            cancel();
            return {};
        }
        if (!problem.empty())
            skip(target_, problem);
        else if (!measured_ && dwelt_ > kLongestSeconds)
            skip(target_, "nothing was measured in a minute");
        else if (!measured_)
            return {};
    }
    if (++target_ < static_cast<int>(shown_->standings.size())) return target_;
    cancel();
    return {};
}

void LadderClimb::entered(int rung) {
    entered_ = current_ = rung;
    measured_ = false;
    dwelt_ = 0;
}

void LadderClimb::skip(int rung, const std::string& reason) {
    shown_->standings[rung].skipped = reason;
    shown_->standings[rung].rate.reset();
}

}  // namespace rayscope
