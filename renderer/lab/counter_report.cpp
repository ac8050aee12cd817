#include "renderer/lab/counter_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
/// Changes below are not worth a number, and factors from this on read better than percent.
constexpr double kNoChange = 1e-3, kFactor = 2;

/// KernelInfo has -1 for what it does not know.
double orUnknown(double value) {
    return value < 0 ? kUnknown : value;
}

/// Waves of blocks that a launch over the picture takes; megakernels only.
double waves(const CountedWork& work) {
    const Variant& v = work.settings.variant;
    if (work.kernel.residentBlocks <= 0) return kUnknown;
    if (v.engine != Engine::megakernel && v.engine != Engine::regeneration) return kUnknown;
    const double threads =
        1. * work.width * work.height * (v.samplesAs == SamplesAs::threads ? work.samples : 1);
    return threads / (v.blockX * v.blockY) / work.kernel.residentBlocks;
}

std::vector<Fact> timeFacts(const CountedWork& work) {
    using enum Better;
    return {
        {"rays_per_second", "Time", "rays a second", "", more, work.raysPerSecond()},
        {"kernel_ms", "Time", "kernels of a pass", "ms", less, work.kernelMs},
        {"loop_ms", "Time", "with the host's part", "ms", less, work.loopMs},
        {"rays", "Time", "rays of a pass", "", neither, static_cast<double>(work.rays.total())}};
}

std::vector<Fact> kernelFacts(const CountedWork& work) {
    using enum Better;
    const KernelInfo& k = work.kernel;
    const double occupancy = orUnknown(k.occupancy);
    return {{"registers", "Kernel", "registers a thread", "", less, orUnknown(k.registers)},
            {"spill_bytes", "Kernel", "spilled", "B", less, orUnknown(k.spillBytes)},
            {"local_bytes", "Kernel", "local memory", "B", less, orUnknown(k.localBytes)},
            {"shared_bytes", "Kernel", "shared memory", "B", less, orUnknown(k.sharedBytes)},
            {"occupancy", "Kernel", "theoretical occupancy", "%", more, 100 * occupancy},
            {"theoretical_warps", "Kernel", "theoretical warps", "", more,
             work.device.limits.warps > 0 ? occupancy * work.device.limits.warps : kUnknown},
            {"waves", "Kernel", "waves of blocks", "", neither, waves(work)}};
}

/// Counted where that could be done, else what is at least so.
std::vector<Fact> rayFacts(const CountedWork& work) {
    using enum Better;
    const RayModel model = modelOf(work);
    const double rays = static_cast<double>(work.rays.total());
    const std::optional<RateFactors> f = rateFactors(work);
    const bool gpu = work.settings.backend == Backend::cuda;
    return {
        {"ray_instructions", "A ray", "instructions of a lane", "", less, f ? f->perRay : kUnknown},
        {"ray_slots", "A ray", "lane slots", "", less, f ? f->slotsPerRay() : kUnknown},
        {"ray_dram_bytes", "A ray", "DRAM", "B", less, counter(work.counters, "dram_bytes") / rays},
        {"ray_l2_bytes", "A ray", "L2 cache", "B", less, counter(work.counters, "l2_bytes") / rays},
        {"model_instructions", "A ray", "sphere tests (model)", "", less,
         model.instructions > 0 ? model.instructions : kUnknown},
        {"model_bytes", "A ray", "memory (model)", "B", less, gpu ? model.bytes : kUnknown}};
}

std::string sideText(const char* name, const CountedWork& work) {
    const Limit limit = limitOf(work);
    std::string text = fmt::format("{}limit: {}\n", name, limit.sentence);
    for (const DeviceShare& share : limit.shares) {
        text += fmt::format("  {:<22}{:>6.1f} %{}\n", share.name, 100 * share.share,
                            share.modelled ? "  (modelled)" : "");
    }
    const bool gpu = work.settings.backend == Backend::cuda;
    if (gpu && !work.noCounters.empty()) text += fmt::format("no counters: {}\n", work.noCounters);
    if (!work.counters.empty())
        text += fmt::format("{} replays of {} passes, {:.2f} s{}\n", work.replays, work.averaged,
                            work.collectMs / 1e3,
                            work.repeated ? "" : "; they traced different numbers of rays");
    return text;
}

json sideJson(const CountedWork& work) {
    json facts = json::object(), shares = json::array();
    for (const Fact& fact : factsOf(work)) {
        if (std::isfinite(fact.value)) facts[fact.id] = fact.value;
    }
    const Limit limit = limitOf(work);
    for (const DeviceShare& s : limit.shares)
        shares.push_back({{"name", s.name}, {"share", s.share}, {"modelled", s.modelled}});
    json result = {{"settings", toJson(work.settings)}, {"samples", work.samples},
                   {"facts", std::move(facts)},         {"limit", limit.sentence},
                   {"shares", std::move(shares)},       {"kernel", toJson(work.kernel)}};
    if (!work.noCounters.empty()) result["no_counters"] = work.noCounters;
    if (!work.counters.empty()) {
        result["replays"] = work.replays;
        result["passes"] = work.averaged;
        result["collect_ms"] = work.collectMs;
        result["same_rays_each_replay"] = work.repeated;
    }
    return result;
}

}  // namespace

std::vector<Fact> factsOf(const CountedWork& work) {
    std::vector<Fact> all;
    for (const auto& facts : {timeFacts(work), kernelFacts(work), rayFacts(work)})
        all.insert(all.end(), facts.begin(), facts.end());
    const std::vector<Counter>& table = counterTable();
    for (size_t i = 0; i < table.size(); ++i) {
        const Counter& c = table[i];
        all.push_back({c.id, c.group, c.label, c.unit, c.better,
                       i < work.counters.size() ? work.counters[i] : kUnknown});
    }
    return all;
}

std::string factText(const Fact& fact, double value) {
    if (!std::isfinite(value)) return "\u2013";
    constexpr std::array<const char*, 5> kPrefixes{"", "k", "M", "G", "T"};
    size_t prefix = 0;
    if (fact.unit != "%") {
        for (; std::abs(value) >= 9999.5 && prefix + 1 < kPrefixes.size(); ++prefix) value /= 1000;
    }
    const double size = std::abs(value);
    const int digits = size >= 100 || value == std::floor(value) ? 0 : size >= 10 ? 1 : 2;
    const bool word = fact.unit.size() > 3;  // "M rays/s", but "MB/s"
    const std::string unit =
        std::string(kPrefixes[prefix]) + (word && prefix > 0 ? " " : "") + fact.unit;
    return fmt::format("{:.{}f}{}{}", value, size < 1 && value != 0 ? 3 : digits,
                       unit.empty() ? "" : " ", unit);
}

std::string changeText(double before, double after) {
    if (!std::isfinite(before) || !std::isfinite(after)) return {};
    if (before == after) return "=";
    if (before == 0 || after == 0) return {};
    const double ratio = after / before;
    if (std::abs(ratio - 1) < kNoChange) return "=";
    if (ratio >= kFactor || ratio <= 1 / kFactor) return fmt::format("x {:.3g}", ratio);
    return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

std::string tableOf(const State& state, const std::vector<CountedWork>& sides) {
    const CountedWork& a = sides.front();
    const bool two = sides.size() > 1;
    std::string text = fmt::format("{}  {}x{}  {} samples a pass  {}\n", state.scene->name, a.width,
                                   a.height, a.samples, a.device.name);
    if (two)
        text += fmt::format("A  {}\nB  {}\n", describe(a.settings),
                            difference(a.settings, sides[1].settings));
    const std::vector<Fact> before = factsOf(a);
    const std::vector<Fact> after = two ? factsOf(sides[1]) : before;
    std::string group;
    for (size_t i = 0; i < before.size(); ++i) {
        const double x = before[i].value, y = after[i].value;
        if (!std::isfinite(x) && !std::isfinite(y)) continue;
        if (before[i].group != group) {
            group = before[i].group;
            text += two ? fmt::format("\n{:<30}{:>14}{:>14}{:>12}\n", group, "A", "B", "change")
                        : fmt::format("\n{}\n", group);
        }
        text += fmt::format("  {:<28}{:>14}", before[i].label, factText(before[i], x));
        if (two) text += fmt::format("{:>14}{:>12}", factText(after[i], y), changeText(x, y));
        text += "\n";
    }
    text += "\n";
    for (size_t i = 0; i < sides.size(); ++i)
        text += sideText(!two ? "" : i == 0 ? "A  " : "B  ", sides[i]);
    if (const std::string why = two ? speedUpText(a, sides[1]) : ""; !why.empty())
        text += "B is " + why + "\n";
    return text;
}

json reportOf(const State& state, const std::vector<CountedWork>& sides) {
    json report = reportHead("counters", sides.front().device);
    report["state"] = toJson(state);
    report["size"] = {sides.front().width, sides.front().height};
    report["a"] = sideJson(sides.front());
    if (sides.size() > 1) report["b"] = sideJson(sides[1]);
    return report;
}

std::string csvOf(const std::vector<CountedWork>& sides) {
    std::vector<std::vector<Fact>> facts;
    for (const CountedWork& side : sides) facts.push_back(factsOf(side));
    std::string text = sides.size() > 1 ? "group,id,unit,a,b\n" : "group,id,unit,a\n";
    for (size_t i = 0; i < facts[0].size(); ++i) {
        std::vector<std::string> line{facts[0][i].group, facts[0][i].id, facts[0][i].unit};
        for (const std::vector<Fact>& side : facts) {
            const double value = side[i].value;
            line.push_back(std::isfinite(value) ? fmt::format("{:.9g}", value) : "");
        }
        text += csvLine(line);
    }
    return text;
}

}  // namespace rayscope
