// Equal work is called equal, and every planted error DIFFERENT with the right sentence.

#include "renderer/lab/equal_work.h"

#include <fmt/format.h>

#include <functional>
#include <random>

#include "renderer/choices/kernel_variant.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

/// The CPU renderer with something wrong with it.
class Tampered : public Renderer {
public:
    std::function<void(Settings&, Camera&)> request;  ///< renders something else
    std::function<void(Film&)> film;                  ///< spoils what has been rendered

    DeviceInfo device() const override { return inner_->device(); }
    void setScene(const SharedScene& scene) override { inner_->setScene(scene); }
    void adjustSphere(int i, const Sphere& s) override { inner_->adjustSphere(i, s); }
    std::string unsupported(const Settings& s) const override { return inner_->unsupported(s); }
    std::unique_ptr<Session> open(Film& picture) override {
        return std::make_unique<Spoiler>(*this, picture);
    }
    PathLengths pathLengths(const Settings& s, const Camera& c, int width, int height, int samples,
                            const std::stop_token& stop) override {
        return inner_->pathLengths(s, c, width, height, samples, stop);
    }
    PixelTimes pixelTimes(const Settings& s, const Camera& c, int width, int height, int samples,
                          const std::stop_token& stop) override {
        return inner_->pixelTimes(s, c, width, height, samples, stop);
    }

private:
    class Spoiler : public Session {
    public:
        Spoiler(Tampered& owner, Film& picture)
            : Session(picture), owner_(owner), inner_(owner.inner_->open(picture)) {}
        FrameStats advance(const Settings& settings, const Camera& camera,
                           double budgetMs) override {
            Settings s = settings;
            Camera c = camera;
            if (owner_.request) owner_.request(s, c);
            inner_->setTarget(target());
            const FrameStats stats = inner_->advance(s, c, budgetMs);
            if (owner_.film && done()) owner_.film(film());
            return stats;
        }
        FrameStats finish() override { return inner_->finish(); }
        void releasePaths() override { inner_->releasePaths(); }
        KernelInfo kernel() const override { return inner_->kernel(); }

    private:
        void clearPixels() override { inner_->clear(); }
        Tampered& owner_;
        std::unique_ptr<Session> inner_;
    };

    std::unique_ptr<Renderer> inner_ = makeCpuRenderer();
};

/// A small comparison: some hundred milliseconds.
class EqualWorkOf : public testing::TestWithParam<const char*> {
protected:
    void use(const std::string& name) {
        scene_ = sceneNamed(name);
        a_.setScene(scene_);
        b_.setScene(scene_);
    }
    void SetUp() override { use(GetParam()); }

    EqualWorkWish wish(const std::vector<std::string>& both, const std::vector<std::string>& b) {
        const Settings a = cpuSettings(scene_, both);
        Settings changed = a;
        for (const std::string& assignment : b) EXPECT_EQ(assign(changed, assignment).reason(), "");
        EqualWorkWish wish = equalWorkWish(a, changed, scene_);
        wish.width = 64;
        wish.height = 36;
        wish.samples = 8;
        wish.referenceSamples = 0;
        wish.resolution = 1;
        return wish;
    }
    EqualWorkResult run(const EqualWorkWish& wish) {
        EqualWork job(a_, b_, wish);
        playToEnd(job);
        if (!job.problem().empty()) throw std::runtime_error(job.problem());
        return job.result();
    }
    EqualWorkResult compare(const std::vector<std::string>& both,
                            const std::vector<std::string>& b) {
        return run(wish(both, b));
    }
    void expectVerdict(const std::vector<std::string>& both, const std::vector<std::string>& b,
                       std::initializer_list<Verdict> allowed) {
        const EqualWorkResult r = compare(both, b);
        EXPECT_NE(std::find(allowed.begin(), allowed.end(), r.verdict), allowed.end())
            << scene_.name << ": "
            << fmt::format("{} | {}", fmt::join(both, " "), fmt::join(b, " ")) << ": "
            << nameOf(r.verdict) << ", " << r.sentence;
    }

    Scene scene_;
    Tampered a_, b_;
};

using OfVt9 = EqualWorkOf;
using Scenes = EqualWorkOf;

constexpr Verdict kIdentical = Verdict::identical;
constexpr Verdict kSameRays = Verdict::sameRays;
constexpr Verdict kSameExpectation = Verdict::sameExpectation;
constexpr Verdict kDifferent = Verdict::different;

TEST_P(Scenes, StorageAndOrderAreIdenticalWork) {
    for (const char* change : {"scene_layout=aos", "order=rows", "order=columns", "threads=1"})
        expectVerdict({}, {change}, {kIdentical});
    expectVerdict({}, {scene_.name == "weekend" ? "accel=brute" : "accel=bvh"}, {kIdentical});
    expectVerdict({"opt=O2"}, {"opt=O3"}, {kIdentical});
    expectVerdict({"opt=O2", "precision=double"}, {"opt=O0"}, {kIdentical});
}

TEST_P(Scenes, EnginesAndRoundingTraceTheSameRays) {
    for (const char* change :
         {"engine=regeneration", "engine=wavefront", "path=stack", "path=recursive", "samples=3"})
        expectVerdict({}, {change}, {kIdentical, kSameRays});
    if (widestPackets() > 0) {
        expectVerdict({}, {"engine=packets"}, {kSameRays});
        for (const char* change : {"threads=1", "lane_refill=off", "light_queue=off", "scan=each"})
            expectVerdict({"engine=packets"}, {change}, {kIdentical});
    }
    expectVerdict({"engine=wavefront"}, {"state_layout=aos"}, {kIdentical});
    expectVerdict({}, {"opt=O2"}, {kSameRays, kSameExpectation});
    expectVerdict({}, {"precision=double"}, {kSameRays, kSameExpectation});
    expectVerdict({"precision=double"}, {"opt=O2"}, {kIdentical, kSameRays});
}

TEST_P(Scenes, OtherRandomNumbersHaveTheSameExpectation) {
    expectVerdict({}, {"random=per_row"}, {kSameExpectation});
    expectVerdict({}, {"random=shared"}, {kSameExpectation});
    const bool diffuse =
        scene_.name != "card";  // its spheres are glossy, its floor draws no directions
    expectVerdict({}, {"sampling=rejection"}, {diffuse ? kSameExpectation : kIdentical});
    if (unsupported(cpuSettings(scene_, {"light_sampling=on"}), scene_).empty())
        expectVerdict({}, {"light_sampling=on"}, {kSameExpectation});
}

TEST_P(Scenes, ASeedChangesNoExpectation) {
    b_.request = [](Settings& s, Camera&) { s.seed += 100; };
    expectVerdict({}, {}, {kSameExpectation});
}

TEST_P(Scenes, OneBounceFewerIsDifferent) {
    for (const bool seeded : {false, true}) {
        b_.request = [&](Settings& s, Camera&) {
            --s.depth;
            if (seeded) s.seed += 100;
        };
        const int depth = std::min(10, scene_.depth);
        const EqualWorkResult r = compare({fmt::format("depth={}", depth)}, {});
        EXPECT_EQ(r.verdict, kDifferent) << seeded;
        EXPECT_EQ(r.sentence.find(fmt::format("B has no rays at depth {}", depth)), 0u)
            << r.sentence;
    }
}

TEST_P(Scenes, ARowWithoutLightIsDifferent) {
    b_.film = [](Film& film) {
        for (int x = 0; x < film.width; ++x) {
            Pixel& p = film.pixels[film.width * 20 + x];
            p.r = p.g = p.b = 0;
        }
    };
    const EqualWorkResult r = compare({}, {});
    EXPECT_EQ(r.verdict, kDifferent);
    EXPECT_EQ(r.sentence, "row 21 from the top is black in B");
    EXPECT_FALSE(r.lessWork);
}

TEST_P(Scenes, ARowWithoutSamplesIsDifferent) {
    b_.film = [](Film& film) { std::fill_n(film.pixels + film.width * 20, film.width, Pixel{}); };
    const EqualWorkResult r = compare({}, {});
    EXPECT_EQ(r.verdict, kDifferent);
    EXPECT_EQ(r.sentence, "B has 64 pixels without a sample, A has 0");
}

TEST_P(Scenes, OnePercentOfLightIsDifferentWithTheSameNumbers) {
    b_.film = [](Film& film) {
        for (int i = 0; i < film.width * film.height; ++i) {
            Pixel& p = film.pixels[i];
            p = {p.r * 1.01f, p.g * 1.01f, p.b * 1.01f, p.samples};
        }
    };
    const EqualWorkResult r = compare({}, {});
    EXPECT_EQ(r.verdict, kDifferent);
    EXPECT_EQ(r.sentence, "B is 1 % brighter");
}

INSTANTIATE_TEST_SUITE_P(EqualWork, Scenes,
                         testing::Values("vt9", "vt46", "cornell", "card", "weekend"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(OfVt9, ABudgetOfRaysIsDifferent) {
    const EqualWorkResult r = compare({"engine=regeneration"}, {"regeneration=budget"});
    EXPECT_EQ(r.verdict, kDifferent);
    EXPECT_NEAR(r.b.brightness.mean / r.a.brightness.mean, 1.1, .05);
    EXPECT_NE(r.sentence.find("brighter"), std::string::npos) << r.sentence;
}

/// No mean tells a lens that is a little larger, but the paths are not the same.
TEST_P(OfVt9, ALargerLensDoesNotTraceTheSameRays) {
    for (const double factor : {1.05, 1.5}) {
        b_.request = [&](Settings&, Camera& camera) { camera.lensRadius *= factor; };
        expectVerdict({}, {}, {kSameExpectation, kDifferent});
    }
}

/// The same rays in number, and in other directions.
TEST_P(OfVt9, ABiasedSamplerIsDifferent) {
    Scene biased = scene_;
    for (Sphere& sphere : biased.spheres) sphere.material.roughness *= 1.5;
    EqualWorkWish w = wish({}, {});
    w.samples = 32;
    b_.setScene(biased);
    EXPECT_EQ(run(w).verdict, kDifferent);
}

/// Nothing of the noise is common to both sides.
TEST_P(OfVt9, AfewPercentOfLightAreDifferentWithOtherNumbers) {
    b_.request = [](Settings& s, Camera&) { s.seed += 100; };
    b_.film = [](Film& film) {
        for (int i = 0; i < film.width * film.height; ++i) {
            Pixel& p = film.pixels[i];
            p = {p.r * 1.03f, p.g * 1.03f, p.b * 1.03f, p.samples};
        }
    };
    EqualWorkWish w = wish({}, {"light_sampling=on"});
    w.samples = 16;
    const EqualWorkResult r = run(w);
    EXPECT_EQ(r.verdict, kDifferent) << r.sentence;
    EXPECT_LT(r.noticeable, .03);
}

TEST_P(OfVt9, NoiseMakesMoreBatches) {
    EqualWorkWish w = wish({}, {"random=per_row"});
    w.samples = 2;
    w.batches = 1;
    w.resolution = .01;
    EXPECT_EQ(run(w).batches, 32);
    w.resolution = 1;
    EXPECT_EQ(run(w).batches, 8);
}

TEST_P(OfVt9, LightSamplingHasLessErrorForMoreRays) {
    EqualWorkWish w = wish({"light_sampling=on"}, {"light_sampling=off"});
    w.referenceSamples = 128;
    const EqualWorkResult r = run(w);
    EXPECT_EQ(r.verdict, kSameExpectation);
    EXPECT_TRUE(r.lessWork);
    EXPECT_EQ(r.sentence.substr(r.sentence.find(';')), "; B traces 26 % fewer rays a sample");
    EXPECT_EQ(r.referenceSamples, 128);
    EXPECT_LT(r.a.mse.mean, .6 * r.b.mse.mean);
    EXPECT_LT(r.a.relMse.mean, .2 * r.b.relMse.mean);
    EXPECT_GT(r.a.mse.error, 0);
    EXPECT_GT(r.a.shadowRays, .5);
    EXPECT_EQ(r.b.shadowRays, 0);
    EXPECT_EQ(r.a.depthRays.size(), 10u);
    EXPECT_EQ(r.a.depthRays[0], 1);
}

/// A viewer renders its own frames with the same renderer between steps.
TEST_P(OfVt9, OthersMayUseTheRendererBetweenSteps) {
    const EqualWorkWish w = wish({}, {"opt=O2"});
    const EqualWorkResult alone = run(w);
    EqualWork job(a_, a_, w);
    std::vector<Pixel> pixels(64 * 36);
    Film film{64, 36, pixels.data()};
    const std::unique_ptr<Session> other = a_.open(film);
    double share = 0;
    int steps = 0;
    for (; !job.step(1); ++steps) {
        other->advance(w.b, scene_.camera, 1);
        EXPECT_GE(job.share(), share);
        share = job.share();
    }
    EXPECT_GT(steps, 5);
    EXPECT_EQ(job.share(), 1);
    const EqualWorkResult& r = job.result();
    EXPECT_EQ(r.a.raysPerSample, alone.a.raysPerSample);
    EXPECT_EQ(r.b.brightness.mean, alone.b.brightness.mean);
    EXPECT_EQ(r.verdict, alone.verdict);
}

TEST_P(OfVt9, WhatCannotBeHadSaysWhy) {
    EqualWork job(a_, b_, wish({}, {"engine=hybrid"}));
    while (!job.step(50)) {
    }
    EXPECT_EQ(job.problem().find("engine=hybrid"), 0u) << job.problem();
}

INSTANTIATE_TEST_SUITE_P(EqualWork, OfVt9, testing::Values("vt9"));

TEST(Expectation, LimitsOfStudentsT) {
    EXPECT_NEAR(studentLimit(.05, 1), 12.7062, 1e-3);
    EXPECT_NEAR(studentLimit(.05, 2), 4.30265, 1e-4);
    EXPECT_NEAR(studentLimit(.05, 10), 2.22814, 1e-4);
    EXPECT_NEAR(studentLimit(.01, 15), 2.94671, 1e-4);
    EXPECT_NEAR(studentLimit(1e-6, 15), 7.903, 1e-3);
}

/// At most a comparison in a thousand, over all its statistics.
TEST(Expectation, EqualMeansAreSeldomDifferent) {
    const std::vector<Statistic> statistics = statisticsOf(16, 16, 10);
    const BatchFacts exact{{0, 0}, 1, 0};
    std::mt19937 generator(11);
    std::normal_distribution<double> noise(1, .1);
    const auto batches = [&](double scale) {
        std::vector<std::vector<double>> all(16, std::vector<double>(statistics.size()));
        for (auto& values : all) {
            for (double& value : values) value = scale * noise(generator);
        }
        return all;
    };
    const auto called = [&](double scale) {
        const auto differences = differencesOf(statistics, batches(1), batches(scale), exact);
        return std::any_of(differences.begin(), differences.end(),
                           [](const Difference& d) { return d.significant(); });
    };
    int alarms = 0, found = 0;
    for (int i = 0; i < 400; ++i) {
        alarms += called(1);
        found += called(1.2);
    }
    EXPECT_LE(alarms, 2);
    EXPECT_EQ(found, 400);
}

/// A lamp that no path of A has found in these batches, and that B samples.
TEST(Expectation, LightThatIsRareIsNoDifference) {
    const std::vector<Statistic> statistics{{Statistic::Of::row, 3, 0, 100}};
    std::vector<std::vector<double>> a, b;
    for (int i = 0; i < 16; ++i) {
        a.push_back({.2 + 1e-4 * (i % 4)});
        b.push_back({.21 + 1e-4 * (i % 3)});
    }
    EXPECT_TRUE(differencesOf(statistics, a, b, {kSingle, 32, 1})[0].significant());
    EXPECT_FALSE(differencesOf(statistics, a, b, {kSingle, 32, 100})[0].significant());
}

TEST(Expectation, TheReferencesNoiseIsNotCountedAsError) {
    std::mt19937 generator(7);
    std::normal_distribution<float> noise(0, .1f);
    const auto batch = [&](float scale) {
        Image image{100, 100, std::vector<float>(30000, .5f)};
        for (float& value : image.rgb) value += scale * noise(generator);
        return image;
    };
    ReferenceImage reference;
    for (int i = 0; i < 4; ++i) reference.add(batch(1));
    EXPECT_NEAR(imageError(batch(1), reference).mse, .01, 3e-4);
    EXPECT_NEAR(imageError(batch(1), reference).relMse, .01 / .26, 2e-3);
    EXPECT_NEAR(imageError(batch(0), reference).mse, 0, 1e-4);
}

TEST(Expectation, PixelsDifferByTheirWorstChannel) {
    Image a{100, 100, std::vector<float>(30000, 1)}, b = a;
    b.rgb[7] = 3;
    for (int i = 0; i < 20; ++i) b.rgb[3000 + 3 * i] = 1.5f;
    for (int i = 0; i < 500; ++i) b.rgb[9000 + 3 * i] = 1.0001f;
    const PixelDifference d = pixelDifference(a, b, 1e-3);
    EXPECT_EQ(d.largest, 2);
    EXPECT_EQ(d.all999, .5);
    EXPECT_NEAR(d.share, 21e-4, 1e-9);
}

}  // namespace
}  // namespace rayscope
