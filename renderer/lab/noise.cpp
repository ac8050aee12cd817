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
    sums_.resize(a.size());
    const int pairs = pairs_ + 1;
    double count = 0, sum = 0, squares = 0, radiance = 0;  // of this pair
    double all = 0, scatter = 0;                           // within pixels, of all pairs
    for (size_t i = 0; i < a.size(); ++i) {
        const std::optional<double> found = varianceOf(a[i], b[i]);
        const double variance = found.value_or(0);
        Sums& pixel = sums_[i];
        pixel.variance += variance;
        pixel.squared += variance * variance;
        all += pixel.variance / pairs;
        scatter += pixel.squared - pixel.variance * pixel.variance / pairs;
        if (!found) continue;
        const double n = a[i].samples, m = b[i].samples;
        const glm::dvec3 mean = (n * meanOf(a[i]) + m * meanOf(b[i])) / (n + m);
        count += 1;
        sum += variance;
        squares += variance * variance;
        radiance += (mean.x + mean.y + mean.z) / 3;
    }
    if (count < 1) return;
    pairs_ = pairs;
    noise_ = Noise{sum / count, 0, radiance / count};
    if (pairs > 1 && all > 0) {
        noise_->variance = all / static_cast<double>(sums_.size());
        noise_->spread = std::sqrt(std::max(scatter, 0.) / (pairs - 1) / pairs) / all;
    } else if (sum > 0) {
        // That pixels differ in how noisy they are is counted in: the truth is rather better.
        const double variance = noise_->variance, over = squares / count - variance * variance;
        noise_->spread = std::sqrt(std::max(over, 0.) / count) / variance;
    }
}

}  // namespace rayscope
