// The noise of a film, told from itself.

#include "renderer/lab/noise.h"

#include <gtest/gtest.h>

#include <array>
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

/// Of a film that was looked at twice.
std::optional<Noise> noiseOf(const std::vector<Pixel>& before, const std::vector<Pixel>& now) {
    NoiseEstimate estimate;
    estimate.look(before, 1);
    estimate.look(now, 2);
    return estimate.noise();
}

TEST(Noise, IsThatOfTheSamples) {
    for (const double deviation : {.1, 3.}) {
        Film film(deviation);
        film.add(4);
        const std::vector<Pixel> before = film.pixels();
        film.add(4);
        const auto noise = noiseOf(before, film.pixels());
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
    const auto noise = noiseOf(before, film.pixels());
    ASSERT_TRUE(noise);
    EXPECT_NEAR(noise->variance / film.variance(), 1, 4 * noise->spread);
    EXPECT_FALSE(noiseOf(film.pixels(), film.pixels())) << "nothing has come";
    EXPECT_FALSE(noiseOf(std::vector<Pixel>(kPixels), film.pixels())) << "nothing was there";
}

TEST(Noise, OnePixelThatIsNotANumberSpoilsNothing) {
    Film film(1);
    film.add(4);
    const std::vector<Pixel> before = film.pixels();
    film.add(4);
    std::vector<Pixel> now = film.pixels();
    now[3].g = NAN;
    const auto noise = noiseOf(before, now);
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
    const auto noise = noiseOf(few.pixels, many.pixels);
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

/// Few paths of vt9 find its small lamp: single pixels are much brighter than the rest, and the
/// variance is theirs. The truth is the scatter over all seeds.
TEST(NoiseEstimate, IntervalsHoldWhereFewPathsFindTheLight_nightly) {
    const Scene scene = sceneNamed("vt9");
    constexpr int kWidth = 48, kHeight = 27, kMost = 64, kSeeds = 100;
    for (const char* light : {"light_sampling=off", "light_sampling=on"}) {
        std::vector<Noise> found;
        std::vector<double> sum(3 * kWidth * kHeight), squares(sum.size());
        for (int seed = 1; seed <= kSeeds; ++seed) {
            Settings settings = cpuSettings(scene, {light});
            settings.seed = seed;
            NoiseEstimate estimate;
            std::vector<Pixel> pixels;
            for (int samples = 8; samples <= kMost; samples *= 2) {
                pixels = renderCpu(scene, settings, kWidth, kHeight, samples).pixels;
                estimate.look(pixels, samples);
            }
            found.push_back(estimate.noise().value());
            for (size_t i = 0; i < pixels.size(); ++i) {
                const Pixel& p = pixels[i];
                const std::array<float, 3> channels{p.r, p.g, p.b};
                for (size_t c = 0; c < 3; ++c) {
                    const double mean = channels[c] / p.samples;
                    sum[3 * i + c] += mean;
                    squares[3 * i + c] += mean * mean;
                }
            }
        }
        double truth = 0;
        for (size_t i = 0; i < sum.size(); ++i)
            truth += (squares[i] - sum[i] * sum[i] / kSeeds) / (kSeeds - 1) * kMost / sum.size();
        int contained = 0;
        for (const Noise& noise : found)
            contained += std::abs(std::log(noise.variance / truth)) <= 1.96 * noise.spread;
        EXPECT_GE(contained, .88 * kSeeds) << light << ": 95 %, but few fireflies are skewed";
        double spread = 0;
        for (const Noise& noise : found) spread += noise.spread / kSeeds;
        EXPECT_LT(spread, .3) << light << ": an interval that contains everything says nothing";
    }
}

}  // namespace
}  // namespace rayscope
