#include "renderer/lab/noise.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

namespace rayscope {

namespace {

glm::dvec3 meanOf(const Pixel& p) {
    return {p.r / p.samples, p.g / p.samples, p.b / p.samples};
}

}  // namespace

std::optional<Noise> noiseBetween(const std::vector<Pixel>& before, const std::vector<Pixel>& now) {
    double count = 0, sum = 0, squares = 0, radiance = 0;
    for (size_t i = 0; i < before.size() && i < now.size(); ++i) {
        if (!(before[i].samples > 0 && now[i].samples > before[i].samples)) continue;
        const glm::dvec3 y = meanOf(now[i]), moved = meanOf(before[i]) - y;
        const double share = 1. / before[i].samples - 1. / now[i].samples;
        const double variance = glm::dot(moved, moved) / (3 * share);
        if (!std::isfinite(variance)) continue;
        count += 1;
        sum += variance;
        squares += variance * variance;
        radiance += (y.x + y.y + y.z) / 3;
    }
    if (count < 1) return std::nullopt;
    Noise noise{sum / count, 0, radiance / count};
    // That pixels differ in how noisy they are is counted in: the truth is rather better.
    const double scatter = squares / count - noise.variance * noise.variance;
    if (noise.variance > 0)
        noise.spread = std::sqrt(std::max(scatter, 0.) / count) / noise.variance;
    return noise;
}

void NoiseEstimate::look(std::vector<Pixel> pixels, int samples) {
    if (const std::optional<Noise> noise = noiseBetween(last_, pixels)) noise_ = noise;
    last_ = std::move(pixels);
    samples_ = samples;
}

}  // namespace rayscope
