// The CUDA backend on a real device, against the CPU backend. Skipped, with the reason, where there
// is none.

#include <sstream>

#include "tests/gpu/compile_ahead.h"
#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

namespace rayscope {
namespace {

/// Every value of every axis that makes a kernel, one changed at a time.
std::vector<Settings> neighbours(const Renderer& renderer, const Settings& settings) {
    std::vector<Settings> all;
    for (const Axis& axis : axes()) {
        if (!axis.onCuda || axis.kind == AxisKind::number || axis.id == "backend" ||
            axis.id == "display" || axis.id == "precision" || axis.effect >= Effect::paths)
            continue;
        for (int value = axis.minimum; value <= axis.maximum; ++value) {
            Settings changed = settings;
            choose(changed, axis, value);
            if (!axis.matters(changed) || !renderer.unsupported(changed).empty()) continue;
            if (changed.variant.precision != settings.variant.precision) continue;  // its companion
            if (changed.variant.regeneration == Regeneration::budget) continue;     // biased
            all.push_back(changed);
        }
    }
    return all;
}

/// All of them against one CPU picture.
void compareAxes(const Renderer& renderer, const Scene& scene, const Settings& base,
                 const std::function<Rendering(const Settings&)>& render) {
    for (int precision = 0; precision < 2; ++precision) {
        Settings settings = base;
        settings.variant.precision = static_cast<Precision>(precision);
        const Rendering reference = renderOnCpu(settings, scene);
        const bool exact = precision == 0;
        const double tolerance = toleranceOf(settings, scene);
        const std::vector<Settings> all = neighbours(renderer, settings);
        compileAhead(all, scene, renderer.device().architecture);
        for (const Settings& changed : all) {
            SCOPED_TRACE(scene.name + ": " + describe(changed));
            const Rendering picture = render(changed);
            expectComplete(picture, kSpp);
            expectSameRays(picture.rays, reference.rays, exact ? 1e-5 : 1e-4);
            EXPECT_LT(differenceAt(.99, picture, reference), tolerance);
            EXPECT_NEAR(meanOf(picture) / meanOf(reference), 1, exact ? 1e-4 : 1e-2);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST_F(Gpu, EveryChoiceTracesTheSamePathsAsTheCpu) {
    for (const std::string name : {"vt9", "vt46", "cornell", "card"}) {
        use(name);
        compareAxes(*renderer_, scene_, settings_, [&](const Settings& s) { return render(s); });
    }
}

TEST_F(Gpu, EveryChoiceOfRegenerationTracesTheSamePathsAsTheCpu) {
    for (const std::string name : {"vt9", "cornell"}) {
        use(name);
        settings_.variant.engine = Engine::regeneration;
        compareAxes(*renderer_, scene_, settings_, [&](const Settings& s) { return render(s); });
    }
}

/// As published: every sample's budget of rays is spent, and the picture is too bright.
TEST_F(Gpu, ABudgetOfRaysIsSpentToTheLast) {
    use("vt9");
    const Rendering reference = render(settings_);
    settings_.variant.engine = Engine::regeneration;
    settings_.variant.regeneration = Regeneration::budget;
    for (const SamplesAs as : {SamplesAs::loop, SamplesAs::threads}) {
        settings_.variant.samplesAs = as;
        ASSERT_EQ(renderer_->unsupported(settings_), "");
        const Rendering picture = render(settings_);
        EXPECT_EQ(picture.rays.camera + picture.rays.bounce, 10ull * kSpp * kWidth * kHeight);
        // pixel by pixel: dark ones have more samples for their rays
        double light = 0, samples = 0, truth = 0;
        for (size_t i = 0; i < picture.pixels.size(); ++i) {
            ASSERT_GT(picture.pixels[i].samples, 0);
            light += picture.pixels[i].g / picture.pixels[i].samples;
            samples += picture.pixels[i].samples;
            truth += reference.pixels[i].g / reference.pixels[i].samples;
        }
        EXPECT_LT(samples, static_cast<double>(picture.rays.camera));
        const double bias = light / truth;
        EXPECT_GT(bias, 1.05);
        EXPECT_LT(bias, 1.2);
    }
}

TEST_F(Gpu, LightSamplingTracesTheSamePathsAsTheCpu) {
    for (const std::string name : {"vt9", "vt46"}) {
        use(name);
        settings_.variant.lightSampling = true;
        ASSERT_EQ(renderer_->unsupported(settings_), "");
        compareAxes(*renderer_, scene_, settings_, [&](const Settings& s) { return render(s); });
        EXPECT_GT(render(settings_).rays.shadow, 0u);
    }
}

TEST_F(Gpu, LargeSceneInGlobalMemory) {
    use("weekend");
    settings_.samples = 2;
    settings_.variant.sceneMemory = SceneMemory::global;
    const Rendering picture = render(settings_, 2);
    const Rendering reference = renderOnCpu(settings_, scene_, 2);
    expectComplete(picture, 2);
    expectSameRays(picture.rays, reference.rays, 1e-3);
}

TEST_F(Gpu, CountsRaysOfVt9) {
    use("vt9");
    const Rendering p = render(settings_, 64);
    // known answer of the scene, for its own shape of picture
    const Rendering reference = renderOnCpu(settings_, scene_, 64);
    const double gpu = static_cast<double>(p.rays.total()) / static_cast<double>(p.rays.camera);
    const double cpu =
        static_cast<double>(reference.rays.total()) / static_cast<double>(reference.rays.camera);
    EXPECT_EQ(p.rays.camera, 64ull * kWidth * kHeight);
    EXPECT_NEAR(gpu, cpu, 1e-3);
}

/// A tiny budget cuts passes into bands that are taken up again; the film is the same to the bit. It
/// is large enough for several that fill the device.
TEST_F(Gpu, BandsGiveTheSameFilmAsOneLaunch) {
    use("vt9");
    for (const char* assignment : {"order=tiles", "order=rows", "order=columns",
                                   "samples_as=threads", "block=160x1", "block=32x16"}) {
        Settings s = settings_;
        ASSERT_EQ(assign(s, assignment).reason(), "");
        allocate(1920, 1080);
        const Rendering whole = renderFilm(s, 2 * kSpp, 1000);
        const Rendering bands = renderFilm(s, 2 * kSpp, .02);
        EXPECT_TRUE(sameBits(whole, bands)) << assignment;
        EXPECT_EQ(whole.rays.total(), bands.rays.total());
        EXPECT_GT(bands.stats.launches, whole.stats.launches) << "the budget cut nothing";
        EXPECT_GE(bands.stats.kernelMs, bands.stats.timedMs);
    }
}

TEST_F(Gpu, LastPassStopsAtTheTarget) {
    use("vt9");
    settings_.samples = 5;
    const Rendering p = render(settings_, 12);
    expectComplete(p, 12);
    EXPECT_EQ(film_.samples, 12);
    EXPECT_EQ(session_->pass().samples, 0);
    EXPECT_EQ(session_->advance(settings_, scene_.camera, 50).launches, 0);
    EXPECT_EQ(session_->finish().launches, 0);
}

TEST_F(Gpu, ClearEmptiesTheFilm) {
    use("vt9");
    render(settings_);
    session_->clear();
    EXPECT_EQ(film_.samples, 0);
    for (const Pixel& pixel : fetch({}).pixels) {
        ASSERT_EQ(pixel.r + pixel.g + pixel.b + pixel.samples, 0);
    }
}

TEST_F(Gpu, AdvanceKeepsToItsBudget) {
    use("vt46");
    allocate(1280, 720);
    settings_.variant.precision = Precision::float64;
    settings_.variant.path = Path::recursive;
    settings_.samples = 64;
    settings_.launches = 8;
    session_->setWatched(true);
    waitForKernel(*session_, settings_, scene_);
    double longest = 0;
    for (int i = 0; i < 40; ++i) {
        const Clock::time_point start = Clock::now();
        session_->advance(settings_, scene_.camera, 10);
        session_->finish();  // what was queued
        const std::chrono::duration<double, std::milli> took = Clock::now() - start;
        longest = std::max(longest, took.count());
    }
    RecordProperty("longest_ms", std::to_string(longest));
    EXPECT_LT(longest, 50) << "a window would fall under 20 frames a second";
}

TEST_F(Gpu, TheOldKernelGoesOnWhileAnotherIsMade) {
    use("vt9");
    allocate();
    waitForKernel(*session_, settings_, scene_);
    Settings other = settings_;
    other.variant.sceneLayout = SceneLayout::aos;
    const Clock::time_point start = Clock::now();
    std::uint64_t meanwhile = 0;
    do {
        meanwhile += session_->advance(other, scene_.camera, 5).rays.total();
    } while (!session_->kernel().ready && Clock::now() - start < std::chrono::seconds(30));
    const std::chrono::duration<double, std::milli> first = Clock::now() - start;
    const bool cached = session_->kernel().cached;
    const Clock::time_point again = Clock::now();
    session_->advance(settings_, scene_.camera, 5);
    EXPECT_TRUE(session_->kernel().ready) << "a loaded kernel is there at once";
    const std::chrono::duration<double, std::milli> back = Clock::now() - again;
    std::cout << "switch: " << first.count() << " ms (" << (cached ? "cached" : "compiled")
              << "), back " << back.count() << " ms, " << meanwhile << " rays meanwhile\n";
}

TEST_F(Gpu, KernelInfoTellsWhatRuns) {
    use("vt9");
    settings_.variant.countDepths = false;
    render(settings_);
    const KernelInfo info = session_->kernel();
    EXPECT_TRUE(info.ready);
    EXPECT_GT(info.registers, 0);
    EXPECT_EQ(info.localBytes, 0);
    EXPECT_EQ(info.spillBytes, 0);
    EXPECT_GE(info.sharedBytes, 0);
    EXPECT_GT(info.occupancy, 0);
    EXPECT_LE(info.occupancy, 1);
    EXPECT_NE(info.name.find("megakernel"), std::string::npos);
    EXPECT_EQ(info.compileLog, "");
    std::cout << renderer_->device().name << ", " << renderer_->device().detail << ": "
              << info.registers << " registers, occupancy " << info.occupancy << "\n";
}

TEST_F(Gpu, BrokenSourcesKeepTheLastGoodKernel) {
    use("vt9");
    allocate();
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope-broken-" + std::to_string(getpid()));
    ASSERT_EQ(copyKernelSources(folder.string(), "renderer/core/path.h").reason(), "");
    ASSERT_EQ(setKernelSourceDirectory(kMine, folder.string()).reason(), "");
    settings_.source = kMine;
    waitForKernel(*session_, settings_, scene_);
    std::ofstream(folder / "renderer/core/path.h") << "this does not compile\n";
    const Clock::time_point start = Clock::now();
    FrameStats stats;
    while (session_->kernel().compileLog.empty() &&
           Clock::now() - start < std::chrono::seconds(30)) {
        stats += session_->advance(settings_, scene_.camera, 5);
    }
    EXPECT_NE(session_->kernel().compileLog.find("path.h(1)"), std::string::npos)
        << session_->kernel().compileLog;
    EXPECT_FALSE(session_->kernel().ready);
    stats = session_->advance(settings_, scene_.camera, 50);
    stats += session_->finish();
    EXPECT_GT(stats.rays.total(), 0u) << "the last good kernel does not render";
    ASSERT_EQ(setKernelSourceDirectory(kMine, "").reason(), "");
    fs::remove_all(folder);
    settings_.source = kBuiltIn;
    waitForKernel(*session_, settings_, scene_);
    EXPECT_EQ(session_->kernel().compileLog, "");
}

TEST_F(Gpu, WhatCannotBeHadHasAReason) {
    use("vt9");
    allocate();
    waitForKernel(*session_, settings_, scene_);
    Settings tooMany = settings_;
    tooMany.variant.maxRegisters = 168;
    ASSERT_EQ(assign(tooMany, "block=32x16").reason(), "");
    EXPECT_NE(renderer_->unsupported(tooMany), "");
    FrameStats stats = session_->advance(tooMany, scene_.camera, 50);
    stats += session_->finish();
    EXPECT_GT(stats.rays.total(), 0u) << "the last good kernel does not render";
    EXPECT_FALSE(session_->kernel().ready);
}

TEST_F(Gpu, DeepRecursionRunsOrSaysWhyNot) {
    use("vt9");
    settings_.variant.path = Path::recursive;
    settings_.depth = kMaxDepth;
    allocate();
    const Clock::time_point start = Clock::now();
    FrameStats stats;
    while (!session_->kernel().ready && renderer_->unsupported(settings_).empty() &&
           Clock::now() - start < std::chrono::seconds(30)) {
        stats += session_->advance(settings_, scene_.camera, 50);
    }
    stats += session_->finish();
    EXPECT_TRUE(stats.rays.total() > 0 || !renderer_->unsupported(settings_).empty());
}

TEST_F(Gpu, MemoryOfDeepStacksIsGivenBack) {
    use("vt9");
    settings_.depth = 32;
    settings_.variant.precision = Precision::float64;
    allocate();
    waitForKernel(*session_, settings_, scene_);
    session_->releasePaths();  // what a test before has left
    const double before = freeDeviceMemory();
    for (const Path path : {Path::recursive, Path::stack}) {
        Settings deep = settings_;
        deep.variant.path = path;
        SCOPED_TRACE(describe(deep));
        waitForKernel(*session_, deep, scene_);
        const double held = freeDeviceMemory();
        EXPECT_LT(held, before - kOthers);
        waitForKernel(*session_, settings_, scene_);
        EXPECT_LT(freeDeviceMemory(), held + kOthers) << "two pictures may take turns";
        std::this_thread::sleep_for(std::chrono::milliseconds(2100));
        waitForKernel(*session_, settings_, scene_);
        EXPECT_GT(freeDeviceMemory(), before - kOthers);
    }
}

/// The limit is the context's: what one gives back the other takes again.
TEST_F(Gpu, TwoRenderersShareDeepStacks) {
    auto second = makeCudaRenderer();
    ASSERT_TRUE(second) << second.reason();
    Renderer& other = **second;
    use("vt9");
    other.setScene(scene_);
    settings_.depth = 32;
    const Settings flat = settings_;
    settings_.variant.path = Path::recursive;
    const Rendering alone = render(settings_);
    const SmallFilm own(other);
    waitForKernel(*own.session, flat, scene_);
    EXPECT_TRUE(sameBits(alone, render(settings_)));
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    waitForKernel(*own.session, flat, scene_);
    EXPECT_TRUE(sameBits(alone, render(settings_)));
    own.session->releasePaths();
    EXPECT_TRUE(sameBits(alone, render(settings_)));
}

TEST_F(Gpu, SceneCanChangeWhileRendering) {
    use("vt9");
    render(settings_);
    use("cornell");
    const Rendering after = render(settings_);
    const Rendering reference = renderOnCpu(settings_, scene_);
    expectSameRays(after.rays, reference.rays, 1e-4);
}

TEST_F(Gpu, AnAdjustedSphereIsSeenAsInAnotherScene) {
    for (const std::string name : {"vt9", "weekend"}) {
        for (const char* axes :
             {"scene_memory=global accel=bvh", "scene_memory=global accel=brute",
              "scene_memory=constant accel=bvh", "engine=hybrid compaction=host"}) {
            use(name);
            std::istringstream words(axes);
            for (std::string word; words >> word;) EXPECT_EQ(assign(settings_, word).reason(), "");
            SCOPED_TRACE(describe(settings_));
            const Rendering before = render(settings_);
            Sphere& sphere = scene_.spheres[1];
            for (int i = 0; i < 2; ++i) {
                sphere.center.x += .3;
                renderer_->adjustSphere(1, sphere);
            }
            const Rendering adjusted = render(settings_);
            renderer_->setScene(scene_);
            EXPECT_TRUE(sameBits(adjusted, render(settings_)));
            EXPECT_FALSE(sameBits(adjusted, before));
        }
    }
}

TEST_F(Gpu, TwoRenderersDoNotDisturbEachOther) {
    use("vt9");
    const Rendering alone = render(settings_);
    auto second = makeCudaRenderer();
    ASSERT_TRUE(second) << second.reason();
    Renderer& other = **second;
    const Scene cornell = load("cornell");
    other.setScene(cornell);
    const SmallFilm own(other);
    waitForKernel(*own.session, defaultSettings(Backend::cuda, cornell), cornell);
    EXPECT_TRUE(sameBits(alone, render(settings_)));
}

TEST_F(Gpu, FilmTooLargeForTheDeviceIsASentence) {
    DeviceFilm film;
    EXPECT_NE(film.allocate(1 << 20, 1 << 20).reason().find("choose a smaller picture"),
              std::string::npos);
    EXPECT_EQ(film.pixels(), nullptr);
    EXPECT_EQ(film.allocate(64, 64).reason(), "") << "a smaller film must still be possible";
}

TEST_F(Gpu, FilmIsCopiedInOrder) {
    use("vt9");
    render(settings_);
    session_->clear();
    EXPECT_TRUE(memory_.startCopy());
    const Pixel* copy = memory_.waitForCopy();
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy[0].samples, 0);
    session_->setTarget(3);
    settings_.samples = 3;
    renderTo(*session_, settings_, scene_);
    EXPECT_TRUE(memory_.startCopy());
    copy = memory_.waitForCopy();
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy[0].samples, 3);
    EXPECT_EQ(copy[kWidth * kHeight - 1].samples, 3);
}

TEST_F(Gpu, AFilmFromTheHostGoesOnConverging) {
    use("vt9");
    allocate();
    // What another backend has accumulated: eight samples of one colour.
    std::vector<Pixel> before(size_t{1} * kWidth * kHeight, Pixel{8, 16, 24, 8});
    memory_.upload(before.data());
    film_.samples = 8;
    session_->setTarget(8 + kSpp);
    const FrameStats stats = renderTo(*session_, settings_, scene_);
    const Rendering both = fetch(stats);
    const Rendering alone = [&] {
        session_->clear();
        film_.samples = 8;
        session_->setTarget(8 + kSpp);
        return fetch(renderTo(*session_, settings_, scene_));
    }();
    for (size_t i = 0; i < before.size(); i += 97) {
        EXPECT_EQ(both.pixels[i].samples, alone.pixels[i].samples + 8) << i;
        EXPECT_NEAR(both.pixels[i].r, alone.pixels[i].r + 8, 1e-3 * (8 + both.pixels[i].r)) << i;
        EXPECT_NEAR(both.pixels[i].b, alone.pixels[i].b + 24, 1e-3 * (24 + both.pixels[i].b)) << i;
    }
}

TEST_F(Gpu, InteropWithoutOpenGlIsASentence) {
    InteropBuffer buffer;
    EXPECT_NE(buffer.registerBuffer(1).reason().find("display=copy"), std::string::npos);
    EXPECT_FALSE(buffer.registered());
    EXPECT_THROW(buffer.map(), std::runtime_error);
    use("vt9");
    render(settings_);  // the failure leaves no error behind
}

}  // namespace
}  // namespace rayscope

#else

TEST(Gpu, Skipped) {
    const auto made = rayscope::makeCudaRenderer();
    ASSERT_FALSE(made);
    GTEST_SKIP() << made.reason();
}

#endif
