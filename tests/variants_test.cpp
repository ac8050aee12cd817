// Every CPU variant traces the same paths: equal to the bit where only the storage or the
// optimisation level differs, to rounding where sums are ordered otherwise.

#include <fmt/format.h>

#include <set>

#include "renderer/choices/kernel_variant.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

struct Case {
    const char* scene;
    bool lightSampling;
    bool everyLevel = false;  ///< of optimisation, each of which is a kernel to compile
};

class Variants : public testing::TestWithParam<Case> {
protected:
    Scene scene = sceneNamed(GetParam().scene);

    Rendered render(std::vector<std::string> assignments) const {
        assignments.push_back(GetParam().lightSampling ? "light_sampling=on"
                                                       : "light_sampling=off");
        return renderCpu(scene, cpuSettings(scene, assignments), 48, 27, 8);
    }
    static std::vector<std::string> levels() {
        if (GetParam().everyLevel) return {"opt=O0", "opt=O1", "opt=O2", "opt=O3"};
        return {"opt=O0"};
    }
    static std::vector<std::string> levelsAndNative() {
        if (!GetParam().everyLevel) return {"opt=native"};
        std::vector<std::string> all = levels();
        all.emplace_back("opt=native");
        return all;
    }
    void layoutAndOptimisationChangeNoBit() const;
    void stackAndRecursionAddUpTheSamePaths() const;
    void whatRaysWalkChangesNoBit() const;
    static bool sameRays(const Rays& a, const Rays& b) {
        return a.camera == b.camera && a.bounce == b.bounce && a.shadow == b.shadow &&
               a.depth == b.depth;
    }
};

std::string precisionOf(bool wide) {
    return wide ? "precision=double" : "precision=float";
}

void Variants::layoutAndOptimisationChangeNoBit() const {
    for (const bool wide : {false, true}) {
        const std::string precision = precisionOf(wide);
        const Rendered reference = render({precision, "opt=O2", "scene_layout=soa"});
        for (const std::string& opt : levels()) {
            for (const char* layout : {"scene_layout=aos", "scene_layout=soa"}) {
                const Rendered other = render({precision, opt, layout});
                EXPECT_TRUE(sameBits(reference, other)) << precision << opt << layout;
                EXPECT_TRUE(sameRays(reference.stats.rays, other.stats.rays))
                    << precision << opt << layout;
            }
        }
        const Rendered native = render({precision, "opt=native", "scene_layout=soa"});
        const Rendered nativeAos = render({precision, "opt=native", "scene_layout=aos"});
        EXPECT_TRUE(sameBits(native, nativeAos)) << precision;
    }
}

void Variants::stackAndRecursionAddUpTheSamePaths() const {
    for (const bool wide : {false, true}) {
        const std::string precision = precisionOf(wide);
        for (const std::string& opt : levelsAndNative()) {
            const Rendered loop = render({precision, opt, "path=loop"});
            for (const char* layout : {"scene_layout=aos", "scene_layout=soa"}) {
                for (const char* path : {"path=stack", "path=recursive"}) {
                    const Rendered other = render({precision, opt, layout, path});
                    EXPECT_TRUE(sameRays(loop.stats.rays, other.stats.rays))
                        << precision << opt << layout << path;
                    EXPECT_LT(largestDifference(loop, other), 2e-6)
                        << precision << opt << layout << path;
                }
            }
        }
    }
}

void Variants::whatRaysWalkChangesNoBit() const {
    for (const bool wide : {false, true}) {
        for (const std::string& opt : GetParam().everyLevel
                                          ? std::vector<std::string>{"opt=O2", "opt=native"}
                                          : levelsAndNative()) {
            const Rendered all = render({precisionOf(wide), opt, "accel=brute"});
            for (const char* layout : {"scene_layout=aos", "scene_layout=soa"}) {
                for (const char* accel : {"accel=bvh", "accel=grid", "accel=bvh4"}) {
                    const Rendered walked = render({precisionOf(wide), opt, layout, accel});
                    EXPECT_TRUE(sameBits(all, walked))
                        << precisionOf(wide) << opt << layout << accel;
                    EXPECT_TRUE(sameRays(all.stats.rays, walked.stats.rays))
                        << precisionOf(wide) << opt << layout << accel;
                }
            }
        }
    }
}

TEST_P(Variants, LayoutAndOptimisationChangeNoBit) {
    layoutAndOptimisationChangeNoBit();
}
TEST_P(Variants, StackAndRecursionAddUpTheSamePaths) {
    stackAndRecursionAddUpTheSamePaths();
}
TEST_P(Variants, WhatRaysWalkChangesNoBit) {
    whatRaysWalkChangesNoBit();
}

/// The same with kernels of every optimisation level.
class EveryLevel : public Variants {};
TEST_P(EveryLevel, LayoutAndOptimisationChangeNoBit) {
    layoutAndOptimisationChangeNoBit();
}
TEST_P(EveryLevel, StackAndRecursionAddUpTheSamePaths) {
    stackAndRecursionAddUpTheSamePaths();
}
TEST_P(EveryLevel, WhatRaysWalkChangesNoBit) {
    whatRaysWalkChangesNoBit();
}

TEST_P(Variants, EveryHierarchyChangesNoBit) {
    const Rendered all = render({"accel=brute"});
    EXPECT_EQ(all.stats.buildMs, -1) << "there is none";
    for (const char* accel : {"accel=bvh", "accel=bvh4"}) {
        for (const char* hierarchy : {"sah", "lbvh", "lbvh60", "refit"}) {
            const Rendered walked = render({accel, std::string("hierarchy=") + hierarchy});
            EXPECT_TRUE(sameBits(all, walked)) << accel << hierarchy;
            EXPECT_GE(walked.stats.buildMs, 0) << accel << hierarchy;
        }
    }
}

/// By themselves, as in a simulation, twice.
TEST_P(Variants, SpheresThatMoveAreSeenAsInAnotherScene) {
    for (const char* accel : {"accel=brute", "accel=grid", "accel=bvh", "accel=bvh4"}) {
        for (const char* hierarchy : {"sah", "lbvh", "lbvh60", "refit"}) {
            const Settings settings =
                cpuSettings(scene, {accel, std::string("hierarchy=") + hierarchy});
            SCOPED_TRACE(describe(settings));
            const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
            renderer->setScene(scene);
            Scene moved = scene;
            for (int step = 0; step < 2; ++step) {
                const auto picture = [&] {
                    return renderWith(*renderer, settings, scene.camera, 48, 27, 2);
                };
                const Rendered before = picture();
                for (size_t i = 0; i < moved.spheres.size(); ++i) {
                    Sphere& s = moved.spheres[i];
                    if (s.radius < 100) s.center += glm::dvec3(i % 3, i % 2, i % 5) * .1;
                }
                renderer->moveSpheres(SharedScene(moved));
                const Rendered now = picture();
                EXPECT_FALSE(sameBits(now, before));
                EXPECT_TRUE(sameBits(now, renderCpu(moved, settings, 48, 27, 2)));
            }
        }
    }
}

/// Moved and dyed where it lies, then so large that the scene is one with walls, and small again.
TEST_P(Variants, AnAdjustedSphereIsSeenAsInAnotherScene) {
    for (const bool wide : {false, true}) {
        for (const char* layout : {"scene_layout=aos", "scene_layout=soa"}) {
            for (const char* accel : {"accel=brute", "accel=bvh", "accel=grid", "accel=bvh4"}) {
                const Settings settings = cpuSettings(scene, {precisionOf(wide), layout, accel});
                SCOPED_TRACE(describe(settings));
                const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
                renderer->setScene(scene);
                const auto picture = [&] {
                    return renderWith(*renderer, settings, scene.camera, 48, 27, 2);
                };
                const Rendered before = picture();
                Scene adjusted = scene;
                Sphere& sphere = adjusted.spheres[1];
                const auto expectSeen = [&](const char* what) {
                    renderer->adjustSphere(1, sphere);
                    const Rendered now = picture();
                    const Rendered anew = renderCpu(adjusted, settings, 48, 27, 2);
                    EXPECT_FALSE(sameBits(now, before)) << what;
                    EXPECT_TRUE(sameBits(anew, now)) << what;
                };
                sphere.center.x += .5;
                expectSeen("moved");
                sphere.center.y += .5;
                expectSeen("moved on");
                sphere.radius *= 1.25;
                sphere.material.albedo = {.9, .2, .1};
                expectSeen("resized and dyed");
                sphere.radius = 2e4;
                sphere.center.y = -2e4;
                expectSeen("large");
                sphere = scene.spheres[1];
                sphere.radius *= .9;
                sphere.material.albedo = {.1, .2, .9};
                expectSeen("small");
            }
        }
    }
}

TEST_P(Variants, OrderAndThreadsChangeNoBit) {
    const Rendered reference = render({});
    EXPECT_TRUE(sameBits(reference, render({"order=rows"})));
    EXPECT_TRUE(sameBits(reference, render({"order=columns"})));
    EXPECT_TRUE(sameBits(reference, render({"threads=1"})));
    EXPECT_TRUE(sameBits(reference, render({"threads=5"})));
}

/// The streams of rows and the shared one are other numbers for the same integral.
TEST_P(Variants, OtherRandomNumbersSeeTheSamePicture) {
    const auto picture = [&](const char* random) {
        std::vector<std::string> assignments{random, "samples=16", "threads=3"};
        assignments.push_back(GetParam().lightSampling ? "light_sampling=on"
                                                       : "light_sampling=off");
        return renderCpu(scene, cpuSettings(scene, assignments), 96, 54, 64);
    };
    const Rendered own = picture("random=per_path");
    for (const char* random : {"random=per_row", "random=shared"}) {
        const Rendered other = picture(random);
        EXPECT_FALSE(sameBits(own, other)) << random;
        EXPECT_NEAR(other.mean().y, own.mean().y, .04 * own.mean().y) << random;
        const double rays = static_cast<double>(own.stats.rays.total());
        EXPECT_NEAR(static_cast<double>(other.stats.rays.total()), rays, .01 * rays) << random;
    }
}

/// A row's stream begins anew in every piece, so threads and passes change no bit.
TEST_P(Variants, StreamsOfRowsDependOnThePieceAlone) {
    const Rendered one = render({"random=per_row", "threads=1"});
    EXPECT_TRUE(sameBits(one, render({"random=per_row", "threads=5"})));
    EXPECT_FALSE(sameBits(one, render({"random=per_row", "order=rows"})));
}

TEST_P(Variants, NativeVectorsTraceTheSamePaths) {
    expectAlmostSame(render({"precision=double", "opt=O2"}), render({"precision=double"}), 1e-6,
                     1e-9, .999);
    expectAlmostSame(render({"opt=O2"}), render({}), 2e-3, 1e-3, .95);
}

TEST_P(Variants, SinglePrecisionSeesThePictureOfDouble) {
    expectAlmostSame(render({"precision=double"}), render({"precision=float"}), 4e-3, 1e-3, .9);
}

TEST_P(Variants, SamplesInSeveralPassesAreTheSameSamples) {
    const Rendered once = render({"samples=8"});
    const Rendered often = render({"samples=3"});
    EXPECT_LT(largestDifference(once, often), 1e-6);
    EXPECT_TRUE(sameRays(once.stats.rays, often.stats.rays));
}

std::string caseName(const testing::TestParamInfo<Case>& info) {
    return std::string(info.param.scene) + (info.param.lightSampling ? "LightSampling" : "");
}

std::vector<Case> cases(bool everyLevel) {
    std::vector<Case> all{{"vt9", false},    {"vt9", true},   {"vt46", true},    {"cornell", false},
                          {"cornell", true}, {"card", false}, {"weekend", false}};
    for (Case& one : all) one.everyLevel = everyLevel;
    return all;
}

INSTANTIATE_TEST_SUITE_P(Scenes, Variants, testing::ValuesIn(cases(false)), caseName);
INSTANTIATE_TEST_SUITE_P(Scenes_nightly, EveryLevel, testing::ValuesIn(cases(true)), caseName);

TEST(Film, AnAdvanceOfNoTimeGoesOnWhereItStopped) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene, {"samples=2"});
    const Rendered whole = renderCpu(scene, settings, 100, 70, 6);
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    std::vector<Pixel> pixels(100 * 70);
    Film film{100, 70, pixels.data()};
    const std::unique_ptr<Session> session = renderer->open(film);
    session->setTarget(6);
    session->clear();
    int calls = 0;
    Rays rays;
    while (!session->done()) {
        rays += session->advance(settings, scene.camera, 0).rays;
        ++calls;
    }
    EXPECT_GT(calls, 10);
    EXPECT_TRUE(sameBits(whole, Rendered{pixels, {}}));
    EXPECT_EQ(rays.total(), whole.stats.rays.total());
}

/// All pixels of a piece's row would be alike if they began with the same numbers.
TEST(Film, PixelsOfARowDoNotShareTheirNoise) {
    Scene scene = sceneNamed("vt9");
    scene.spheres.clear();
    scene.sky = {SkyKind::gradient, {0, 0, 0}, {1, 1, 1}};
    const Settings settings = cpuSettings(scene, {"random=per_row", "samples=1"});
    const Rendered r = renderCpu(scene, settings, 64, 2, 1);
    std::set<float> different;
    for (const Pixel& p : r.pixels) different.insert(p.g);
    EXPECT_GT(different.size(), 120u);
}

TEST(Film, FiveHundredThreadsShareOneState) {
    const Scene scene = sceneNamed("card");
    const Settings settings = cpuSettings(scene, {"random=shared", "threads=512", "samples=1"});
    const Rendered r = renderCpu(scene, settings, 64, 64, 2);
    EXPECT_EQ(r.stats.rays.camera, 2u * 64 * 64);
}

TEST(Film, SamplesFitTheTime) {
    EXPECT_EQ(howManyFit(64, 0, 500), 64);
    EXPECT_EQ(howManyFit(64, 500. / 64, 500), 64);
    EXPECT_EQ(howManyFit(64, 50, 500), 10);
    EXPECT_EQ(howManyFit(64, 1000, 500), 1);
    EXPECT_EQ(howManyFit(64, 50, 0), 1);
}

constexpr double kShortMs = 1e-6, kForeverMs = 1e9;

class Passes {
public:
    Passes(bool watched, std::vector<std::string> assignments) : scene_(sceneNamed("vt9")) {
        assignments.insert(assignments.end(), {"samples=16", "threads=2"});
        settings_ = cpuSettings(scene_, assignments);
        renderer_->setScene(scene_);
        session_->setWatched(watched);
        Settings other = settings_;  // has the same kernel, and a speed of its own
        ++other.seed;
        while (!session_->kernel().ready) session_->advance(other, scene_.camera, kShortMs);
        session_->abandonPass();
        session_->clear();
    }

    /// Samples of each pass that was begun in so many calls of advance().
    std::vector<int> begun(const std::vector<double>& budgets) {
        std::vector<int> passes;
        for (const double ms : budgets) {
            const int before = session_->pass().samples, had = film_.samples;
            session_->advance(settings_, scene_.camera, ms);
            if (before == 0) passes.push_back(film_.samples - had + session_->pass().samples);
        }
        return passes;
    }

private:
    Scene scene_;
    Settings settings_;
    std::unique_ptr<Renderer> renderer_ = makeCpuRenderer();
    std::vector<Pixel> pixels_ = std::vector<Pixel>(64 * 64);
    Film film_{64, 64, pixels_.data()};
    std::unique_ptr<Session> session_ = renderer_->open(film_);
};

TEST(Film, PassesOfAWatchedFilmFitTheBudget) {
    const std::vector<double> budgets{kShortMs, kForeverMs, kShortMs, kForeverMs};
    const std::vector<int> ones{1, 1}, whole{16, 16};
    EXPECT_EQ(Passes(true, {}).begun(budgets), ones);
    EXPECT_EQ(Passes(false, {}).begun(budgets), whole);
    EXPECT_EQ(Passes(true, {"random=per_row"}).begun(budgets), whole) << "another picture";
    EXPECT_EQ(Passes(true, {"random=shared"}).begun(budgets), whole) << "another picture";
}

TEST(Film, PassesOfAWatchedFilmAreWholeWhereThereIsTime) {
    const std::vector<int> passes = Passes(true, {}).begun({kForeverMs, kForeverMs, kForeverMs});
    EXPECT_EQ(passes, (std::vector{1, 16, 16})) << "one of unknown speed, then all";
}

/// Pieces reach beyond a narrow film; what they took is that of the pixels within.
TEST(Film, ANarrowFilmSaysHowLongAWideOneTakes) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene, {"order=rows", "samples=16", "threads=2"});
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    std::vector<Pixel> pixels(256 * 64);
    Film film{1, 64, pixels.data()};
    const std::unique_ptr<Session> session = renderer->open(film);
    session->setWatched(true);
    session->clear();
    session->advance(settings, scene.camera, kForeverMs);
    const FrameStats stats = session->advance(settings, scene.camera, kForeverMs);
    ASSERT_EQ(film.samples, 17) << "one of unknown speed, then all";
    film.width = 256;
    session->clear();
    session->advance(settings, scene.camera, stats.kernelMs);
    EXPECT_LE(film.samples + session->pass().samples, 2)
        << "of 16: a thread's piece has 256 pixels, not 1";
}

TEST(Film, TheBudgetIsKept) {
    const Scene scene = sceneNamed("weekend");
    const Settings settings = cpuSettings(scene, {"samples=16"});
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    std::vector<Pixel> pixels(1280 * 720);
    Film film{1280, 720, pixels.data()};
    const std::unique_ptr<Session> session = renderer->open(film);
    session->clear();
    FrameStats stats;
    do {
        stats = session->advance(settings, scene.camera, 20);
    } while (!session->kernel().ready);
    EXPECT_LT(session->pass().cursor, 1280 * 720);  // not the whole pass
    EXPECT_GT(session->pass().cursor, 0);
    EXPECT_GT(stats.rays.total(), 0u);
}

/// In any order of pieces, also where they do not fill the film, and in waves.
TEST(Film, NoTimeForAPieceMakesTheSamePicture) {
    for (const char* assignment : {"order=tiles", "order=rows", "order=columns", "engine=wavefront",
                                   "engine=regeneration", "engine=packets"}) {
        if (assignment == std::string("engine=packets") && widestPackets() == 0) continue;
        const Scene scene = sceneNamed("vt9");
        const Settings settings = cpuSettings(scene, {assignment, "samples=2"});
        const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
        renderer->setScene(scene);
        const int width = 37, height = 21;
        const auto rendered = [&](double ms, int* calls) {
            std::vector<Pixel> pixels(width * height);
            Film film{width, height, pixels.data()};
            const std::unique_ptr<Session> session = renderer->open(film);
            session->setTarget(2);
            session->clear();
            for (*calls = 0; !session->done() && *calls < 100000; ++*calls)
                session->advance(settings, scene.camera, ms);
            return pixels;
        };
        int once = 0, often = 0;
        const auto whole = rendered(kForeverMs, &once), single = rendered(kShortMs, &often);
        EXPECT_EQ(once, 1) << assignment;
        EXPECT_GT(often, width * height / 2) << assignment << ": more than a pixel at a time";
        for (int i = 0; i < width * height; ++i) {
            ASSERT_EQ(whole[i].r, single[i].r) << assignment << " " << i;
            ASSERT_EQ(single[i].samples, 2) << assignment << " " << i;
        }
    }
}

}  // namespace
}  // namespace rayscope
