#include "renderer/lab/noise.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

namespace rayscope {

namespace {

glm::dvec3 meanOf(const Pixel& p) {
    return {p.r / p.samples, p.g / p.samples, p.b / p.samples};
}

/// Of a sample of the pixel, over its channels; nothing where either has no samples.
std::optional<double> varianceOf(const Pixel& a, const Pixel& b) {
    if (!(a.samples > 0 && b.samples > 0)) return std::nullopt;
    const glm::dvec3 apart = meanOf(a) - meanOf(b);
    const double variance = glm::dot(apart, apart) / (3 * (1. / a.samples + 1. / b.samples));
    return std::isfinite(variance) ? std::optional(variance) : std::nullopt;
}

/// What has come since `before`; all, where that is another film.
std::vector<Pixel> partSince(const std::vector<Pixel>& before, const std::vector<Pixel>& now) {
    std::vector<Pixel> part = now;
    for (size_t i = 0; i < part.size() && before.size() == now.size(); ++i) {
        part[i].r -= before[i].r;
        part[i].g -= before[i].g;
        part[i].b -= before[i].b;
        part[i].samples -= before[i].samples;
    }
    return part;
}

/// The noise in two parts of a film; nothing where no pixel has samples in both.
std::optional<Noise> noiseBetween(const std::vector<Pixel>& a, const std::vector<Pixel>& b) {
    double count = 0, sum = 0, squares = 0, radiance = 0;
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
        const std::optional<double> variance = varianceOf(a[i], b[i]);
        if (!variance) continue;
        const double n = a[i].samples, m = b[i].samples;
        const glm::dvec3 mean = (n * meanOf(a[i]) + m * meanOf(b[i])) / (n + m);
        count += 1;
        sum += *variance;
        squares += *variance * *variance;
        radiance += (mean.x + mean.y + mean.z) / 3;
    }
    if (count < 1) return std::nullopt;
    Noise noise{sum / count, 0, radiance / count};
    // That pixels differ in how noisy they are is counted in: the truth is rather better.
    const double scatter = squares / count - noise.variance * noise.variance;
    if (noise.variance > 0)
        noise.spread = std::sqrt(std::max(scatter, 0.) / count) / noise.variance;
    return noise;
}

}  // namespace

void NoiseEstimate::look(std::vector<Pixel> pixels, int samples) {
    if (last_.size() != pixels.size()) *this = {};
    std::vector<Pixel> part = partSince(last_, pixels);
    last_ = std::move(pixels);
    samples_ = samples;
    if (part_.empty()) {
        part_ = std::move(part);
    } else {
        addPair(part_, part);
        part_.clear();
    }
}

void NoiseEstimate::addPair(const std::vector<Pixel>& a, const std::vector<Pixel>& b) {
    const std::optional<Noise> noise = noiseBetween(a, b);
    if (!noise) return;
    noise_ = noise;
    ++pairs_;
    sums_.resize(a.size());
    double sum = 0, scatter = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double variance = varianceOf(a[i], b[i]).value_or(0);
        Sums& pixel = sums_[i];
        pixel.variance += variance;
        pixel.squared += variance * variance;
        sum += pixel.variance / pairs_;
        scatter += pixel.squared - pixel.variance * pixel.variance / pairs_;
    }
    if (pairs_ < 2 || !(sum > 0)) return;
    noise_->variance = sum / static_cast<double>(sums_.size());
    noise_->spread = std::sqrt(std::max(scatter, 0.) / (pairs_ - 1) / pairs_) / sum;
}

}  // namespace rayscope
