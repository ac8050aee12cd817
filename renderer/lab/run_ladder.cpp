#include "renderer/lab/run_ladder.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/child_run.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

/// All variants estimate the same picture: a brightness that is further off is other work, unless
/// that is noise: four standard errors, which are themselves estimated from few passes.
constexpr double kSameBrightness = .005, kStandardErrors = 4;

const char* nameOf(Backend backend) {
    return backend == Backend::cpu ? "cpu" : "cuda";
}

Spread scaledBy(double factor, const Spread& s) {
    return {factor * s.median, factor * s.lower, factor * s.upper};
}

/// Runs one ladder.
class Climber {
public:
    Climber(const Ladder& ladder, Machine& machine, const ClimbWish& wish, const Climbing& goOn)
        : ladder_(ladder), machine_(machine), wish_(wish), goOn_(goOn) {}

    RungResult run(int rung);

private:
    std::string choose(const Rung& rung, const Scene& scene, RungResult& result);
    std::variant<Measurement, std::string> measureRung(const Rung& rung, const Scene& scene,
                                                       RungResult& result);
    void attempt(const Rung& rung, const Scene& scene, RungResult& result);
    void evaluate(const Rung& rung, RungResult& result) const;
    int width() const { return wish_.width > 0 ? wish_.width : ladder_.width; }
    int height() const { return wish_.height > 0 ? wish_.height : ladder_.height; }

    const Ladder& ladder_;
    Machine& machine_;
    const ClimbWish& wish_;
    const Climbing& goOn_;
    std::map<Backend, std::string> sceneOf_;  ///< that the renderers have
    Watches watches_;
};

/// The reason why the rung is not measured here, or an empty string.
std::string Climber::choose(const Rung& rung, const Scene& scene, RungResult& result) {
    result.settings = settingsOf(ladder_, result.rung, scene, wish_.preferred);
    const Backend backend = result.settings.backend;
    if (wish_.only && *wish_.only != backend)
        return fmt::format("left out by --backend {}", nameOf(*wish_.only));
    std::string reason = meaningless(rung, result.settings);
    if (!reason.empty()) return reason;
    if (rung.clock == ClockKind::total && result.settings.context != Context::inside)
        return "clock=total: it needs context=inside, which only the cuda backend has";
    Renderer* renderer = machine_.of(backend);
    if (renderer == nullptr) return machine_.noCuda;
    if (sceneOf_[backend] != rung.scene) renderer->setScene(scene);
    sceneOf_[backend] = rung.scene;
    return renderer->unsupported(result.settings);
}

std::variant<Measurement, std::string> Climber::measureRung(const Rung& rung, const Scene& scene,
                                                            RungResult& result) {
    MeasureWish wish;
    wish.settings = result.settings;
    wish.camera = scene.camera;
    wish.width = width();
    wish.height = height();
    wish.spp = rung.spp;
    wish.whole = rung.measures == Measures::time;
    wish.presents = rung.clock == ClockKind::present;
    wish.seconds = wish_.seconds;
    const Backend backend = result.settings.backend;
    ConditionsWatch& watch = watches_.of(backend, machine_.of(backend)->device());
    const Progressing goOn = [&](double share) {
        if (share > 0) watch.look();  // before that, kernels are compiled and clocks rise
        return !goOn_ || goOn_(result.rung, share);
    };
    auto measured = rung.clock == ClockKind::total
                        ? measureInChild(wish_.program, rung.scene, wish, goOn)
                        : measure(*machine_.of(backend), wish, goOn);
    result.conditions = watch.summary();
    return measured;
}

void Climber::evaluate(const Rung& rung, RungResult& result) const {
    const Measurement& m = result.measured;
    const bool kernel = rung.clock == ClockKind::kernel;
    const Spread& ms = kernel ? m.kernelPassMs : m.loopPassMs;
    switch (rung.measures) {
        case Measures::rate:
            result.value = kernel ? m.kernelRate : m.loopRate;
            break;
        case Measures::time: {
            const double pixels = static_cast<double>(ladder_.width) * ladder_.height;
            const double measured = static_cast<double>(width()) * height();
            result.value = scaledBy(1e-3 * pixels / measured * ladder_.spp / m.passSamples, ms);
            result.scaled = m.passSamples != ladder_.spp || measured != pixels;
            break;
        }
        case Measures::gap: {
            const double launches = static_cast<double>(m.passSamples) / result.settings.samples;
            const double gap = (m.loopPassMs.median - m.kernelPassMs.median) / launches;
            const double half = (m.loopPassMs.upper - m.loopPassMs.lower) / launches / 2;
            result.value = scaledBy(1e-3, {gap, gap - half, gap + half});
            break;
        }
    }
}

RungResult Climber::run(int index) {
    const Zone zone("rung");
    const Rung& rung = ladder_.rungs[index];
    RungResult result;
    result.rung = index;
    auto found = findScene(rung.scene);
    if (const auto* reason = std::get_if<std::string>(&found)) {
        result.problem = *reason;
        return result;
    }
    try {
        attempt(rung, std::get<Scene>(found), result);
    } catch (const std::runtime_error& error) {
        if (result.settings.backend == Backend::cpu) throw;
        // An error of the device stays with its context: later rungs would fail as well.
        machine_.cuda.reset();
        machine_.noCuda = fmt::format("CUDA has failed in \"{}\": {}", rung.name, error.what());
        result.problem = machine_.noCuda;
    }
    return result;
}

void Climber::attempt(const Rung& rung, const Scene& scene, RungResult& result) {
    result.problem = choose(rung, scene, result);
    if (!result.problem.empty()) return;
    auto measured = measureRung(rung, scene, result);
    if (const auto* reason = std::get_if<std::string>(&measured)) {
        result.problem = *reason;
        return;
    }
    result.measured = std::get<Measurement>(std::move(measured));
    evaluate(rung, result);
}

/// Higher is faster.
double speedOf(const Rung& rung, const RungResult& result) {
    const double value = result.value.median;
    return rung.measures == Measures::rate ? value : value > 0 ? 1 / value : 0;
}

}  // namespace

bool RungComparison::differs() const {
    const double noise = std::max(kSameBrightness, kStandardErrors * brightnessError);
    return brightness && !(std::fabs(*brightness - 1) <= noise);
}

RungComparison comparisonOf(const Ladder& ladder, const std::vector<RungResult>& results,
                            size_t i) {
    RungComparison comparison;
    const RungResult& mine = results[i];
    if (!mine.problem.empty()) return comparison;
    const Rung& rung = ladder.rungs[mine.rung];
    const auto comparable = [&](const RungResult& other) {
        return other.problem.empty() &&
               (ladder.compare == Compare::first || ladder.rungs[other.rung].scene == rung.scene);
    };
    const auto ratio = [&](const RungResult& other) -> std::optional<double> {
        const Rung& theirs = ladder.rungs[other.rung];
        const double speed = speedOf(theirs, other);
        if (!comparable(other) || theirs.measures != rung.measures || !(speed > 0)) return {};
        return speedOf(rung, mine) / speed;
    };
    // The nearest on the way here that was measured.
    for (int from = rung.from; from >= 0 && !comparison.before; from = ladder.rungs[from].from) {
        for (const RungResult& other : results) {
            if (other.rung == from) comparison.before = ratio(other);
        }
    }
    for (const RungResult& other : results) {
        if (!comparison.first) comparison.first = ratio(other);
        if (comparison.brightness || !comparable(other)) continue;
        const double here = brightness(mine.measured), there = brightness(other.measured);
        if (!(there > 0 && here > 0)) continue;
        comparison.brightness = here / there;
        if (&other == &mine) continue;
        comparison.brightnessError = here / there *
                                     std::hypot(mine.measured.brightnessError / here,
                                                other.measured.brightnessError / there);
    }
    return comparison;
}

bool runLadder(const Ladder& ladder, Machine& machine, const ClimbWish& wish, const Climbing& goOn,
               const std::function<void(const RungResult&)>& done) {
    Climber climber(ladder, machine, wish, goOn);
    for (int i = 0; i < static_cast<int>(ladder.rungs.size()); ++i) {
        if (goOn && !goOn(i, 0)) return false;
        const RungResult result = climber.run(i);
        if (result.problem == kInterrupted) return false;
        done(result);
    }
    return true;
}

}  // namespace rayscope
