// A against B on a real device: two kernels of one renderer take turns, and each is credited with
// what it did.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "renderer/choices/axes.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/scene/json.h"
#include "ui/versus.h"

namespace rayscope {
namespace {

constexpr int kWidth = 640, kHeight = 360;

class OffscreenFilms : public SideFilms {
public:
    OffscreenFilms(Backends& backends, const Camera& camera, const Settings& a, const Settings& b)
        : camera_(camera), settings_{&a, &b} {
        for (OffscreenFilm& film : films_)
            problem +=
                film.allocate(backends.get(Backend::cuda), Backend::cuda, kWidth, kHeight).reason();
    }
    bool align() override {
        for (Side side : kSides) {
            if (!stale_[index(side)]) continue;
            films_[index(side)].session().clear();
            stale_[index(side)] = false;
            ++numbers_[index(side)];
        }
        return true;
    }
    void restart(Side side) override { stale_[index(side)] = true; }
    FrameStats trace(Side side, double budgetMs) override {
        return films_[index(side)].session().advance(*settings_[index(side)], camera_, budgetMs);
    }
    const Film& film(Side side) const override { return films_[index(side)].film(); }
    FrameStats finish(Side side) override { return films_[index(side)].session().finish(); }
    KernelInfo kernel(Side side) const override {
        return const_cast<OffscreenFilm&>(films_[index(side)]).session().kernel();
    }
    long number(Side side) const override { return numbers_[index(side)]; }
    std::vector<Pixel> fetch(Side side) override {
        const Pixel* pixels = films_[index(side)].fetch();
        return {pixels, pixels + kWidth * kHeight};
    }
    /// Over all pixels.
    double samples(Side side) {
        double sum = 0;
        for (const Pixel& pixel : fetch(side)) sum += pixel.samples;
        return sum / (kWidth * kHeight);
    }

    std::string problem;

private:
    static size_t index(Side side) { return static_cast<size_t>(side); }
    Camera camera_;
    std::array<const Settings*, 2> settings_;
    std::array<OffscreenFilm, 2> films_;
    std::array<bool, 2> stale_{true, true};
    std::array<long, 2> numbers_{};
};

TEST(VersusGpu, EachSideIsCreditedWithItsOwnLaunches) {
    Backends backends;
    if (!backends.has(Backend::cuda)) GTEST_SKIP() << backends.noCuda();
    const Scene scene = *findScene("vt46");
    backends.setScene(scene);
    const Settings a = defaultSettings(Backend::cuda, scene);
    for (const char* change : {"light_sampling=on", "engine=wavefront", "precision=double"}) {
        Settings b = a;
        assignAll(b, {change});
        OffscreenFilms films(backends, scene.camera, a, b);
        ASSERT_EQ(films.problem, "");
        Versus versus;
        versus.startRace();
        const auto frame = [&] { versus.frame(films, {a, b, false, 8}); };
        // until B's own kernel has been compiled and has run for a while
        const auto goOn = [&] {
            const SideRecord& b = versus.record(Side::b);
            return b.foreign || b.stats.kernelMs < 400;
        };
        for (int i = 0; i < 2000 && goOn(); ++i) frame();
        FrameStats owed = films.finish(Side::a);
        owed += films.finish(Side::b);
        const SideRecord &ofA = versus.record(Side::a), &ofB = versus.record(Side::b);
        EXPECT_FALSE(ofA.foreign || ofB.foreign) << change;
        EXPECT_NEAR(ofA.stats.kernelMs / ofB.stats.kernelMs, 1, .15) << change;
        // Every sample that lies in a film is one camera ray of its side; the last turn still owes.
        const double late = static_cast<double>(owed.rays.camera) / (kWidth * kHeight);
        const double missingA = films.samples(Side::a) - ofA.samples();
        const double missingB = films.samples(Side::b) - ofB.samples();
        EXPECT_NEAR(missingA + missingB, late, 1e-3 * ofA.samples()) << change;
        EXPECT_TRUE(std::abs(missingA) < 1e-6 || std::abs(missingB) < 1e-6) << change;
        const auto lead = leadOf(ofA, ofB);
        ASSERT_TRUE(lead) << change;
        std::cout << change << ": " << lead->ratio << " of the time, spread " << lead->spread
                  << '\n';
    }
}

}  // namespace
}  // namespace rayscope
