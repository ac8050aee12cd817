#include "renderer/lab/benchmark.h"

#include <fmt/ranges.h>

#include <cmath>
#include <map>

#include "renderer/base/text.h"
#include "renderer/base/version.h"
#include "renderer/lab/report.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

/// "28.4", "9.15": three digits are what machines differ by.
std::string threeDigits(double value) {
    return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

size_t sceneWidth(const Ladder& benchmark) {
    return widthOf(5, benchmark.rungs, &Rung::scene);
}

}  // namespace

Result<Ladder> findBenchmark(Backend backend) {
    const auto assets = findAssets();
    if (!assets) return assets.failure();
    const char* file = backend == Backend::cpu ? "cpu.json" : "cuda.json";
    return findLadder((*assets / "benchmark" / file).string());
}

Result<BenchmarkScore> scoreOf(const Ladder& benchmark, const std::vector<RungResult>& results) {
    for (size_t i = 0; i < results.size(); ++i) {
        const std::string& name = benchmark.rungs[results[i].rung].name;
        if (!results[i].problem.empty() && !results[i].impossible)
            return Failure{fmt::format("no score: {}: {}", name, results[i].problem)};
        if (comparisonOf(benchmark, results, i).differs())
            return Failure{
                fmt::format("no score: the picture of {} is not that of the defaults", name)};
    }
    if (results.size() != benchmark.rungs.size()) {
        return Failure{fmt::format("no score: {} of {} rows were measured", results.size(),
                                   benchmark.rungs.size())};
    }
    struct Entry {
        const RungResult *first = nullptr, *last = nullptr;
    };
    std::map<std::string_view, Entry> scenes;
    for (const RungResult& r : results) {
        if (r.impossible) continue;
        Entry& entry = scenes[benchmark.rungs[r.rung].scene];
        if (entry.first == nullptr) entry.first = &r;
        entry.last = &r;
    }
    for (const RungResult& r : results) {
        const Rung& rung = benchmark.rungs[r.rung];
        if (!scenes.contains(rung.scene))
            return Failure{fmt::format("no score: {}: {}", rung.name, r.problem)};
    }
    BenchmarkScore score;
    double best = 0, defaults = 0;  // sums of logarithms
    for (const auto& [scene, entry] : scenes) {
        defaults += std::log(entry.first->value.median);
        best += std::log(entry.last->value.median);
        score.device = entry.first->measured.device;
        score.throttled |=
            entry.first->conditions.throttled() || entry.last->conditions.throttled();
    }
    score.scenes = static_cast<int>(scenes.size());
    score.best = std::exp(best / score.scenes);
    score.defaults = std::exp(defaults / score.scenes);
    return score;
}

std::string shareLine(const Ladder& benchmark, const ClimbWish& wish, const BenchmarkScore& score) {
    const bool giga = score.best >= 1e9;
    const double scale = giga ? 1e9 : 1e6;
    const int width = wish.widthFor(benchmark), height = wish.heightFor(benchmark);
    const bool own = width == benchmark.width && height == benchmark.height;
    return fmt::format(
        "Rayscope {} bench: {}{}{}: score {} {} rays/s (geometric mean of {} scenes{}, best "
        "settings), defaults {}{}",
        kVersion, score.device.name, score.device.driver.empty() ? "" : ", driver ",
        score.device.driver, threeDigits(score.best / scale), giga ? "G" : "M", score.scenes,
        own ? "" : fmt::format(" at {}x{}", width, height), threeDigits(score.defaults / scale),
        score.throttled ? ", throttled" : "");
}

std::string benchmarkHead(const Ladder& benchmark, const DeviceInfo& device,
                          const ClimbWish& wish) {
    return fmt::format(
        "{}\n{}x{}, {} s a row, time of the kernels\n{}  ({})\n\n{} {:>10} {:>7} {:>10} {:>8} "
        "{:>8}  settings\n",
        benchmark.title, wish.widthFor(benchmark), wish.heightFor(benchmark), wish.seconds,
        device.name, device.detail, padded("scene", sceneWidth(benchmark)), "M rays/s", "±",
        "x defaults", "rays/spl", "bright");
}

std::string benchmarkRow(const Ladder& benchmark, const std::vector<RungResult>& results,
                         size_t i) {
    const RungResult& r = results[i];
    const Rung& rung = benchmark.rungs[r.rung];
    const std::string scene = padded(rung.scene, sceneWidth(benchmark));
    if (!r.problem.empty()) return fmt::format("{} {:>10}  {}\n", scene, "\u2014", r.problem);
    const RungComparison c = comparisonOf(benchmark, results, i);
    const double rate = r.value.median / 1e6;
    const double spread = 50 * (r.value.upper - r.value.lower) / r.value.median;
    return fmt::format(
        "{} {:>10} {:>7} {:>10} {:>8.3f} {:>8}  {}\n", scene,
        fmt::format("{:.{}f}", rate, rate < 1000 ? 2 : 0), fmt::format("{:.1f} %", spread),
        c.first ? fmt::format("{:.2f}", *c.first) : "", r.measured.raysPerSample,
        fmt::format("{:.4f}{}", brightness(r.measured), c.differs() ? "!" : " "),
        rung.changes.empty() ? "defaults"
                             : fmt::format("{}", fmt::join(wordsOf(rung.changes), " ")));
}

/// Of several devices, how well they share the work.
static std::string efficiencyLine(const std::vector<RungResult>& results) {
    double least = INFINITY, most = 0;
    for (const RungResult& r : results) {
        if (!r.problem.empty() || r.measured.group.devices.empty()) continue;
        least = std::min(least, r.measured.group.efficiency());
        most = std::max(most, r.measured.group.efficiency());
    }
    if (most == 0) return {};
    return fmt::format(
        "efficiency {:.3f} to {:.3f}: rays/s of wall time of all devices, over the "
        "sum of each while its kernels run\n",
        least, most);
}

std::string benchmarkFoot(const Ladder& benchmark, const ClimbWish& wish,
                          const std::vector<RungResult>& results) {
    std::string text = "\n";
    for (size_t i = 0; i < results.size(); ++i) {
        if (!comparisonOf(benchmark, results, i).differs()) continue;
        text += "! a picture more than 0.5 % brighter or darker than the defaults': other work\n";
        break;
    }
    text += conditionsLine(benchmark, results);
    text += efficiencyLine(results);
    const auto score = scoreOf(benchmark, results);
    return text + (score ? shareLine(benchmark, wish, *score) : score.reason()) + "\n";
}

nlohmann::json benchmarkReport(const Ladder& benchmark, const Machine& machine,
                               const ClimbWish& wish, const std::vector<RungResult>& results) {
    nlohmann::json report = reportOf(benchmark, machine, wish, results);
    report["kind"] = "bench";
    const auto score = scoreOf(benchmark, results);
    if (!score) {
        report["score"] = {{"missing", score.reason()}};
        return report;
    }
    report["score"] = {{"rays_per_second", score->best},
                       {"defaults_rays_per_second", score->defaults},
                       {"scenes", score->scenes},
                       {"throttled", score->throttled},
                       {"share", shareLine(benchmark, wish, *score)}};
    return report;
}

}  // namespace rayscope
