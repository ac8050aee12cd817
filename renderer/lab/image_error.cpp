#include "renderer/lab/image_error.h"

#include <algorithm>
#include <cmath>

namespace rayscope {

namespace {

constexpr double kDark = .01;  ///< keeps black pixels from weighing infinitely

}  // namespace

PixelDifference pixelDifference(const Image& a, const Image& b, double rounding) {
    const glm::dvec3 means = meanRadiance(a);
    const double mean = (means.x + means.y + means.z) / 3;
    std::vector<double> differences(a.rgb.size() / 3);
    PixelDifference result;
    for (size_t i = 0; i < differences.size(); ++i) {
        bool moved = false;
        for (size_t k = 3 * i; k < 3 * i + 3; ++k) {
            const double x = a.rgb[k], y = b.rgb[k];
            const double difference = std::abs(x - y);
            differences[i] = std::max(differences[i], difference);
            moved |= !(difference <= rounding * std::max({std::abs(x), std::abs(y), mean}));
        }
        result.share += moved;
    }
    if (differences.empty()) return result;
    result.share /= static_cast<double>(differences.size());
    result.largest = *std::max_element(differences.begin(), differences.end());
    const auto place = differences.begin() +
                       static_cast<std::ptrdiff_t>(.999 * static_cast<double>(differences.size()));
    std::nth_element(differences.begin(), place, differences.end());
    result.all999 = *place;
    return result;
}

void ReferenceImage::add(const Image& batch) {
    mean_.resize(batch.rgb.size());
    squares_.resize(batch.rgb.size());
    ++batches_;
    for (size_t i = 0; i < mean_.size(); ++i) {
        const double before = batch.rgb[i] - mean_[i];
        mean_[i] += before / batches_;
        squares_[i] += before * (batch.rgb[i] - mean_[i]);
    }
}

ImageError imageError(const Image& image, const ReferenceImage& reference) {
    ImageError error;
    for (size_t i = 0; i < image.rgb.size(); ++i) {
        const double truth = reference.mean(i);
        const double square = std::pow(image.rgb[i] - truth, 2) - reference.variance(i);
        error.mse += square;
        error.relMse += square / (truth * truth + kDark);
    }
    error.mse /= static_cast<double>(image.rgb.size());
    error.relMse /= static_cast<double>(image.rgb.size());
    return error;
}

}  // namespace rayscope
