#include "renderer/lab/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/lab/divergence.h"
#include "renderer/lab/hot.h"
#include "renderer/lab/report.h"
#include "renderer/lab/trial.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr int kTimed = 5;
constexpr double kWarmUpMs = 500;
/// So many passes are counted together that what CUPTI does at their beginning and end hardly
/// shows.
constexpr double kRangeMs = 20;
constexpr int kMostPasses = 256;
/// Shares of the progress: until the pass is timed, and the time that a first reader takes to open.
constexpr double kTimedShare = .2, kOpenShare = .5;
constexpr double kForever = 1e9;
/// Enough paths for the lanes of a picture, a second of a slow processor.
constexpr double kLanesPaths = 1.5e6;
constexpr int kLanesSamples = 32;

/// One of so many passes, on average.
std::uint64_t each(std::uint64_t all, int passes) {
    const auto n = static_cast<std::uint64_t>(passes);
    return (all + n / 2) / n;
}
Rays each(Rays all, int passes) {
    for (std::uint64_t* rays : {&all.camera, &all.bounce, &all.shadow}) *rays = each(*rays, passes);
    for (std::uint64_t& rays : all.depth) rays = each(rays, passes);
    return all;
}

/// What CUPTI counts by changing the machine code; a kernel then runs several times as long, so
/// that such metrics are read apart from the others, in single passes.
bool instruments(const std::string& metric) {
    return metric.starts_with("smsp__sass_");
}

TrialWish trialWish(const Settings& settings, const Camera& camera, int width, int height) {
    TrialWish wish = sameSamplesWish(settings, camera, width, height);
    wish.passMs = kRangeMs;
    wish.mostSamples = kMostPasses * settings.samples;
    wish.warmUpMs = kWarmUpMs;
    return wish;
}

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

std::string sideText(const char* name, const CountedWork& work) {
    const Limit limit = limitOf(work);
    std::string text = fmt::format("{}limit: {}\n", name, limit.sentence);
    for (const DeviceShare& share : limit.shares) {
        text += fmt::format("  {:<22}{:>6.1f} %{}\n", share.name, 100 * share.share,
                            share.modelled ? "  (modelled)" : "");
    }
    if (work.idle) text += idleTable(*work.idle);
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
    if (work.idle) result["idle"] = toJson(*work.idle);
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

double lanesAtWork(Renderer& renderer, const Settings& settings, const Camera& camera, int width,
                   int height, const std::stop_token& stop) {
    const int samples = std::min(settings.samples, kLanesSamples);
    const double smaller = std::min(1., std::sqrt(kLanesPaths / (1. * width * height * samples)));
    const auto side = [&](int pixels) { return std::max(1, static_cast<int>(pixels * smaller)); };
    const PathLengths paths =
        renderer.pathLengths(settings, camera, side(width), side(height), samples, stop);
    return stop.stop_requested() ? 0 : lanesOf(paths, settings.variant, settings.depth).share();
}

CountJob::CountJob(Renderer& renderer, const Settings& settings, const SharedScene& scene,
                   const Camera& camera, int width, int height, std::string program)
    : renderer_(renderer),
      scene_(scene),
      camera_(camera),
      program_(std::move(program)),
      trial_(std::make_unique<Trial>(renderer, trialWish(settings, camera, width, height),
                                     std::make_unique<FixedPasses>(kTimed))) {
    work_.settings = settings;
    work_.device = renderer.device();
    work_.width = width;
    work_.height = height;
    work_.samples = settings.samples;
    work_.spheres = static_cast<int>(scene->spheres.size());
}

CountJob::~CountJob() = default;

int CountJob::passes() const {
    return trial_->passSamples() / work_.samples;
}

/// Counting goes on replay by replay, however long one takes; each traces the same rays.
Steps CountJob::run() {
    co_await play(*trial_);
    takeTimes();
    const Clock::time_point start = Clock::now();
    const std::vector<std::string> metrics = counterMetrics();
    std::vector<double> values(metrics.size()), kernelMs;
    try {
        for (int round = 0; round < 2; ++round) {
            const bool instrumented = round == 1;
            std::vector<std::string> wanted;
            std::ranges::copy_if(metrics, std::back_inserter(wanted), [&](const std::string& m) {
                return instruments(m) == instrumented;
            });
            if (instrumented) trial_->setPassSamples(work_.samples);
            auto reader = renderer_.counterReader(wanted);
            if (!reader) throw std::runtime_error(reader.reason());
            opened_ = true;
            std::optional<std::uint64_t> rays;  // of a replay
            for (bool all = false; !all; ++work_.replays) {
                co_await kPause;
                trial_->begin();
                all = (*reader)->pass([&] { trial_->play(kForever); });
                const Pass& pass = trial_->passes().back();
                work_.repeated &= pass.rays.total() == rays.value_or(pass.rays.total());
                rays = pass.rays.total();
                if (!instrumented) kernelMs.push_back(pass.kernelMs / passes());
            }
            const std::vector<double> read = (*reader)->values();
            for (std::size_t i = 0, next = 0; i < metrics.size(); ++i) {
                if (instruments(metrics[i]) != instrumented) continue;
                // sums are of all passes: those of one
                values[i] = read.at(next++) / (metrics[i].ends_with(".sum") ? passes() : 1);
            }
        }
        leaveOutGaps(values, spreadOf(kernelMs).median);
        work_.counters = countersFrom(values);
        work_.collectMs = millisecondsSince(start);
    } catch (const std::runtime_error& error) {
        work_.noCounters = error.what();
    }
    if (work_.noCounters.empty() && !program_.empty()) {
        ThreadJob<std::optional<IdleLanes>> idle([this](const std::stop_token& stop) {
            HotWish wish{State{scene_, camera_, work_.settings, {}}, work_.width, work_.height,
                         work_.device.number, program_};
            wish.only = HotPart::counts;
            const auto hot = countElsewhere(wish, [&] { return !stop.stop_requested(); });
            return hot ? std::optional(hot->idle) : std::nullopt;
        });
        co_await play(idle);
        work_.idle = idle.result();
    }
    if (work_.idle) co_return;
    // the paths of an edited kernel are not recorded on a CPU: it runs in a process of its own
    if (work_.settings.backend == Backend::cpu && work_.settings.source != kBuiltIn) co_return;
    ThreadJob<double> lanes([this](const std::stop_token& stop) {
        return lanesAtWork(renderer_, work_.settings, camera_, work_.width, work_.height, stop);
    });
    co_await play(lanes);
    work_.lanes = lanes.result();
}

double CountJob::share() const {
    if (ended()) return 1;
    // How many replays there will be nobody says; after ten, half of the rest is done.
    const double part = work_.replays / (work_.replays + 10.);
    return opened_ ? kOpenShare + (1 - kOpenShare) * part : kTimedShare * trial_->share();
}

/// Of the pass with the median kernel time, as many passes as are to be counted.
void CountJob::takeTimes() {
    std::vector<Pass> all = trial_->passes();
    const auto middle = all.begin() + kTimed / 2;
    std::nth_element(all.begin(), middle, all.end(),
                     [](const Pass& a, const Pass& b) { return a.kernelMs < b.kernelMs; });
    work_.averaged = passes();
    work_.rays = each(middle->rays, work_.averaged);
    work_.kernelMs = middle->kernelMs / work_.averaged;
    work_.loopMs = middle->loopMs / work_.averaged;
    work_.kernel = trial_->measurement().kernel;
}

std::vector<Fact> factsOf(const CountedWork& work) {
    using enum Better;
    const KernelInfo& k = work.kernel;
    const double rays = static_cast<double>(work.rays.total());
    const double occupancy = orUnknown(k.occupancy), warps = work.device.limits.warps;
    const RayModel model = modelOf(work);
    const std::optional<RateFactors> f = rateFactors(work);
    const bool gpu = work.settings.backend == Backend::cuda;
    std::vector<Fact> all{
        {"rays_per_second", "Time", "rays a second", "", more, work.raysPerSecond()},
        {"kernel_ms", "Time", "kernels of a pass", "ms", less, work.kernelMs},
        {"loop_ms", "Time", "with the host's part", "ms", less, work.loopMs},
        {"rays", "Time", "rays of a pass", "", neither, rays},
        {"registers", "Kernel", "registers a thread", "", less, orUnknown(k.registers)},
        {"spill_bytes", "Kernel", "spilled", "B", less, orUnknown(k.spillBytes)},
        {"local_bytes", "Kernel", "local memory", "B", less, orUnknown(k.localBytes)},
        {"shared_bytes", "Kernel", "shared memory", "B", less, orUnknown(k.sharedBytes)},
        {"occupancy", "Kernel", "theoretical occupancy", "%", more, 100 * occupancy},
        {"theoretical_warps", "Kernel", "theoretical warps", "", more,
         warps > 0 ? occupancy * warps : kUnknown},
        {"waves", "Kernel", "waves of blocks", "", neither, waves(work)},
        // counted where that could be done, else what is at least so
        {"ray_instructions", "A ray", "instructions of a lane", "", less, f ? f->perRay : kUnknown},
        {"ray_slots", "A ray", "lane slots", "", less, f ? f->slotsPerRay() : kUnknown},
        {"ray_dram_bytes", "A ray", "DRAM", "B", less, counter(work.counters, "dram_bytes") / rays},
        {"ray_l2_bytes", "A ray", "L2 cache", "B", less, counter(work.counters, "l2_bytes") / rays},
        {"model_instructions", "A ray", "sphere tests (model)", "", less,
         model.instructions > 0 ? model.instructions : kUnknown},
        {"model_bytes", "A ray", "memory (model)", "B", less, gpu ? model.bytes : kUnknown}};
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

json reportOf(const State& state, const std::vector<CountedWork>& sides, bool complete) {
    const CountedWork& a = sides.front();
    json report = reportHead("counters", a.device, complete, a.width, a.height);
    report["state"] = toJson(state);
    report["a"] = sideJson(a);
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
