// Hardware counters without a GPU: what is asked of one, what is made of the answers, and CUPTI's
// own word on whether chips have these metrics.

#include "renderer/profile/counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "renderer/choices/axes.h"
#include "renderer/lab/counting.h"
#include "renderer/scene/json.h"
#include "tests/made_up_renderer.h"

#ifdef RAYSCOPE_CUDA
#include "renderer/cuda/cupti.h"
#endif

namespace rayscope {
namespace {

/// Counters of a GPU that does not exist: every metric is its place in the list.
std::vector<double> placesOfMetrics() {
    std::vector<double> values(counterMetrics().size());
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    return values;
}

void setCounter(CountedWork& work, std::string_view id, double value) {
    const std::vector<Counter>& table = counterTable();
    work.counters.resize(table.size(), 0);
    const auto row =
        std::find_if(table.begin(), table.end(), [&](const Counter& c) { return c.id == id; });
    ASSERT_NE(row, table.end()) << id;
    work.counters[static_cast<size_t>(row - table.begin())] = value;
}

/// A million rays in a millisecond on two multiprocessors of 1 GHz: a quarter of the lane slots,
/// half of the lanes of an instruction in half of the issue slots.
CountedWork exampleWork() {
    CountedWork work;
    work.settings.backend = Backend::cuda;
    work.device.limits = {2, 64, 1e9, 1e11};
    work.rays.camera = 1000000;
    work.kernelMs = 1;
    work.loopMs = 1.05;
    work.width = work.height = 500;
    work.samples = 4;
    work.spheres = 9;
    work.lanes = .5;
    setCounter(work, "clock", 1e9);
    setCounter(work, "counted_ms", 1);
    setCounter(work, "issue_slots", 50);
    setCounter(work, "lanes", 16);
    setCounter(work, "instructions", .5 * 1e6 * 8);
    setCounter(work, "cycles_per_issue", 9);
    setCounter(work, "stall_wait", 2);
    setCounter(work, "stall_long_scoreboard", 3);
    return work;
}

TEST(Counters, IdsAndMetricsAreNamedOnce) {
    std::set<std::string> ids;
    for (const Counter& c : counterTable()) EXPECT_TRUE(ids.insert(c.id).second) << c.id;
    const std::vector<std::string> metrics = counterMetrics();
    EXPECT_EQ(std::set<std::string>(metrics.begin(), metrics.end()).size(), metrics.size());
}

TEST(Counters, AreMadeOfTheirMetrics) {
    const std::vector<std::string> metrics = counterMetrics();
    std::vector<double> values = placesOfMetrics();
    const auto at = [&](std::string_view name) -> double& {
        const auto found = std::find(metrics.begin(), metrics.end(), name);
        EXPECT_NE(found, metrics.end()) << name;
        return values[static_cast<size_t>(found - metrics.begin())];
    };
    at("dram__bytes_read.sum") = 300;
    at("dram__bytes_write.sum") = 100;
    at("gpu__time_duration.sum") = 2e6;
    at("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum") = 1;
    at("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum") = 10;
    at("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum") = 100;
    at("l1tex__t_sector_hit_rate.pct") = std::nan("");
    const std::vector<double> counters = countersFrom(values);
    EXPECT_EQ(counter(counters, "dram_bytes"), 400);
    EXPECT_DOUBLE_EQ(counter(counters, "dram_rate"), 400 / 2e-3);
    EXPECT_DOUBLE_EQ(counter(counters, "counted_ms"), 2);
    EXPECT_EQ(counter(counters, "fp32_operations"), 211);
    EXPECT_TRUE(std::isnan(counter(counters, "l1_hit_rate")));
    EXPECT_TRUE(std::isnan(counter({}, "lanes")));
}

/// On an H200 ranges of 20 ms took 2.4 % longer than the kernels of vt9 in them.
TEST(Counters, LeaveOutTheGapsBetweenKernels) {
    const std::vector<std::string> metrics = counterMetrics();
    std::vector<double> values(metrics.size(), 50);
    const auto duration = std::find(metrics.begin(), metrics.end(), "gpu__time_duration.sum");
    values[static_cast<size_t>(duration - metrics.begin())] = 1.25e6;
    std::vector<double> counted = values;
    leaveOutGaps(counted, 1);
    const std::vector<double> counters = countersFrom(counted);
    EXPECT_DOUBLE_EQ(counter(counters, "counted_ms"), 1);
    for (const char* elapsed :
         {"sm_throughput", "memory_throughput", "dram_throughput", "issue_slots"})
        EXPECT_DOUBLE_EQ(counter(counters, elapsed), 62.5) << elapsed;
    for (const char* active : {"achieved_occupancy", "issued_warps", "clock", "instructions"})
        EXPECT_EQ(counter(counters, active), 50) << active;
    for (const double kernelMs : {2., 0., std::nan("")}) {
        counted = values;
        leaveOutGaps(counted, kernelMs);
        EXPECT_EQ(counted, values) << "no gaps, or nothing known of them";
    }
}

TEST(Counters, NameTheToolThatHoldsThem) {
    EXPECT_EQ(profilerIn("7f00-7f01 r-xp 0 00:00 1 /opt/ncu/libcuda-injection.so"),
              "Nsight Compute");
    EXPECT_EQ(profilerIn("7f00-7f01 r-xp 0 00:00 1 /opt/nsys/libToolsInjection64.so"),
              "Nsight Systems");
    EXPECT_EQ(profilerIn("/opt/compute-sanitizer/libTreeLauncherTargetInjection.so\n"
                         "/opt/compute-sanitizer/libsanitizer-collection.so"),
              "compute-sanitizer");
    EXPECT_EQ(profilerIn("7f00-7f01 r-xp 0 00:00 1 /usr/lib/libcuda.so.1"), "");
}

TEST(Counters, FactorsMultiplyToTheRate) {
    const CountedWork work = exampleWork();
    const auto f = rateFactors(work);
    ASSERT_TRUE(f);
    // 8 schedulers of 1 GHz, for a millisecond: 4 million of 8 million slots issue.
    EXPECT_NEAR(f->raysPerSecond() / work.raysPerSecond(), 1, 1e-12);
    EXPECT_DOUBLE_EQ(f->share(), .25);
    EXPECT_DOUBLE_EQ(f->perRay, 4 * 16);
    EXPECT_DOUBLE_EQ(f->slotsPerRay(), 4 * 32);
    CountedWork none = work;
    none.counters.clear();
    EXPECT_FALSE(rateFactors(none));
    CountedWork faster = work;
    setCounter(faster, "lanes", 32);
    EXPECT_NE(speedUpText(work, faster).find("2.00x lanes"), std::string::npos);
}

TEST(Counters, TheLimitIsNamed) {
    const auto says = [](const CountedWork& work, const char* words) {
        const std::string sentence = limitOf(work).sentence;
        EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
    };
    CountedWork work = exampleWork();
    says(work, "global or local memory, 3.0 of 9.0 cycles");
    setCounter(work, "issue_slots", 80);
    says(work, "50 % of lanes are idle; by a model of the paths 50 % wait for others (a warp");
    work.lanes = .9;
    says(work,
         "10 % wait for others (a warp waits for the longest of its 32 paths, sample after "
         "sample), the other 40 % are in branches inside a step");
    work.idle = IdleLanes{100, 11, {}, 0, 28.5};
    work.idle->branches[static_cast<size_t>(Part::start)] = 39;
    says(work,
         "50 % of lanes are idle: 39 % in branches inside a step, most while others start a "
         "path (39 %); 11 % wait for other paths to end");
    setCounter(work, "lanes", 31);
    says(work, "arithmetic");
    setCounter(work, "dram_throughput", 70);
    says(work, "DRAM: 70 %");
    setCounter(work, "local_loads", 1e6);
    says(work, "local memory: 25 %");
    work.settings.variant.accumulate = Accumulate::hostSamples;
    work.loopMs = 4;
    says(work, "the host: kernels run 25 % of the time, samples are copied back");
}

TEST(Counters, WithoutThemTheLimitIsModelled) {
    CountedWork work = exampleWork();
    work.counters.clear();
    EXPECT_NE(limitOf(work).sentence.find("50 % of lanes are idle by a model of the paths: a warp"),
              std::string::npos);
    for (const DeviceShare& share : limitOf(work).shares) {
        EXPECT_EQ(share.modelled, share.name != "time with a kernel");
        EXPECT_GT(share.share, 0);
        EXPECT_LE(share.share, 1);
    }
    // 16 bytes a pixel read and written, four samples of one ray each
    EXPECT_DOUBLE_EQ(modelOf(work).bytes, 2 * 16 / 4.);
    EXPECT_DOUBLE_EQ(modelOf(work).instructions, 72);
    work.kernel.spillBytes = 40;
    EXPECT_NE(limitOf(work).sentence.find("40 bytes of registers"), std::string::npos);
}

/// Answers with the same values after three passes, each of which must trace, and says that it took
/// a second.
class MadeUpReader : public CounterReader {
public:
    explicit MadeUpReader(const std::vector<std::string>& metrics) {
        for (const std::string& metric : metrics)
            values_.push_back(metric == "gpu__time_duration.sum" ? 1e9 : 7);
    }
    bool pass(const std::function<void()>& work) override {
        work();
        return ++passes_ == 3;
    }
    std::vector<double> values() override { return values_; }

private:
    std::vector<double> values_;
    int passes_ = 0;
};

class CountingRenderer : public MadeUpRenderer {
public:
    using MadeUpRenderer::MadeUpRenderer;
    Result<std::unique_ptr<CounterReader>> counterReader(
        const std::vector<std::string>& metrics) override {
        if (!reason.empty()) return Failure{reason};
        return std::unique_ptr<CounterReader>(std::make_unique<MadeUpReader>(metrics));
    }
    std::string reason;
};

TEST(Counters, EveryReplayTracesTheSamePasses) {
    CountingRenderer renderer;
    Settings settings;
    settings.samples = 5;  // each takes a millisecond
    std::vector<double> shares;
    CountJob job(renderer, settings, Scene{}, Camera{}, 16, 8);
    while (!job.step(50)) shares.push_back(job.share());
    const CountedWork& work = job.result();
    EXPECT_EQ(work.replays, 6) << "three for each of two readers";
    EXPECT_EQ(work.samples, settings.samples);
    EXPECT_NEAR(work.averaged, 4, 1) << "a pass of some 5 ms, a range of 20";
    EXPECT_EQ(counter(work.counters, "instructions"), 7. / work.averaged) << "a sum: of one pass";
    EXPECT_EQ(work.rays.camera, 5000u);
    EXPECT_NEAR(work.kernelMs, 5, .2);
    EXPECT_TRUE(work.repeated);
    EXPECT_GT(work.rays.total(), 0u);
    EXPECT_EQ(counter(work.counters, "lanes"), 7);
    EXPECT_NEAR(counter(work.counters, "counted_ms"), 5, .2) << "of the kernels, not of the second";
    EXPECT_NEAR(counter(work.counters, "issue_slots"), 7 * 1000. / (5 * work.averaged), 20);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_EQ(job.share(), 1);
    renderer.reason = "nobody may count here";
    CountJob none(renderer, settings, Scene{}, Camera{}, 16, 8);
    playToEnd(none);
    EXPECT_TRUE(none.result().counters.empty());
    EXPECT_EQ(none.result().noCounters, renderer.reason);
    EXPECT_GT(none.result().kernelMs, 0);
    renderer.refusal = "not here";
    CountJob refused(renderer, settings, Scene{}, Camera{}, 16, 8);
    EXPECT_TRUE(refused.step(50));
    EXPECT_EQ(refused.problem(), "not here");
}

/// Ctrl-C comes between steps.
TEST(Counters, WhatTakesLongIsGivenUp) {
    class SlowRenderer : public CountingRenderer {
    public:
        PathLengths pathLengths(const Settings&, const Camera&, int, int, int,
                                const std::stop_token& stop) override {
            while (!stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return {};
        }
    } renderer;
    renderer.reason = "nobody may count here";
    CountJob job(renderer, Settings{}, Scene{}, Camera{}, 16, 8);
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(job.step(20));
    job.cancel();
}

TEST(Counters, TablesHoldBothSidesAndTheirChange) {
    State state;
    state.scene = *findScene("vt9");
    CountedWork b = exampleWork();
    setCounter(b, "lanes", 20);
    b.settings.variant.engine = Engine::regeneration;
    const std::vector<CountedWork> sides{exampleWork(), b};
    const std::string text = tableOf(state, sides);
    for (const char* words : {"lanes an instruction", "+25.0 %", "engine=regeneration", "B is "})
        EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
    const nlohmann::json report = reportOf(state, sides);
    EXPECT_EQ(report["b"]["facts"]["lanes"], 20);
    const std::string csv = csvOf(sides);
    EXPECT_NE(csv.find("Instructions,lanes,,16,20\n"), std::string::npos) << csv;
    EXPECT_EQ(changeText(4, 2), "x 0.5");
    EXPECT_EQ(changeText(1, 1.0001), "=");
    EXPECT_EQ(changeText(std::nan(""), 1), "");
    EXPECT_EQ(factText({"", "", "", "B/s", Better::more, 0}, 1.234e12), "1234 GB/s");
}

#ifdef RAYSCOPE_CUDA

/// CUPTI loads a library in a way that sanitizers end the program for.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_WITH_SANITIZER() GTEST_SKIP() << "the sanitizer does not let CUPTI load"
#else
#define SKIP_WITH_SANITIZER()
#endif

TEST(Cupti, ChipsHaveTheMetrics) {
    SKIP_WITH_SANITIZER();
    const auto missing = planCounters("GH100", counterMetrics());
    if (!missing) GTEST_SKIP() << missing.reason();
    for (const char* chip : {"TU102", "GA102", "AD102", "GH100", "GB202"}) {
        const auto made = planCounters(chip, counterMetrics());
        ASSERT_TRUE(made) << chip << ": " << made.reason();
        const CounterPlan& plan = **made;
        // A pass takes some 30 ms: more than these are no glance any more.
        EXPECT_LE(plan.passes(), 20) << chip;
        EXPECT_GE(plan.metrics().size() + 6, counterMetrics().size()) << chip;
        std::cout << chip << ": " << plan.metrics().size() << " of " << counterMetrics().size()
                  << " metrics in " << plan.passes() << " passes\n";
    }
    EXPECT_EQ((*planCounters("GH100", counterMetrics()))->metrics(), counterMetrics());
}

TEST(Cupti, UnknownChipsAndMetricsAreNoErrors) {
    SKIP_WITH_SANITIZER();
    const auto known = planCounters("GH100", {"lanes__nobody_has.sum", "dram__bytes.sum"});
    if (!known) GTEST_SKIP() << known.reason();
    EXPECT_EQ((*known)->metrics(), std::vector<std::string>{"dram__bytes.sum"});
    EXPECT_FALSE(planCounters("ZX81", counterMetrics()));
    EXPECT_FALSE(planCounters("GH100", {}));
}

#endif

}  // namespace
}  // namespace rayscope
