// From samples of a CPU's threads to lines, parts, functions and reports.

#include "renderer/lab/hot_host.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/cpu/hot_sampler.h"
#include "renderer/lab/counting.h"
#include "renderer/lab/instructions.h"
#include "tests/host_compiler.h"

namespace rayscope {
namespace {

/// A loop of one part of the work, and one of three, each on a line of its own.
const char* const kLoops = R"(
inline double add(double x) { asm volatile("addsd %0, %0" : "+x"(x)); return x; }
extern "C" __attribute__((noinline)) double few(double x, long n) {
    for (long i = 0; i < n; ++i) x = add(x);
    return x;
}
extern "C" double kernel(long n) {
    double x = 1;
    for (int round = 0; round < 1000; ++round) {
        x = few(x, n / 1000);
        for (long i = 0; i < 3 * (n / 1000); ++i) x = add(x);
    }
    return x;
}
)";

/// As if these had been seen, of the object.
HotWork workOf(const std::string& object, const HostSamples& seen) {
    HotWork work;
    work.settings.backend = Backend::cpu;
    work.seen = seen;
    CountedInstructions counted;
    counted.code = *hostKernelCode(object, "g++", {{"megakernel", "kernel"}});
    counted.lines = *readLineTable(object);
    counted.counts = countsOf(seen, *readHostObject(object));
    work.take(std::move(counted));
    return work;
}

/// Two samples at the first instruction of few(), six at that of the kernel.
HostSamples madeUpSamples(const std::string& object) {
    const auto read = readHostObject(object);
    std::vector<HostSamples::At> at{{read->named("few")->address, 2},
                                    {read->named("kernel")->address, 6}};
    std::ranges::sort(at, {}, &HostSamples::At::address);
    return {std::move(at), 1, 0};
}

TEST(HotHost, SamplesAreCountsByFunction) {
    const std::string object = compiledForHost(kLoops);
    const HotWork work = workOf(object, madeUpSamples(object));
    EXPECT_TRUE(work.host());
    EXPECT_EQ(work.hot.all.warps, 8u);
    ASSERT_EQ(work.hot.kernels.size(), 2u);
    ASSERT_GE(work.hot.lines.size(), 2u);
    EXPECT_EQ(work.hot.lines[0].executed.warps, 6u);
    EXPECT_EQ(work.hot.lines[0].function, "kernel");
    EXPECT_EQ(timeText(6, work), "75.0 \u00b1 15.3 %") << "sqrt(0.75 * 0.25 / 8)";
}

TEST(HotHost, TablesSayTheErrorAndWhatIsOutside) {
    const std::string object = compiledForHost(kLoops);
    const std::string table = hostTable(workOf(object, madeUpSamples(object)));
    EXPECT_NE(table.find("9 samples of where the threads are, 11.1 % of them outside"),
              std::string::npos)
        << table;
    EXPECT_NE(table.find("75.0 \u00b1 15.3 %"), std::string::npos) << table;
    EXPECT_NE(table.find("few"), std::string::npos) << table;
}

TEST(HotHost, ReportsCarryTheSamples) {
    const std::string object = compiledForHost(kLoops);
    const HotWork work = workOf(object, madeUpSamples(object));
    nlohmann::json report = hostReport(work);
    EXPECT_DOUBLE_EQ(report["lines"][0]["share"], .75);
    EXPECT_EQ(report["functions"][0]["name"], "kernel");
    const HostSamples read = samplesFrom(report, work.code);
    EXPECT_EQ(read.inside(), 8u);
    EXPECT_EQ(read.outside, 1u);
    const HotWork again = workOf(object, read);
    EXPECT_EQ(hostTable(again), hostTable(work));
    const auto other =
        hostKernelCode(compiledForHost(kLoops, {"-O0"}), "g++", {{"megakernel", "kernel"}});
    EXPECT_THROW(samplesFrom(report, *other), std::exception) << "other machine code";
    report["samples_at"] = {{5, 1}, {4, 1}};
    EXPECT_THROW(samplesFrom(report, work.code), std::exception);
}

TEST(HotHost, LinesHaveTheSharesOfTheirWork) {
    const TemporaryFile file("", ".so");
    const std::string object = compiledForHost(kLoops, {}, "g++", file.path());
    void* const library = dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    void* const kernel = dlsym(library, "kernel");
    ThreadPool pool(2);
    const auto seen = samplePool(pool, kernel, [&] {
        for (int i = 0; i < 3; ++i)
            pool.run([&](int) { reinterpret_cast<double (*)(long)>(kernel)(30'000'000); });
    });
    dlclose(library);
    ASSERT_TRUE(seen) << seen.reason();
    const HotWork work = workOf(object, *seen);
    const std::uint64_t all = work.hot.all.warps;
    ASSERT_GT(all, 100u);
    // add() is inlined into both; the loops are told apart by their functions
    const auto in = [&](const char* function) {
        const auto found = std::ranges::find(work.hot.kernels, function, &HotKernel::symbol);
        return found == work.hot.kernels.end()
                   ? 0.
                   : static_cast<double>(found->executed.warps) / static_cast<double>(all);
    };
    EXPECT_NEAR(in("few"), .25, 5 * shareError(.25, all) + .01);
    EXPECT_NEAR(in("kernel"), .75, 5 * shareError(.75, all) + .01);
    EXPECT_LT(static_cast<double>(work.hot.unknown.warps), .01 * static_cast<double>(all) + 1);
    // the addition, or the loop's own instructions, at which a processor may be seen waiting for it
    EXPECT_TRUE(work.hot.lines[0].line == 2 || work.hot.lines[0].line == 11);
}

TEST(HotHost, ChangesAreOfTime) {
    const std::string object = compiledForHost(kLoops);
    HotWork a = workOf(object, madeUpSamples(object)), b = a;
    a.rays.camera = b.rays.camera = 100;
    a.kernelMs = 10;
    b.kernelMs = 5;  // every line takes half as long
    for (const LineChange& change : changesOf(a, b)) EXPECT_DOUBLE_EQ(change.b, .5 * change.a);
    double sum = 0;
    for (const LineChange& change : changesOf(a, b)) sum += change.a;
    EXPECT_DOUBLE_EQ(sum, 1) << "of all of A";
}

}  // namespace
}  // namespace rayscope
