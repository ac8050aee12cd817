// Several devices that render together: here CPUs, and some that are made up.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

#include "renderer/devices/backends.h"
#include "renderer/devices/device_group.h"
#include "renderer/devices/device_list.h"
#include "renderer/devices/group_session.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/lab/trial.h"
#include "tests/failing_renderer.h"
#include "tests/made_up_renderer.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr int kGroupWidth = 96, kGroupHeight = 54;

std::unique_ptr<Renderer> cpus(int count) {
    std::vector<GroupMember> members(static_cast<std::size_t>(count));
    for (GroupMember& member : members) member.renderer = makeCpuRenderer();
    return makeGroup(std::move(members));
}

std::unique_ptr<Renderer> with(std::unique_ptr<Renderer> first, std::unique_ptr<Renderer> second) {
    std::vector<GroupMember> members;
    members.push_back({Backend::cpu, std::move(first)});
    members.push_back({Backend::cpu, std::move(second)});
    return makeGroup(std::move(members));
}

Rendered renderGroup(Renderer& renderer, const Scene& scene, const Settings& settings, int spp) {
    renderer.setScene(scene);
    return renderWith(renderer, settings, scene.camera, kGroupWidth, kGroupHeight, spp);
}

void expectSamePicture(const Rendered& one, const Rendered& several, int spp) {
    EXPECT_EQ(one.stats.rays.camera, several.stats.rays.camera);
    EXPECT_EQ(one.stats.rays.bounce, several.stats.rays.bounce);
    EXPECT_EQ(one.stats.rays.shadow, several.stats.rays.shadow);
    for (const Pixel& p : several.pixels) ASSERT_EQ(p.samples, static_cast<float>(spp));
    // floats are added in another order
    EXPECT_LT(largestDifference(one, several), 2e-6);
}

class GroupPicture : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(GroupPicture, IsThatOfOneDevice) {
    for (const char* name : {"vt9", "cornell"}) {
        const Scene scene = sceneNamed(name);
        const Settings settings = cpuSettings(scene, GetParam());
        const Rendered one = renderCpu(scene, settings, kGroupWidth, kGroupHeight, 37);
        for (const int count : {2, 3}) {
            const auto group = cpus(count);
            expectSamePicture(one, renderGroup(*group, scene, settings, 37), 37);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Settings, GroupPicture,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"samples=1"},
                                         std::vector<std::string>{"samples=8", "light_sampling=on"},
                                         std::vector<std::string>{"engine=wavefront"},
                                         std::vector<std::string>{"engine=regeneration"}));

/// Remembers which samples it was asked for, and takes its time.
class Listener : public MadeUpRenderer {
public:
    explicit Listener(double msPerSample) : msPerSample_(msPerSample) {}
    FrameStats advance(const Settings& settings, const Camera&, MadeUpSession& session,
                       double) override {
        const int first = session.film().samples + session.pass().skipped;
        const int count = session.doPass(settings.samples);
        const Clock::time_point start = Clock::now();
        for (int i = 0; i < count; ++i) numbers.push_back(first + i);
        while (waits && millisecondsSince(start) < msPerSample_ * count) std::this_thread::yield();
        FrameStats stats;
        stats.kernelMs = stats.timedMs = msPerSample_ * count;
        stats.rays.camera = static_cast<std::uint64_t>(count) * 1000;
        stats.timedRays = stats.rays.camera;
        stats.launches = 1;
        return stats;
    }
    std::vector<int> numbers;
    bool waits = true;

private:
    double msPerSample_;
};

TEST(Group, EverySampleIsRenderedOnce) {
    auto a = std::make_unique<Listener>(.05), b = std::make_unique<Listener>(.05);
    Listener &first = *a, &second = *b;
    const auto group = with(std::move(a), std::move(b));
    std::vector<Pixel> pixels(16);
    Film film{4, 4, pixels.data()};
    const auto session = group->open(film);
    Settings settings = settingsWith(Path::loop);
    settings.samples = 7;
    session->clear();
    session->skip(100);
    session->setTarget(999);
    while (!session->done()) session->advance(settings, {}, 10);
    EXPECT_EQ(film.samples, 999);
    std::set<int> all(first.numbers.begin(), first.numbers.end());
    all.insert(second.numbers.begin(), second.numbers.end());
    EXPECT_EQ(first.numbers.size() + second.numbers.size(), 999u);
    EXPECT_EQ(all.size(), 999u);
    EXPECT_EQ(*all.begin(), 100);
    EXPECT_EQ(*all.rbegin(), 1098);
}

/// Two made-up devices of these speeds, and pictures that they render together.
class PairOfSpeeds {
public:
    PairOfSpeeds(double msOfFirst, double msOfSecond) {
        auto a = std::make_unique<Listener>(msOfFirst), b = std::make_unique<Listener>(msOfSecond);
        a->waits = b->waits = false;
        second = b.get();
        group_ = with(std::move(a), std::move(b));
        session = group_->open(film_);
    }
    FrameStats render(int samples) {
        session->clear();
        session->setTarget(samples);
        FrameStats stats;
        while (!session->done()) stats += session->advance(settingsWith(Path::loop), {}, 10);
        return stats += session->finish();
    }
    /// Until both have had something to do.
    void warmUp(int samples) {
        for (int i = 0; i < 1000 && second->numbers.empty(); ++i) render(samples);
    }
    Listener* second = nullptr;
    std::unique_ptr<Session> session;

private:
    std::vector<Pixel> pixels_ = std::vector<Pixel>(16);
    Film film_{4, 4, pixels_.data()};
    std::unique_ptr<Renderer> group_;
};

TEST(Group, SharesFollowTheSpeed) {
    PairOfSpeeds pair(.02, .08);
    pair.warmUp(500);
    const FrameStats stats = pair.render(500);
    const GroupWork work = pair.session->work();
    ASSERT_EQ(work.devices.size(), 2u);
    EXPECT_EQ(work.devices[0].samples, 400);
    EXPECT_EQ(work.devices[1].samples, 100);
    EXPECT_NEAR(work.devices[0].kernelMs, 8, 1e-9);
    EXPECT_NEAR(work.devices[1].kernelMs, 8, 1e-9);
    EXPECT_NEAR(stats.kernelMs, 8, 1e-9) << "both at the same time";
    EXPECT_EQ(stats.rays.camera, 500000u);
    // 50,000 and 12,500 samples a second of 1000 rays
    EXPECT_NEAR(work.raysPerSecondAlone(), 62.5e6, 1);
    EXPECT_NEAR(work.raysPerSecond(), 500e6 / work.wallMs, 1);
    EXPECT_DOUBLE_EQ(work.efficiency(), work.raysPerSecond() / work.raysPerSecondAlone());
}

TEST(Group, ADeviceThatComesLastIsTriedEverMoreSeldom) {
    PairOfSpeeds pair(.01, 50);
    pair.warmUp(200);
    const std::size_t before = pair.second->numbers.size();
    for (int i = 0; i < 400; ++i) pair.render(200);
    const std::size_t tried = pair.second->numbers.size() - before;
    EXPECT_GE(tried, 4u) << "it may have become faster";
    EXPECT_LE(tried, 8u);
    EXPECT_EQ(pair.session->work().devices[0].samples, 200);
}

/// Its device works on between two calls, as a GPU does.
class WorkingOn : public AskingRenderer {
public:
    WorkingOn() : AskingRenderer(makeCpuRenderer(), [](int, int) {}) {}
    std::unique_ptr<Session> open(Film& film) override {
        struct Own : SessionBefore {
            using SessionBefore::SessionBefore;
            bool worksOn() const override { return true; }
        };
        return std::make_unique<Own>(makeSession(film), film, [](int, int) {});
    }

private:
    std::unique_ptr<Session> makeSession(Film& film) { return AskingRenderer::open(film); }
};

TEST(Group, TimeCountsWhileADeviceWorks) {
    constexpr double kPauseMs = 50;
    const Scene scene = sceneNamed("vt9");
    const auto pausing = [&](std::unique_ptr<Renderer> second) {
        const auto group = with(makeCpuRenderer(), std::move(second));
        group->setScene(scene);
        std::vector<Pixel> pixels(16);
        Film film{4, 4, pixels.data()};
        const auto session = group->open(film);
        session->clear();
        session->setTarget(1000000);
        const Clock::time_point start = Clock::now();
        session->advance(cpuSettings(scene), scene.camera, 1);
        const double before = millisecondsSince(start);
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(kPauseMs));
        return session->work().wallMs - before;
    };
    EXPECT_LE(pausing(makeCpuRenderer()), 0) << "nobody works between two calls";
    EXPECT_GE(pausing(std::make_unique<WorkingOn>()), .9 * kPauseMs) << "one of two does";
}

TEST(Group, ASingleSampleIsRendered) {
    PairOfSpeeds pair(.02, .02);
    pair.warmUp(500);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(pair.render(1).rays.camera, 1000u);
}

TEST(Group, ALostDeviceIsDoneWithout) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene);
    const Rendered one = renderCpu(scene, settings, kGroupWidth, kGroupHeight, 64);
    for (const int samples : {0, 1, 8}) {
        OneOfTwoFails two(samples);
        const auto group = with(two.waiting(makeCpuRenderer()), two.failing(makeCpuRenderer()));
        group->setScene(scene);
        OffscreenFilm film;
        ASSERT_TRUE(film.allocate(*group, Backend::cpu, kGroupWidth, kGroupHeight));
        FilmRun run(*group, film, settings, scene.camera, 64);
        playToEnd(run);
        EXPECT_EQ(run.problem(), "");
        Rendered rest;
        rest.pixels.assign(film.fetch(), film.fetch() + one.pixels.size());
        for (const Pixel& p : rest.pixels) ASSERT_EQ(p.samples, 64);
        EXPECT_LT(largestDifference(one, rest), 2e-6);
        EXPECT_EQ(group->lost(), "made-up device is lost: it has burnt out");
        const GroupWork work = film.session().work();
        EXPECT_EQ(work.devices[0].samples + work.devices[1].samples, 64);
        EXPECT_EQ(work.devices[1].problem, "it has burnt out");
        EXPECT_EQ(group->device().name, "made-up device");
    }
}

TEST(Group, WithoutTheDeviceOfTheFilmOthersBeginAnew) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene);
    OneOfTwoFails two(8);
    const auto group = with(two.failing(makeCpuRenderer()), two.waiting(makeCpuRenderer()));
    EXPECT_THROW(renderGroup(*group, scene, settings, 64), std::runtime_error);
    EXPECT_EQ(group->goOnWithout("it has burnt out"), Backend::cpu);
    EXPECT_EQ(group->lost(), "made-up device is lost: it has burnt out");
    expectSamePicture(renderCpu(scene, settings, kGroupWidth, kGroupHeight, 64),
                      renderGroup(*group, scene, settings, 64), 64);
    EXPECT_EQ(group->goOnWithout("so has this one"), std::nullopt);
}

TEST(Group, APictureBeginsAnewWithoutTheDeviceOfItsFilm) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene);
    OneOfTwoFails two(8);
    const auto group = with(two.failing(makeCpuRenderer()), two.waiting(makeCpuRenderer()));
    group->setScene(scene);
    OffscreenFilm film;
    ASSERT_TRUE(film.allocate(*group, Backend::cpu, kGroupWidth, kGroupHeight));
    FilmRun run(*group, film, settings, scene.camera, 64);
    playToEnd(run);
    EXPECT_EQ(run.problem(), "");
    const Rendered one = renderCpu(scene, settings, kGroupWidth, kGroupHeight, 64);
    Rendered rest{{film.fetch(), film.fetch() + one.pixels.size()}, run.stats()};
    expectSamePicture(one, rest, 64);

    OneOfTwoFails more(8), none(0);
    const auto alone = with(more.failing(makeCpuRenderer()), none.failing(makeCpuRenderer()));
    alone->setScene(scene);
    ASSERT_TRUE(film.allocate(*alone, Backend::cpu, kGroupWidth, kGroupHeight));
    FilmRun lost(*alone, film, settings, scene.camera, 64);
    EXPECT_THROW(playToEnd(lost), std::runtime_error);
}

auto measuredFor(double seconds, Renderer& group, const Scene& scene) {
    MeasureWish wish;
    wish.settings = cpuSettings(scene);
    wish.camera = scene.camera;
    wish.width = kGroupWidth;
    wish.height = kGroupHeight;
    wish.seconds = seconds;
    return measure(group, wish);
}

TEST(Group, FiguresOfFewerDevicesAreNone) {
    const Scene scene = sceneNamed("vt9");
    OneOfTwoFails two(0);
    const auto group = with(makeCpuRenderer(), two.failing(makeCpuRenderer()));
    group->setScene(scene);
    const auto measured = measuredFor(.3, *group, scene);
    ASSERT_FALSE(measured);
    EXPECT_EQ(measured.reason(), "made-up device is lost: it has burnt out");
}

TEST(Group, IsMeasuredAsOne) {
    const Scene scene = sceneNamed("vt9");
    const auto group = cpus(2);
    group->setScene(scene);
    const auto measured = measuredFor(.2, *group, scene);
    ASSERT_TRUE(measured) << measured.reason();
    EXPECT_GE(measured->passes, 2);
    ASSERT_EQ(measured->group.devices.size(), 2u);
    EXPECT_GT(measured->group.efficiency(), 0);
    EXPECT_LE(measured->group.efficiency(), 1);
    EXPECT_EQ(measured->rays.camera,
              static_cast<std::uint64_t>(measured->samples) * measured->width * measured->height);
}

TEST(Group, AFilmThatGoesOnKeepsItsSamples) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene, {"samples=4"});
    const auto group = cpus(2);
    group->setScene(scene);
    std::vector<Pixel> pixels(kGroupWidth * kGroupHeight);
    Film film{kGroupWidth, kGroupHeight, pixels.data()};
    int skipped = 0;
    for (const int target : {10, 30}) {  // two sessions, one after the other
        const auto session = group->open(film);
        session->skip(skipped);
        if (target == 10) session->clear();
        session->setTarget(target);
        while (!session->done()) session->advance(settings, scene.camera, 3);
        EXPECT_TRUE(session->abandonPass());
        skipped = session->pass().skipped;
        EXPECT_EQ(skipped, 0) << "none was begun and not finished";
    }
    Rendered both;
    both.pixels = pixels;
    const Rendered one = renderCpu(scene, settings, kGroupWidth, kGroupHeight, 30);
    for (const Pixel& p : pixels) ASSERT_EQ(p.samples, 30);
    EXPECT_LT(largestDifference(one, both), 2e-6);
}

TEST(Group, AWatchedFilmIsSeenAfterTheFirstPass) {
    const Scene scene = sceneNamed("vt9");
    Settings settings = cpuSettings(scene, {"samples=1"});
    const auto group = cpus(2);
    group->setScene(scene);
    std::vector<Pixel> pixels(kGroupWidth * kGroupHeight);
    Film film{kGroupWidth, kGroupHeight, pixels.data()};
    const auto session = group->open(film);
    session->setWatched(true);
    for (int frame = 0; frame < 5; ++frame) {
        session->clear();
        for (int step = 0; film.samples == 0 && step < 1000; ++step)
            session->advance(settings, scene.camera, 10);
        ASSERT_GE(film.samples, 1);
        for (const Pixel& p : pixels) ASSERT_GE(p.samples, static_cast<float>(film.samples));
    }
    // other settings: what is under way is left, and no sample has the number of another
    session->advance(settings, scene.camera, .01);
    session->abandonPass();
    const int before = film.samples;
    settings.variant.sceneLayout = SceneLayout::aos;
    for (int step = 0; film.samples < before + 20 && step < 1000; ++step)
        session->advance(settings, scene.camera, 10);
    EXPECT_GE(film.samples, before + 20);
}

TEST(Group, SaysWhatItCannotDo) {
    const Scene scene = sceneNamed("vt9");
    const auto group = cpus(2);
    group->setScene(scene);
    EXPECT_EQ(group->unsupported(cpuSettings(scene)), "");
    EXPECT_EQ(group->unsupported(defaultSettings(Backend::cuda, scene)),
              makeCpuRenderer()->unsupported(defaultSettings(Backend::cuda, scene)));
    EXPECT_NE(group->counterReader({}).reason().find("choose one with --device"),
              std::string::npos);
    EXPECT_NE(group->countInstructions({}, [] {}).reason().find("choose one with --device"),
              std::string::npos);
    EXPECT_NE(group->countByTwins({}, [] {}).reason().find("choose one with --device"),
              std::string::npos);
    Settings own = cpuSettings(scene);
    own.source = 1;
    EXPECT_NE(group->unsupported(own).find("nothing has been edited"), std::string::npos);
}

TEST(Group, ThreadsAreSharedOut) {
    std::vector<GroupMember> members(3);
    for (GroupMember& member : members) member.renderer = makeCpuRenderer();
    const DeviceGroup group(std::move(members));
    Settings settings = cpuSettings(sceneNamed("vt9"));
    settings.threads = 8;
    int sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const int threads = group.settingsOf(i, settings).threads;
        EXPECT_GE(threads, 2);
        sum += threads;
    }
    EXPECT_EQ(sum, 8);
}

TEST(Group, TimesAreThoseOfTheLongest) {
    const auto report = [](double ms) {
        FrameStats stats;
        stats.kernelMs = stats.timedMs = ms;
        return stats;
    };
    SharedTimes times;
    double sum = times.add({report(10), report(0)}, 2).kernelMs;  // the second reports late
    sum += times.add({report(10), report(14)}, 2).kernelMs;
    EXPECT_DOUBLE_EQ(sum, 17);
    sum += times.finish().kernelMs;
    EXPECT_DOUBLE_EQ(sum, 20);
    sum += times.add({report(1), report(5)}, 2).kernelMs;
    sum += times.finish().kernelMs;
    EXPECT_DOUBLE_EQ(sum, 25);
    EXPECT_DOUBLE_EQ(times.finish().kernelMs, 0);
}

TEST(DeviceList, IsReadAndWritten) {
    for (const char* text : {"0", "0,2", "cpu", "cpu,cpu", "0,0", "255", "all", "all,cpu"}) {
        const auto list = deviceListFrom(text);
        ASSERT_TRUE(list) << text;
        EXPECT_EQ(textOf(*list), text);
        EXPECT_FALSE(list->any());
    }
    EXPECT_EQ(textOf(*deviceListFrom("cpu,1,0")), "1,0,cpu") << "GPUs come first, as named";
    for (const char* text :
         {"", ",", "0,", "x", "-1", "256", "0;1", "0 1", "gpu", "1e3", "\x1b[0m"})
        EXPECT_FALSE(deviceListFrom(text)) << text;
    EXPECT_TRUE(deviceListFrom("0,cpu")->several());
    EXPECT_TRUE(deviceListFrom("all")->several());
    EXPECT_FALSE(deviceListFrom("1")->several());
    EXPECT_FALSE(deviceListFrom("cpu,cpu")->wantsGpu());
    EXPECT_TRUE(deviceListFrom("0,cpu")->wantsGpu());
}

TEST(DeviceList, OfCpusNamesTheCpusBackend) {
    const Backends backends(*deviceListFrom("cpu,cpu"));
    EXPECT_FALSE(backends.has(Backend::cuda));
    EXPECT_EQ(backends.noCuda(), "--device cpu,cpu names no GPU");
    EXPECT_TRUE(backends.get(Backend::cpu).device().name.starts_with("2 x "));
}

}  // namespace
}  // namespace rayscope
