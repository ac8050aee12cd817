// Lanes that share samples, rays that leave by one formula, keys and known roots on a real device,
// each against the CPU.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

namespace rayscope {
namespace {

class Lanes : public Gpu {
protected:
    /// The settings with assignments that replace what rules them out.
    Settings with(const std::vector<std::string>& assignments) const {
        Settings settings = settings_;
        settings.samples = kFewSpp;
        assignAll(settings, assignments);
        return settings;
    }

    /// Renders with each list of assignments that the scene permits.
    void compare(const std::vector<std::vector<std::string>>& choices) {
        const Rendering reference = renderOnCpu(with({}), scene_, kFewSpp);
        for (const std::vector<std::string>& assignments : choices) {
            const Settings settings = with(assignments);
            if (!renderer_->unsupported(settings).empty()) continue;
            SCOPED_TRACE(scene_.name + ": " + describe(settings));
            const Rendering picture = render(settings, kFewSpp);
            ++compared_;
            expectComplete(picture, kFewSpp);
            expectSameRays(picture.rays, reference.rays, 1e-3);
            EXPECT_LT(differenceAt(.95, picture, reference), 1e-2);
            EXPECT_NEAR(meanOf(picture) / meanOf(reference), 1, 1e-2);
            if (HasFatalFailure()) return;
        }
    }

    int compared_ = 0;
};

TEST_F(Lanes, EveryWayToTakeSamplesTracesTheSamePaths) {
    for (const std::string scene : kSomeScenes) {
        use(scene);
        std::vector<std::vector<std::string>> choices;
        for (const char* from : {"samples_from=pixel", "samples_from=warp", "samples_from=queue"}) {
            for (const char* begin : {"begin=branch", "begin=merged"}) {
                choices.push_back({"engine=regeneration", from, begin});
                choices.push_back({"engine=regeneration", from, begin, "block=8x4", "order=rows"});
            }
        }
        choices.push_back({"engine=regeneration", "samples_from=queue", "order=columns"});
        choices.push_back({"engine=regeneration", "samples_from=queue", "begin=merged",
                           "math=precise", "scene_layout=soa"});
        choices.push_back({"engine=regeneration", "samples_from=queue", "begin=merged",
                           "precision=double", "math=precise"});
        compare(choices);
    }
    EXPECT_EQ(compared_, 5 * 15);
}

TEST_F(Lanes, KeysFindWhatTheCpuFinds) {
    for (const std::string scene : {"vt9", "vt46", "cornell", "card"}) {
        use(scene);
        compare({{"search=keys"},
                 {"search=keys", "scene_layout=soa", "scene_memory=global"},
                 {"search=keys", "scene_memory=baked"},
                 {"search=keys", "scene_memory=baked", "math=precise"},
                 {"search=keys", "scene_memory=baked", "roots=known"},
                 {"search=keys", "scene_memory=baked", "roots=known", "engine=regeneration"},
                 {"search=keys", "scene_memory=baked", "roots=known", "engine=regeneration",
                  "samples_from=queue", "begin=merged"}});
    }
    EXPECT_EQ(compared_, 4 * 7);
    for (const std::string scene : {"vt46", "card"}) {
        use(scene);
        compare({{"search=boxed", "scene_memory=baked"},
                 {"search=boxed", "scene_memory=baked", "roots=known", "engine=regeneration",
                  "samples_from=queue", "begin=merged"}});
    }
    EXPECT_EQ(compared_, 4 * 7 + 2 * 2);
}

TEST_F(Lanes, LampsAreSampledInTheSameOrder) {
    for (const std::string scene : {"vt9", "vt46", "cornell"}) {
        use(scene);
        settings_.variant.lightSampling = true;
        compare({{"engine=regeneration", "samples_from=queue"},
                 {"engine=regeneration", "samples_from=queue", "begin=merged"},
                 {"search=keys", "scene_memory=baked", "roots=known"},
                 {"engine=regeneration", "samples_from=queue", "begin=merged", "search=keys",
                  "scene_memory=baked", "roots=known"},
                 {"engine=regeneration", "samples_from=queue", "begin=merged", "search=keys",
                  "scene_memory=baked", "roots=known", "light_queue=off"}});
    }
    EXPECT_EQ(compared_, 3 * 5);
}

/// Whatever adds to a pixel at the same time. Rays are not counted by depth: that kernel's lanes do
/// not wait for each other (kFewest, compact.h).
TEST_F(Lanes, FixedSumsRepeatToTheBit) {
    const std::vector<std::vector<std::string>> choices{
        {"samples_as=threads"},
        {"samples_as=threads", "engine=regeneration", "precision=double"},
        {"engine=regeneration", "samples_from=warp"},
        {"engine=regeneration", "samples_from=queue"},
        {"engine=regeneration", "samples_from=queue", "begin=merged", "scene_layout=aos"},
        {"engine=regeneration", "samples_from=queue", "begin=merged", "search=keys",
         "scene_memory=baked", "roots=known"},
        {"engine=regeneration", "samples_from=queue", "begin=merged", "search=keys",
         "scene_memory=baked", "roots=known", "light_sampling=on"}};
    for (const std::string scene : {"vt9", "cornell", "weekend"}) {
        use(scene);
        settings_.variant.countDepths = false;
        if (scene == "weekend") assignAll(settings_, {"accel=grid"});
        for (const std::vector<std::string>& assignments : choices) {
            Settings floats = with(assignments);
            if (!renderer_->unsupported(floats).empty()) continue;
            floats.samples = kSpp;
            Settings fixed = floats;
            fixed.variant.film = FilmSums::fixed;
            SCOPED_TRACE(scene_.name + ": " + describe(fixed));
            const Rendering first = render(fixed, 2 * kSpp);
            ++compared_;
            expectComplete(first, 2 * kSpp);
            const Rendering sums = render(floats, 2 * kSpp);
            expectSameRays(first.rays, sums.rays, 1e-3);
            EXPECT_LT(differenceAt(.99, first, sums), 1e-5);
            // not in bands: the first began with some rows, to time them
            EXPECT_TRUE(sameBits(first, render(fixed, 2 * kSpp)));
            // Blocks of 256 threads keep the grid in shared memory (NearGrid): other code, which
            // rounds differently.
            const char* const large = scene == "weekend" ? "block=16x4" : "block=16x16";
            for (const char* block : {"block=8x4", "block=64x1", large}) {
                Settings other = fixed;
                assignAll(other, {block});
                EXPECT_TRUE(sameBits(first, render(other, 2 * kSpp))) << block;
            }
        }
    }
    EXPECT_EQ(compared_, 3 * 7 - 2);
}

/// Two films take turns, and one goes on with floats.
TEST_F(Lanes, FixedSumsBelongToAFilm) {
    use("vt9");
    Settings fixed = with({"engine=regeneration", "samples_from=queue", "film=fixed"});
    Settings floats = fixed;
    floats.variant.film = FilmSums::atomic;
    const Rendering alone = render(fixed, 4 * kFewSpp);
    allocate();
    waitForKernel(*session_, fixed, scene_);
    SmallFilm other(*renderer_);
    for (int spp = kFewSpp; spp <= 4 * kFewSpp; spp += kFewSpp) {
        other.session->setTarget(spp);
        renderTo(*other.session, spp / kFewSpp % 2 == 0 ? fixed : floats, scene_);
        session_->setTarget(spp);
        renderTo(*session_, fixed, scene_);
    }
    EXPECT_TRUE(sameBits(alone, fetch({})));
}

/// Pieces that the film's edges cut, and a last piece of fewer samples.
TEST_F(Lanes, EverySampleIsTakenOnce) {
    use("vt9");
    for (const char* from : {"samples_from=warp", "samples_from=queue"}) {
        for (const char* order : {"order=tiles", "order=rows", "order=columns"}) {
            Settings settings = with({"engine=regeneration", from, order});
            settings.samples = 13;
            SCOPED_TRACE(describe(settings));
            allocate(157, 91);
            waitForKernel(*session_, settings, scene_);
            session_->clear();
            session_->setTarget(26);
            const Rendering picture = fetch(renderTo(*session_, settings, scene_));
            expectComplete(picture, 26);
            EXPECT_EQ(picture.rays.camera, 157u * 91u * 26u);
        }
    }
}

/// Then paths that begin there look at both roots of every sphere. What they see is dark, so the
/// camera is at its edge: part of its lens is outside.
TEST_F(Lanes, KnownRootsHoldForACameraInsideASphere) {
    use("vt9");
    const std::vector<std::vector<std::string>> choices{
        {"search=keys", "scene_memory=baked"},
        {"search=keys", "scene_memory=baked", "roots=known"},
        {"search=keys", "scene_memory=baked", "roots=known", "engine=regeneration",
         "samples_from=queue"},
        {"search=keys", "scene_memory=baked", "roots=known", "engine=regeneration",
         "samples_from=queue", "begin=merged"}};
    const Camera outside = scene_.camera;
    for (const glm::dvec3 from : {glm::dvec3(.3, .52, -1), glm::dvec3(.3, .35, -1)}) {
        scene_.camera.from = from;  // of a sphere around (0, 0, -1)
        scene_.camera.to = {0, .4, 0};
        scene_.camera.lensRadius = .2;
        renderer_->setScene(scene_);
        compare(choices);
    }
    EXPECT_EQ(compared_, 8);
    // the scene's own camera says on which side paths are; now that of the session is elsewhere
    Scene inside = scene_;
    inside.camera.from = {0, 0, -1};
    renderer_->setScene(inside);
    scene_.camera = outside;
    compare(choices);
}

/// Another stream of numbers, the same picture within its noise.
TEST_F(Lanes, TheLcgHasTheSameExpectation) {
    use("vt9");
    const auto meanBy = [&](const char* generator) {
        Settings settings = with({"engine=regeneration", generator});
        settings.samples = 32;
        return meanOf(render(settings, 256)) / 256;
    };
    const double pcg = meanBy("generator=pcg"), lcg = meanBy("generator=lcg");
    EXPECT_NE(pcg, lcg);
    EXPECT_NEAR(lcg / pcg, 1, 2e-3);
}

/// Light that is the same in every sample, 10^7 times. When every lane added to a film of floats,
/// the last two lost up to a percent of it.
TEST_F(Lanes, AFilmOfManySamplesLosesNothing) {
    constexpr int kSide = 16, kSamples = 10'000'384;
    scene_ = Scene();
    scene_.sky.kind = SkyKind::gradient;
    scene_.sky.bottom = scene_.sky.top = glm::vec3(.7f);
    renderer_->setScene(scene_);
    settings_ = defaultSettings(Backend::cuda, scene_);
    const std::vector<std::vector<std::string>> choices{
        {"samples=512"},
        {"samples_as=threads", "samples=512"},
        {"engine=wavefront", "samples=512"},
        {"engine=regeneration", "samples_from=warp", "samples=64"},
        {"engine=regeneration", "samples_from=queue", "samples=512"}};
    for (const std::vector<std::string>& assignments : choices) {
        Settings settings = settings_;
        assignAll(settings, assignments);
        ASSERT_EQ(renderer_->unsupported(settings), "") << describe(settings);
        SCOPED_TRACE(describe(settings));
        DeviceFilm memory;
        ASSERT_EQ(memory.allocate(kSide, kSide).reason(), "");
        Film film{kSide, kSide, memory.pixels()};
        const std::unique_ptr<Session> session = renderer_->open(film);
        session->setTarget(kSamples);
        renderTo(*session, settings, scene_);
        memory.startCopy();
        const Pixel* pixels = memory.waitForCopy();
        for (int i = 0; i < kSide * kSide; ++i) {
            ASSERT_EQ(pixels[i].samples, static_cast<float>(kSamples)) << i;
            ASSERT_NEAR(pixels[i].g / pixels[i].samples, .7, 1e-5) << i;
        }
    }
}

}  // namespace
}  // namespace rayscope

#endif
