// Several devices that render together: a GPU opened twice, with the CPU, and with other GPUs.

#include "renderer/devices/device_group.h"
#include "renderer/devices/device_list.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/lab/trial.h"
#include "tests/failing_renderer.h"
#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

namespace rayscope {
namespace {

constexpr int kGroupSpp = 300;

class GroupGpu : public Gpu {
protected:
    /// The same devices: the first GPU twice or, where there are more, all of them.
    static std::string several() { return cudaDevices().size() > 1 ? "all" : "0,0"; }

    std::unique_ptr<Renderer> opened(const std::string& devices) {
        auto group = openDevices(*deviceListFrom(devices));
        EXPECT_TRUE(group) << group.reason();
        if (!group) return nullptr;
        (*group)->setScene(scene_);
        return *std::move(group);
    }

    Rendering renderWith(Renderer& group, const Settings& settings, GroupWork* work = nullptr) {
        OffscreenFilm film;
        EXPECT_EQ(film.allocate(group, Backend::cuda, kWidth, kHeight).reason(), "");
        FilmRun run(group, film, settings, scene_.camera, kGroupSpp);
        playToEnd(run);
        EXPECT_EQ(run.problem(), "");
        const Pixel* const pixels = film.fetch();
        if (work != nullptr) *work = film.session().work();
        return {{pixels, pixels + kWidth * kHeight}, run.stats().rays, run.stats()};
    }

    static void expectSamePixels(const Rendering& one, const Rendering& other) {
        for (size_t i = 0; i < one.pixels.size(); ++i) {
            ASSERT_EQ(one.pixels[i].samples, other.pixels[i].samples) << i;
            ASSERT_NEAR(one.pixels[i].r, other.pixels[i].r, 1e-4 * (1 + one.pixels[i].r)) << i;
            ASSERT_NEAR(one.pixels[i].g, other.pixels[i].g, 1e-4 * (1 + one.pixels[i].g)) << i;
            ASSERT_NEAR(one.pixels[i].b, other.pixels[i].b, 1e-4 * (1 + one.pixels[i].b)) << i;
        }
    }
};

TEST_F(GroupGpu, MakesThePictureOfOneGpu) {
    for (const char* scene : {"vt9", "cornell", "weekend"}) {
        use(scene);
        for (const char* engine :
             {"engine=megakernel", "engine=regeneration", "engine=wavefront"}) {
            SCOPED_TRACE(std::string(scene) + " " + engine);
            Settings settings = settings_;
            assignAll(settings, {engine});
            const Rendering one = render(settings, kGroupSpp);
            for (const std::string& devices : {std::string("0,0"), several()}) {
                const auto group = opened(devices);
                ASSERT_NE(group, nullptr);
                GroupWork work;
                const Rendering together = renderWith(*group, settings, &work);
                expectSamePixels(one, together);
                EXPECT_EQ(one.rays.total(), together.rays.total());
                int samples = 0;
                for (const DeviceWork& device : work.devices) {
                    EXPECT_GT(device.samples, 0) << device.name;
                    EXPECT_EQ(device.problem, "");
                    samples += device.samples;
                }
                EXPECT_EQ(samples, kGroupSpp);
                EXPECT_GT(work.efficiency(), 0);
            }
        }
    }
}

TEST_F(GroupGpu, SaysHowFilmsAreAdded) {
    use("vt9");
    GroupWork work;
    renderWith(*opened("0,0"), settings_, &work);
    EXPECT_EQ(work.devices[1].way, "on the same GPU");
    renderWith(*opened("0,cpu"), settings_, &work);
    EXPECT_EQ(work.devices[1].way, "through the host");
    if (cudaDevices().size() < 2) GTEST_SKIP() << "there is one GPU";
    renderWith(*opened("0,1"), settings_, &work);
    int can = 0;
    ASSERT_EQ(cudaDeviceCanAccessPeer(&can, 1, 0), cudaSuccess);
    EXPECT_EQ(work.devices[1].way, can != 0 ? "peer copy" : "through the host");
}

TEST_F(GroupGpu, TheCpuAndAGpuAreAPair) {
    use("vt9");
    const Rendering one = render(settings_, kGroupSpp);
    const auto group = opened("0,cpu");
    ASSERT_NE(group, nullptr);
    GroupWork work;
    const Rendering both = renderWith(*group, settings_, &work);
    double sum = 0, difference = 0;
    for (size_t i = 0; i < one.pixels.size(); ++i) {
        ASSERT_EQ(both.pixels[i].samples, kGroupSpp);
        sum += one.pixels[i].g;
        difference += std::abs(one.pixels[i].g - both.pixels[i].g);
    }
    // contraction moves last bits, and so a path now and then
    EXPECT_LT(difference, .01 * sum);
    EXPECT_EQ(work.devices[0].samples + work.devices[1].samples, kGroupSpp);
    EXPECT_NEAR(static_cast<double>(both.rays.total()), static_cast<double>(one.rays.total()),
                1e-4 * static_cast<double>(one.rays.total()));
}

TEST_F(GroupGpu, ALostGpuIsDoneWithout) {
    use("cornell");
    const Rendering one = render(settings_, kGroupSpp);
    for (const bool first : {false, true}) {
        for (const int samples : {0, 8}) {
            std::vector<GroupMember> members;
            for (const int number : {0, several() == "all" ? 1 : 0}) {
                auto made = makeCudaRenderer(number);
                ASSERT_TRUE(made) << made.reason();
                members.push_back({Backend::cuda, *std::move(made)});
            }
            OneOfTwoFails two(samples);
            GroupMember &bad = members[first ? 0 : 1], &good = members[first ? 1 : 0];
            bad.renderer = two.failing(std::move(bad.renderer));
            good.renderer = two.waiting(std::move(good.renderer));
            const auto group = makeGroup(std::move(members));
            group->setScene(scene_);
            const Rendering rest = renderWith(*group, settings_);
            expectSamePixels(one, rest);
            EXPECT_NE(group->lost().find("it has burnt out"), std::string::npos);
        }
    }
}

TEST_F(GroupGpu, AWatchedFilmHasTheSamplesOfAllAfterOneFrame) {
    use("vt9");
    const auto group = opened(several());
    ASSERT_NE(group, nullptr);
    DeviceFilm memory;
    group->useThread();
    ASSERT_EQ(memory.allocate(kWidth, kHeight).reason(), "");
    Film film{kWidth, kHeight, memory.pixels()};
    const auto session = group->open(film);
    session->setWatched(true);
    settings_.samples = 1;
    waitForKernel(*session, settings_, scene_);
    session->advance(settings_, scene_.camera, 10);
    for (int frame = 0; frame < 20; ++frame) {
        session->clear();
        session->advance(settings_, scene_.camera, 10);
        EXPECT_GE(film.samples, 2);
        ASSERT_TRUE(memory.startCopy());
        const Pixel* const pixels = memory.waitForCopy();
        for (int i = 0; i < kWidth * kHeight; ++i)
            ASSERT_GE(pixels[i].samples, static_cast<float>(film.samples)) << i;
    }
    session->finish();
}

TEST_F(GroupGpu, IsMeasuredAsOne) {
    use("vt9");
    const auto group = opened(several());
    ASSERT_NE(group, nullptr);
    MeasureWish wish;
    wish.settings = settings_;
    wish.camera = scene_.camera;
    wish.width = scene_.width;
    wish.height = scene_.height;
    const auto measured = measure(*group, wish);
    ASSERT_TRUE(measured) << measured.reason();
    EXPECT_EQ(measured->rays.camera,
              static_cast<std::uint64_t>(measured->samples) * measured->width * measured->height);
    EXPECT_GT(measured->group.efficiency(), 0);
}

}  // namespace
}  // namespace rayscope

#endif
