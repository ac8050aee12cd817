// The noise of a film, told from itself.

#include "renderer/lab/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr int kPixels = 4000;

/// A film whose samples have a known variance: of pixel i, (1 + i / kPixels) deviation^2.
class Film {
public:
    explicit Film(double deviation, double mean = 2) : deviation_(deviation), mean_(mean) {}

    void add(int samples, int pixels = kPixels) {
        std::normal_distribution<double> normal;
        for (int i = 0; i < pixels; ++i) {
            const double deviation = deviation_ * std::sqrt(1 + double(i) / kPixels);
            for (int s = 0; s < samples; ++s) {
                Pixel& p = pixels_[i];
                p.r += static_cast<float>(mean_ + deviation * normal(random_));
                p.g += static_cast<float>(mean_ + deviation * normal(random_));
                p.b += static_cast<float>(mean_ + deviation * normal(random_));
                p.samples += 1;
            }
        }
    }
    const std::vector<Pixel>& pixels() const { return pixels_; }
    double variance() const { return 1.5 * deviation_ * deviation_; }

private:
    double deviation_, mean_;
    std::mt19937 random_{7};
    std::vector<Pixel> pixels_ = std::vector<Pixel>(kPixels);
};

TEST(Noise, IsThatOfTheSamples) {
    for (const double deviation : {.1, 3.}) {
        Film film(deviation);
        film.add(4);
        const std::vector<Pixel> before = film.pixels();
        film.add(4);
        const auto noise = noiseBetween(before, film.pixels());
        ASSERT_TRUE(noise);
        EXPECT_GT(noise->spread, 0);
        EXPECT_LT(noise->spread, .05);
        EXPECT_NEAR(noise->variance / film.variance(), 1, 4 * noise->spread);
        EXPECT_NEAR(noise->mean, 2, 4 * deviation / std::sqrt(8. * kPixels));
    }
}

TEST(Noise, PixelsCountTheirOwnSamples) {
    Film film(1);
    film.add(2);
    const std::vector<Pixel> before = film.pixels();
    film.add(7);
    film.add(5, kPixels / 3);  // a pass under way
    const auto noise = noiseBetween(before, film.pixels());
    ASSERT_TRUE(noise);
    EXPECT_NEAR(noise->variance / film.variance(), 1, 4 * noise->spread);
    EXPECT_FALSE(noiseBetween(film.pixels(), film.pixels())) << "nothing has come";
    EXPECT_FALSE(noiseBetween(std::vector<Pixel>(kPixels), film.pixels())) << "nothing was there";
}

TEST(Noise, OnePixelThatIsNotANumberSpoilsNothing) {
    Film film(1);
    film.add(4);
    const std::vector<Pixel> before = film.pixels();
    film.add(4);
    std::vector<Pixel> now = film.pixels();
    now[3].g = NAN;
    const auto noise = noiseBetween(before, now);
    ASSERT_TRUE(noise);
    EXPECT_NEAR(noise->variance / film.variance(), 1, 4 * noise->spread);
}

TEST(NoiseEstimate, LooksWheneverTheSamplesHaveDoubled) {
    Film film(1);
    NoiseEstimate estimate;
    EXPECT_FALSE(estimate.due(0));
    int samples = 0, looks = 0;
    for (int i = 0; i < 64; ++i) {
        film.add(1);
        if (!estimate.due(++samples)) continue;
        estimate.look(film.pixels(), samples);
        ++looks;
        EXPECT_EQ(estimate.noise().has_value(), looks > 1);
    }
    EXPECT_EQ(looks, 7);  // 1, 2, 4 ... 64
    EXPECT_NEAR(estimate.noise()->variance / film.variance(), 1, 4 * estimate.noise()->spread);
}

/// Against the picture that the samples converge to.
TEST(NoiseEstimate, AgreesWithTheErrorOfARenderedPicture) {
    const Scene scene = sceneNamed("cornell");
    const Settings settings = cpuSettings(scene);
    const int width = 48, height = 36;
    const Rendered few = renderCpu(scene, settings, width, height, 8);
    const Rendered many = renderCpu(scene, settings, width, height, 16);
    Settings other = settings;
    other.seed = 99;
    const Rendered truth = renderCpu(scene, other, width, height, 1024);
    const auto noise = noiseBetween(few.pixels, many.pixels);
    ASSERT_TRUE(noise);
    double squares = 0;
    for (size_t i = 0; i < truth.pixels.size(); ++i) {
        const Pixel &x = many.pixels[i], &t = truth.pixels[i];
        squares += std::pow(x.r / x.samples - t.r / t.samples, 2) +
                   std::pow(x.g / x.samples - t.g / t.samples, 2) +
                   std::pow(x.b / x.samples - t.b / t.samples, 2);
    }
    const double error = squares / (3. * static_cast<double>(truth.pixels.size()));
    EXPECT_NEAR(noise->variance / 16 / error, 1, 4 * noise->spread + .05);
    EXPECT_LT(noise->spread, .25);
}

}  // namespace
}  // namespace rayscope
