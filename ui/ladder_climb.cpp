#include "ui/ladder_climb.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"
#include "ui/laboratory.h"

namespace rayscope {

namespace {

std::string reasonFor(const Rung& rung, const Settings& settings, const Scene& scene,
                      const Backends& backends, const State& state) {
    std::string reason = meaningless(rung, settings);
    if (!reason.empty()) return reason;
    return scene.name == state.scene->name ? backends.unsupported(settings)
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
    if (!found) return found.reason();
    Shown shown{*std::move(found), {}, {}};
    Scenes scenes;
    for (const Rung& rung : shown.ladder.rungs) {
        auto scene = scenes.find(rung.scene);
        if (!scene) return scene.reason();
        shown.standings.push_back({*std::move(scene), {}, {}, {}});
    }
    shown_ = &(known_[name] = std::move(shown));
    return {};
}

std::string LadderClimb::reload(const std::string& name) {
    cancel();
    auto before = known_.extract(name);
    if (!before.empty() && shown_ == &before.mapped()) shown_ = nullptr;
    if (std::string problem = choose(name); !problem.empty() || before.empty()) return problem;
    const Shown& old = before.mapped();
    for (size_t i = 0; i < std::min(old.standings.size(), shown_->standings.size()); ++i) {
        if (old.ladder.rungs[i].name == ladder()->rungs[i].name)
            shown_->standings[i].result = old.standings[i].result;
    }
    return {};
}

std::optional<double> LadderClimb::speed(int rung) const {
    const Standing& standing = standings()[rung];
    if (!standing.measured()) return {};
    return speedOf(*ladder(), *standing.result);
}

std::string LadderClimb::figure(int rung) const {
    const Standing& standing = standings()[rung];
    if (!standing.measured()) return {};
    const Unit& unit = unitOf(*ladder(), ladder()->rungs[rung]);
    return fmt::format("{} {}", inUnit(standing.result->value.median, unit), unit.id);
}

std::string LadderClimb::spread(int rung) const {
    const Standing& standing = standings()[rung];
    if (!standing.measured()) return {};
    const Unit& unit = unitOf(*ladder(), ladder()->rungs[rung]);
    const Spread& value = standing.result->value;
    return fmt::format("half of its passes: {} to {} {}", inUnit(value.lower, unit),
                       inUnit(value.upper, unit), unit.id);
}

std::string LadderClimb::warning(int rung) const {
    const Standing& standing = standings()[rung];
    return standing.measured() ? standing.result->conditions.warning : std::string();
}

int LadderClimb::measuredBefore(int rung) const {
    const std::vector<Rung>& rungs = ladder()->rungs;
    int from = rungs[rung].from;
    while (from >= 0 &&
           !(standings()[from].measured() && rungs[from].measures == rungs[rung].measures))
        from = rungs[from].from;
    return from;
}

std::optional<double> LadderClimb::gain(int rung) const {
    const int from = measuredBefore(rung);
    if (from < 0 || !standings()[rung].measured()) return {};
    return *speed(rung) / *speed(from);
}

bool LadderClimb::matches(int rung, const State& state) const {
    return standings()[rung].reason.empty() && standings()[rung].scene->name == state.scene->name &&
           comparable(standings()[rung].settings) == comparable(state.settings);
}

void LadderClimb::look(const Backends& backends, const State& state) {
    if (!shown_) return;
    wish_.preferred = state.settings.backend;
    const int count = static_cast<int>(shown_->standings.size());
    for (int i = 0; i < count; ++i) {
        Standing& standing = shown_->standings[i];
        const Scene& scene = standing.scene;
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

/// A sentence where it cannot begin.
std::string LadderClimb::begin(std::optional<int> rung) {
    cancel();
    wish_.rung = rung;
    taken_ = 0;
    try {
        if (!machine_) machine_ = open_();
        run_ = std::make_unique<LadderRun>(shown_->ladder, *machine_, wish_);
    } catch (const std::runtime_error& error) {
        machine_.reset();
        return error.what();
    }
    return {};
}

void LadderClimb::start() {
    if (!shown_) return;
    problem_ = begin({});
    climbing_ = measuring();
    entered_ = offered_ = -1;
    for (Standing& standing : shown_->standings) {
        if (!standing.measured()) standing.result.reset();
    }
}

void LadderClimb::entered(int rung) {
    entered_ = current_ = rung;
    if (!climbing_) problem_ = begin(rung);
}

std::string LadderClimb::step(double budgetMs) {
    if (!run_) return std::exchange(problem_, {});
    bool ended = true;
    std::string message = climbing_ ? "The climb has ended" : "";
    try {
        ended = run_->step(budgetMs);
    } catch (const std::runtime_error& error) {
        message = fmt::format("The rung {} is given up ({})", run_->label(), error.what());
        reopen();
        return message;
    }
    for (; taken_ < run_->results().size(); ++taken_) take(run_->results()[taken_]);
    if (!ended) return {};
    keepReport();
    cancel();
    if (!machine_->noCuda.empty()) machine_.reset();  // CUDA may have failed in it
    return message;
}

/// While the devices are known.
void LadderClimb::keepReport() {
    std::vector<RungResult> results;
    for (const Standing& standing : shown_->standings) {
        if (standing.result) results.push_back(*standing.result);
    }
    shown_->report = reportOf(shown_->ladder, *machine_, wish_, results);
    shown_->report["command"] = "rayscope ladder " + shown_->ladder.name;
}

void LadderClimb::cancel() {
    climbing_ = false;
    run_.reset();
}

void LadderClimb::reopen() {
    cancel();
    machine_.reset();
}

std::optional<int> LadderClimb::next() {
    if (!climbing_) return {};
    if (entered_ >= 0 && current_ != entered_) {
        cancel();
        return {};
    }
    if (target() == offered_) return {};
    offered_ = target();
    if (!standings()[offered_].reason.empty()) return {};
    return offered_;
}

}  // namespace rayscope
