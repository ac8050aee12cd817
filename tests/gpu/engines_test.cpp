// The engines that keep paths in memory between kernels, on a real device against the CPU backend.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <cuda_runtime_api.h>

#include <map>

#include "renderer/cuda/path_buffers.h"
#include "tests/gpu/compile_ahead.h"
#include "tests/gpu/gpu_fixture.h"

namespace rayscope {
namespace {

using Assignments = std::vector<std::string>;

class Engines : public Gpu {
protected:
    /// Settings with these choices; those that a choice needs come first.
    Settings with(const Assignments& assignments) const {
        Settings s = settings_;
        for (const std::string& a : assignments) EXPECT_EQ(assign(s, a).reason(), "") << a;
        return s;
    }

    /// toleranceOf(), asked once a scene.
    double toleranceOnce(Settings s) {
        s.variant.precision = Precision::float32;
        const auto found = tolerance_.find(scene_.name);
        if (found != tolerance_.end()) return found->second;
        return tolerance_[scene_.name] = toleranceOf(s, scene_);
    }

    Rendering reference() const {
        Settings plain = settings_;
        plain.variant.engine = Engine::megakernel;
        return renderOnCpu(plain, scene_);
    }

    /// In single precision, by scene.
    std::map<std::string, double> tolerance_;

    /// The settings' picture and rays are those of the CPU.
    void compare(const Assignments& assignments, const Rendering& reference) {
        const Settings s = with(assignments);
        SCOPED_TRACE(scene_.name + ": " + describe(s));
        ASSERT_EQ(renderer_->unsupported(s), "");
        const bool exact = s.variant.precision == Precision::float64;
        const double tolerance = exact ? 1e-5 : toleranceOnce(s);
        const Rendering picture = render(s);
        expectComplete(picture, kSpp);
        expectSameRays(picture.rays, reference.rays, exact ? 1e-5 : 1e-4);
        EXPECT_LT(differenceAt(.99, picture, reference), tolerance);
        EXPECT_GT(picture.stats.kernelMs, 0);
    }
};

/// References, with all that they need.
const Assignments kReference{"engine=wavefront", "kernels=separate", "ray_source=kernel",
                             "compaction=off",   "state_layout=aos", "sample_layout=aos",
                             "access=reference", "scene_layout=aos"};

Assignments operator+(Assignments a, const Assignments& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<Assignments> waves() {
    const Assignments wave{"engine=wavefront"};
    const Assignments kernel = wave + Assignments{"ray_source=kernel"};
    std::vector<Assignments> all{
        wave,
        kernel + Assignments{"kernels=separate"},
        kernel + Assignments{"kernels=separate", "record=wide"},
        kernel + Assignments{"kernels=fused_primary"},
        kernel + Assignments{"kernels=fused"},
        wave + Assignments{"kernels=fused_primary", "record=wide", "state_layout=aos"},
        wave + Assignments{"access=copy_state", "scene_layout=aos"},
        wave + Assignments{"block=160x1"},
        wave + Assignments{"block=1024x1", "max_registers=64"},
        kReference,
        kReference + Assignments{"record=wide"},
        kReference + Assignments{"scene_memory=global"},
        kReference + Assignments{"material_order=sorted"},
        // as many threads as a block that sorts, but not in a row
        kernel + Assignments{"kernels=separate", "material_order=sorted", "block=16x16"},
        kernel + Assignments{"kernels=fused_primary", "material_order=sorted", "block=1024x1"},
    };
    for (const char* compaction : {"compaction=off", "compaction=host", "compaction=device"}) {
        for (const char* memory : {"host_memory=pageable", "host_memory=pinned"}) {
            all.push_back(wave + Assignments{compaction, memory});
            all.push_back(kernel + Assignments{compaction, memory, "kernels=separate"});
        }
    }
    for (const char* state : {"state_layout=aos", "state_layout=soa"}) {
        for (const char* record : {"record=wide", "record=compact"}) {
            all.push_back(wave + Assignments{"ray_source=host", state, record});
        }
    }
    for (const char* sum :
         {"sample_layout=aos accumulate=host_samples",
          "sample_layout=float3 accumulate=host_colour",
          "sample_layout=split accumulate=host_split", "sample_layout=aos accumulate=device",
          "sample_layout=float3 accumulate=device"}) {
        const std::string both = sum;
        const size_t space = both.find(' ');
        all.push_back(wave + Assignments{both.substr(0, space), both.substr(space + 1)});
    }
    return all;
}

TEST_F(Engines, WavefrontTracesThePathsOfTheCpu) {
    for (const std::string name : {"vt9", "cornell"}) {
        for (const bool wide : {false, true}) {
            use(name);
            settings_.variant.precision = wide ? Precision::float64 : Precision::float32;
            const Rendering cpu = reference();
            std::vector<Settings> all;
            for (const Assignments& choice : waves()) all.push_back(with(choice));
            compileAhead(all, scene_, renderer_->device().architecture);
            for (const Assignments& choice : waves()) compare(choice, cpu);
        }
    }
}

TEST_F(Engines, LightsAndOtherScenes) {
    for (const std::string name : {"vt46", "card", "cornell"}) {
        use(name);
        settings_.variant.lightSampling = name != "card";
        const Rendering cpu = reference();
        compare({"engine=wavefront"}, cpu);
        compare({"engine=wavefront", "kernels=separate", "ray_source=kernel", "record=wide"}, cpu);
        compare(kReference, cpu);
        compare({"engine=hybrid", "compaction=host"}, cpu);
    }
    use("weekend");
    settings_.depth = 12;
    const Rendering cpu = reference();
    for (const Assignments& choice :
         {Assignments{"engine=wavefront"}, Assignments{"engine=hybrid", "compaction=host"}}) {
        const Rendering picture = render(with(choice));
        expectComplete(picture, kSpp);
        expectSameRays(picture.rays, cpu.rays, 1e-3);
    }
}

TEST_F(Engines, HybridTracesThePathsOfTheCpu) {
    for (const std::string name : {"vt9", "cornell"}) {
        use(name);
        const Rendering cpu = reference();
        for (const char* record : {"record=wide", "record=compact"}) {
            for (const char* compaction : {"compaction=off", "compaction=host"}) {
                for (const char* memory : {"host_memory=pageable", "host_memory=pinned"}) {
                    compare({"engine=hybrid", record, compaction, memory, "threads=1"}, cpu);
                }
            }
        }
        compare({"engine=hybrid", "compaction=host", "precision=float"}, cpu);
    }
}

/// A small budget cuts passes into bands, and those into nothing else: the film is the same. It is
/// large enough for several that fill the device.
TEST_F(Engines, BandsGiveTheSameFilmAsOneLaunch) {
    use("vt9");
    for (const Assignments& choice :
         {Assignments{"engine=wavefront"}, Assignments{"engine=wavefront", "compaction=host"},
          Assignments{"engine=hybrid", "compaction=host"}}) {
        const Settings s = with(choice);
        allocate(1920, 1080);
        const Rendering whole = renderFilm(s, 2 * kSpp, 2000);
        const Rendering bands = renderFilm(s, 2 * kSpp, .02);
        EXPECT_TRUE(sameBits(whole, bands)) << describe(s);
        EXPECT_EQ(whole.rays.total(), bands.rays.total());
        EXPECT_GT(bands.stats.launches, whole.stats.launches) << "the budget cut nothing";
    }
}

/// More paths than a wave may have: the pass is traced in several.
TEST_F(Engines, LargePassesAreTracedInSeveralWaves) {
    use("vt9");
    settings_.variant.engine = Engine::wavefront;
    allocate(1920, 1080);
    waitForKernel(*session_, settings_, scene_);
    session_->clear();
    settings_.samples = 64;
    session_->setTarget(64);
    const FrameStats stats = renderTo(*session_, settings_, scene_, 5000);
    EXPECT_EQ(stats.rays.camera, 64ull * 1920 * 1080);
    expectComplete(fetch(stats), 64);
}

TEST_F(Engines, AdvanceKeepsToItsBudget) {
    use("vt46");
    for (const Assignments& choice :
         {Assignments{"engine=wavefront", "kernels=separate", "ray_source=kernel",
                      "compaction=off"},
          Assignments{"engine=wavefront", "ray_source=host", "compaction=host"},
          Assignments{"engine=hybrid", "compaction=off", "threads=1"}}) {
        const Settings s = with(choice);
        allocate(1280, 720);
        session_->setWatched(true);
        waitForKernel(*session_, s, scene_);
        double longest = 0;
        for (int i = 0; i < 30; ++i) {
            const Clock::time_point start = Clock::now();
            session_->advance(s, scene_.camera, 10);
            session_->finish();
            const std::chrono::duration<double, std::milli> took = Clock::now() - start;
            longest = std::max(longest, took.count());
        }
        EXPECT_LT(longest, 50) << describe(s);
    }
}

/// The engines one after the other on one film: memory comes and goes, the picture goes on.
TEST_F(Engines, ChangingTheEngineGoesOnWithTheFilm) {
    use("vt9");
    settings_.variant.compaction = Compaction::host;
    allocate();
    const char* const engines[] = {"engine=wavefront", "engine=megakernel", "engine=hybrid"};
    for (const char* engine : engines) waitForKernel(*session_, with({engine}), scene_);
    session_->clear();
    for (int round = 0; round < 3; ++round) {
        for (const char* engine : engines) {
            session_->setTarget(film_.samples + kSpp);
            renderTo(*session_, with({engine}), scene_);
            EXPECT_EQ(session_->kernel().variant.engine, with({engine}).variant.engine);
        }
    }
    expectComplete(fetch({}), film_.samples);
}

/// Two pictures that take turns do not allocate in every frame.
TEST_F(Engines, MemoryOfWavesStaysForAWhile) {
    use("vt9");
    settings_.variant.compaction = Compaction::host;  // engine=hybrid has none on the device
    allocate(1280, 720);
    const Settings plain = with({"engine=megakernel"});
    const auto freeBytes = [this](const Settings& s) {
        session_->setTarget(film_.samples + 1);
        renderTo(*session_, s, scene_);
        return freeDeviceMemory();
    };
    waitForKernel(*session_, plain, scene_);
    for (const char* engine : {"engine=wavefront", "engine=hybrid"}) {
        const Settings waves = with({engine});
        waitForKernel(*session_, waves, scene_);
        const double held = freeBytes(waves);
        EXPECT_NEAR(freeBytes(plain), held, kOthers) << engine;
        std::this_thread::sleep_for(std::chrono::milliseconds(2100));
        EXPECT_GT(freeBytes(plain), held + kOthers) << engine;
    }
}

TEST_F(Engines, HostBuffersKeepBothKinds) {
    HostBuffer buffer;
    buffer.reserve(HostMemory::pinned, 1 << 20);
    const unsigned char* const pinned = buffer.data();
    buffer.reserve(HostMemory::pageable, 1 << 20);
    const unsigned char* const pageable = buffer.data();
    EXPECT_NE(pageable, pinned);
    buffer.reserve(HostMemory::pinned, 1 << 10);
    EXPECT_EQ(buffer.data(), pinned);
    buffer.reserve(HostMemory::pageable, 1 << 20);
    EXPECT_EQ(buffer.data(), pageable);
}

TEST_F(Engines, KernelInfoNamesTheMainStage) {
    use("vt9");
    settings_.variant.countDepths = false;
    render(with({"engine=wavefront", "kernels=separate", "ray_source=kernel"}));
    const KernelInfo info = session_->kernel();
    EXPECT_NE(info.name.find("stage<"), std::string::npos) << info.name;
    EXPECT_GT(info.registers, 0);
    EXPECT_GT(info.occupancy, 0);
}

}  // namespace
}  // namespace rayscope

#endif
