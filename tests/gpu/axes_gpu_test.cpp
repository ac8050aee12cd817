// What the axes that map samples to threads, draw other numbers or load other code do on a device.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

#include "renderer/lab/divergence.h"

namespace rayscope {
namespace {

/// Every film and number of samples: warps of one pixel, of several, and pixels of several warps.
TEST_F(Gpu, AThreadForEachSampleTracesTheSamePaths) {
    use("vt9");
    for (const char* path : {"path=loop", "path=stack", "path=recursive"}) {
        for (const int samples : {1, 7, 16, 32, 33, 100}) {
            Settings loop = settings_;
            ASSERT_EQ(assign(loop, path).reason(), "");
            loop.samples = samples;
            Settings threads = loop;
            threads.variant.samplesAs = SamplesAs::threads;
            SCOPED_TRACE(describe(threads));
            const Rendering a = render(loop, samples);
            const Rendering b = render(threads, samples);
            expectComplete(b, samples);
            expectSameRays(a.rays, b.rays, 0);
            EXPECT_LT(differenceAt(1, a, b), 1e-4);  // summed in another order
        }
    }
}

TEST_F(Gpu, AThreadForEachSampleFillsFilmsOfAnySize) {
    use("vt9");
    settings_.variant.samplesAs = SamplesAs::threads;
    for (const auto& [width, height] : {std::pair{1, 1}, {37, 19}, {160, 3}, {3, 160}}) {
        for (const int samples : {5, 32, 1024}) {
            settings_.samples = samples;
            settings_.variant.path = samples == 5 ? Path::recursive : Path::loop;
            allocate(width, height);
            waitForKernel(*session_, settings_, scene_);
            session_->clear();
            session_->setTarget(samples);
            const Rendering p = fetch(renderTo(*session_, settings_, scene_));
            SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
            expectComplete(p, samples);
            EXPECT_EQ(p.rays.camera, std::uint64_t{1} * width * height * samples);
        }
    }
}

/// Other numbers, the same integral.
TEST_F(Gpu, RejectionSeesTheSamePicture) {
    for (const std::string name : {"vt9", "vt46", "cornell", "card"}) {
        use(name);
        settings_.samples = 64;
        const Rendering closed = render(settings_, 256);
        for (const char* dispatch : {"material_dispatch=branch", "material_dispatch=single"}) {
            Settings rejection = settings_;
            rejection.variant.sampling = Sampling::rejection;
            ASSERT_EQ(assign(rejection, dispatch).reason(), "");
            SCOPED_TRACE(name + " " + dispatch);
            const Rendering p = render(rejection, 256);
            expectComplete(p, 256);
            // nothing in "card" scatters at random: its mirrors are polished
            EXPECT_EQ(sameBits(closed, p), name == "card");
            EXPECT_NEAR(meanOf(p) / meanOf(closed), 1, .01);
            const double rays = static_cast<double>(closed.rays.total());
            EXPECT_NEAR(static_cast<double>(p.rays.total()), rays, 2e-3 * rays);
        }
    }
}

/// Wrong pictures, but pictures: rows that share their noise, and one state that all race for.
TEST_F(Gpu, SharedRandomNumbersRenderSomething) {
    use("vt9");
    const Rendering own = render(settings_);
    for (const char* random : {"random=per_row", "random=shared"}) {
        for (const char* samplesAs : {"samples_as=loop", "samples_as=threads"}) {
            Settings s = settings_;
            ASSERT_EQ(assign(s, random).reason(), "");
            ASSERT_EQ(assign(s, samplesAs).reason(), "");
            SCOPED_TRACE(describe(s));
            const Rendering p = render(s);
            expectComplete(p, kSpp);
            EXPECT_FALSE(sameBits(own, p));
            EXPECT_NEAR(meanOf(p) / meanOf(own), 1, .5);
            std::cout << random << " " << samplesAs << ": brightness " << meanOf(p) / meanOf(own)
                      << " of one a path, rays "
                      << static_cast<double>(p.rays.total()) / static_cast<double>(own.rays.total())
                      << "\n";
        }
    }
}

TEST_F(Gpu, PtxIsTranslatedByTheDriver) {
    use("vt9");
    for (const char* cap : {"max_registers=none", "max_registers=40"}) {
        Settings machine = settings_;
        ASSERT_EQ(assign(machine, cap).reason(), "");
        Settings ptx = machine;
        ptx.variant.code = Code::ptx;
        const Rendering a = render(machine);
        const Rendering b = render(ptx);
        expectSameRays(a.rays, b.rays, 1e-4);
        EXPECT_LT(differenceAt(.99, a, b), 1e-3);
        const KernelInfo info = session_->kernel();
        EXPECT_GT(info.registers, 0);
        EXPECT_EQ(info.spillBytes, -1);  // the driver does not say
        if (ptx.variant.maxRegisters > 0) {
            EXPECT_LE(info.registers, ptx.variant.maxRegisters);
        }
    }
}

TEST_F(Gpu, MakingTheContextTookTime) {
    EXPECT_GT(renderer_->device().contextMs, 0);
}

}  // namespace
}  // namespace rayscope

#else

TEST(Axes, Skipped) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
