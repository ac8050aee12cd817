// Hardware counters on a GPU: against what is known without them, and that reading them leaves
// nothing behind.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

#include <algorithm>
#include <cmath>
#include <fstream>

#include "renderer/lab/counting.h"
#include "renderer/profile/counters.h"

namespace rayscope {
namespace {

class Counting : public Gpu {
protected:
    /// Skips the test where counters are forbidden, with the reason.
    CountedWork counted(const Settings& settings, const std::string& program = RAYSCOPE_PROGRAM) {
        renderer_->setScene(scene_);
        Settings plain = settings;
        plain.variant.countDepths = false;  // 64 more counters a thread, in local memory
        CountJob job(*renderer_, plain, scene_, scene_.camera, 640, 360, program);
        playToEnd(job);
        EXPECT_EQ(job.problem(), "");
        return job.result();
    }
    static double of(const CountedWork& work, const char* id) { return counter(work.counters, id); }
};

#define SKIP_WITHOUT_COUNTERS(work) \
    if ((work).counters.empty()) GTEST_SKIP() << (work).noCounters

TEST_F(Counting, FitWhatIsKnownWithoutThem) {
    use("vt9");
    Settings s = settings_;
    s.samples = 16;
    const CountedWork work = counted(s);
    SKIP_WITHOUT_COUNTERS(work);
    std::cout << tableOf({scene_, scene_.camera, s, {}}, {work});
    EXPECT_TRUE(work.repeated);
    const auto f = rateFactors(work);
    ASSERT_TRUE(f);
    EXPECT_NEAR(f->raysPerSecond() / work.raysPerSecond(), 1, .05);
    EXPECT_NEAR(of(work, "counted_ms") / work.kernelMs, 1, .02);
    EXPECT_GT(of(work, "lanes"), 1);
    EXPECT_LE(of(work, "lanes"), 32);
    EXPECT_GT(f->perRay, 72) << "nine spheres take at least eight instructions each";
    EXPECT_LE(of(work, "achieved_occupancy"), 100 * work.kernel.occupancy + 1);
    EXPECT_EQ(of(work, "fp64_operations"), 0);
    EXPECT_EQ(of(work, "local_loads"), 0);
    EXPECT_EQ(of(work, "shared_loads"), 0);
    // Stalls and the cycle of the issue itself make up the cycles between two instructions.
    double stalls = 1;
    for (const Counter& c : counterTable()) {
        if (std::string(c.id).starts_with("stall_") && std::isfinite(of(work, c.id)))
            stalls += of(work, c.id);
    }
    EXPECT_NEAR(stalls / of(work, "cycles_per_issue"), 1, .1);
}

TEST_F(Counting, TellVariantsApart) {
    use("vt9");
    Settings s = settings_;
    s.samples = 16;
    const CountedWork plain = counted(s);
    SKIP_WITHOUT_COUNTERS(plain);
    ASSERT_EQ(assign(s, "engine=regeneration").reason(), "");
    EXPECT_GT(of(counted(s), "lanes"), of(plain, "lanes"));
    s = settings_;
    s.samples = 16;
    ASSERT_EQ(assign(s, "precision=double").reason(), "");
    const CountedWork doubles = counted(s);
    EXPECT_GT(of(doubles, "fp64_operations"), 72. * static_cast<double>(doubles.rays.total()));
    s = settings_;
    s.samples = 16;
    ASSERT_EQ(assign(s, "engine=wavefront").reason(), "");
    EXPECT_GT(of(counted(s), "dram_bytes") + of(counted(s), "l2_bytes"), of(plain, "l2_bytes"));
}

/// Kilobytes of host memory in use.
long residentKb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
    }
    return 0;
}

TEST_F(Counting, AHundredTimesLeaksNothingAndLeavesTheRate) {
    use("vt9");
    Settings s = settings_;
    s.samples = 8;
    const CountedWork first = counted(s, "");
    SKIP_WITHOUT_COUNTERS(first);
    for (int i = 0; i < 9; ++i) counted(s, "");
    const double device = freeDeviceMemory();
    const long host = residentKb();
    CountedWork last;
    for (int i = 0; i < 90; ++i) last = counted(s, "");
    EXPECT_LE(device, freeDeviceMemory() + kOthers);
    EXPECT_LE(residentKb(), host + 16 * 1024);
    std::cout << "rays/s after a hundred counts: " << last.raysPerSecond() / first.raysPerSecond()
              << " of those before any; host memory " << host << " kB, then " << residentKb()
              << " kB; a count took " << last.collectMs << " ms in " << last.replays
              << " replays\n";
}

}  // namespace
}  // namespace rayscope

#endif
