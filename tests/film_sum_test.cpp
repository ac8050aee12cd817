// A film of many samples holds them all.

#include "renderer/core/film_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "renderer/devices/offscreen_film.h"
#include "renderer/film/rows.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

/// Sums in float stand still where the sum is 2^24 times what is added; 2^17 of these on top of
/// 10^9 are 2^17 more.
TEST(FilmSum, HoldsABillionSamples) {
    const int more = 1 << 17;
    const float light = .7f;
    Pixel sum{1e9f, 7e8f, 0, 1e9f}, rest{};
    for (int i = 0; i < more; ++i) addPixelWithRest(sum, rest, {1, light, 1e-3f, 1});
    EXPECT_EQ(double{sum.samples} + rest.samples, 1e9 + more);
    EXPECT_EQ(double{sum.r} + rest.r, 1e9 + more);
    EXPECT_NEAR(double{sum.g} + rest.g, 7e8 + double{light} * more, 1e-12 * 7e8 * std::sqrt(more));
    EXPECT_NEAR(double{sum.b} + rest.b, double{1e-3f} * more, 1e-9);
    // what is read alone is the nearest float
    EXPECT_EQ(sum.samples, static_cast<float>(1e9 + more));
}

TEST(FilmSum, WithoutARestIsThatOfFloats) {
    std::vector<Pixel> film(3, Pixel{1, 2, 3, 4});
    const std::vector<Pixel> more(3, Pixel{.1f, .2f, .3f, 1});
    addPixels(film.data(), nullptr, more.data(), film.size());
    EXPECT_EQ(film[2].g, 2 + .2f);
    EXPECT_EQ(film[2].samples, 5);
}

/// A scene without spheres, in which every path sees a sky of this radiance.
Scene skyOf(float radiance) {
    Scene scene;
    scene.sky.kind = SkyKind::gradient;
    scene.sky.bottom = scene.sky.top = glm::vec3(radiance);
    return scene;
}

/// By samples of a pass. All passes add the same light: in floats alone, 40,000 of them are wrong
/// by up to .1 %.
class FilmOfManySamples : public testing::TestWithParam<int> {};

TEST_P(FilmOfManySamples, HasTheKnownRadiance_long) {
    const Scene scene = skyOf(.7f);
    Settings settings = cpuSettings(scene);
    settings.samples = GetParam();
    settings.threads = 1;
    const int samples = 40'001 * GetParam();
    const Rendered seen = renderCpu(scene, settings, 2, 2, samples);
    for (const Pixel& p : seen.pixels) {
        EXPECT_EQ(p.samples, static_cast<float>(samples));
        EXPECT_NEAR(p.r / p.samples, .7, 5e-6);  // a pass sums its own samples in a float
    }
}
INSTANTIATE_TEST_SUITE_P(Passes, FilmOfManySamples, testing::Values(1, 7, 251));

/// Two films that take turns keep their own pixels while their memory changes hands.
TEST(OffscreenFilmMemory, IsExchangedWithoutThePixels) {
    const Scene scene = sceneNamed("vt9");
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    const auto render = [&](bool exchanges, std::uint64_t seed) {
        std::vector<Pixel> pixels[2];
        OffscreenFilm films[2];
        for (OffscreenFilm& film : films)
            EXPECT_TRUE(film.allocate(*renderer, Backend::cpu, 24, 16));
        const Pixel* const first = films[0].fetch();
        for (int round = 1; round <= 5; ++round) {
            for (int i = 0; i < 2; ++i) {
                Settings settings =
                    cpuSettings(scene, {i == 0 ? "engine=megakernel" : "engine=wavefront"});
                settings.seed = static_cast<unsigned>(seed) + i;
                settings.samples = 3;
                films[i].session().setTarget(3 * round);
                while (!films[i].session().done())
                    films[i].session().advance(settings, scene.camera, 1000);
            }
            if (exchanges) films[0].exchangeMemory(films[1]);
        }
        EXPECT_EQ(films[0].fetch() != first, exchanges);
        for (int i = 0; i < 2; ++i) pixels[i].assign(films[i].fetch(), films[i].fetch() + 24 * 16);
        return std::pair{pixels[0], pixels[1]};
    };
    const auto own = render(false, 7), exchanged = render(true, 7);
    const auto same = [](const std::vector<Pixel>& a, const std::vector<Pixel>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(Pixel)) == 0;
    };
    EXPECT_TRUE(same(own.first, exchanged.first));
    EXPECT_TRUE(same(own.second, exchanged.second));
}

}  // namespace
}  // namespace rayscope
