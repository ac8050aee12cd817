#pragma once

#include <vector>

#include "renderer/film/image.h"

namespace rayscope {

/// How far apart two pictures are, pixel by pixel: the channel that differs most, in radiance.
struct PixelDifference {
    double largest = 0;
    double all999 = 0;  ///< 99.9 % of the pixels differ at most this
    double share = 0;   ///< of the pixels that differ by more than rounding
};

/// `rounding`: relative to the larger of the two values and the picture's mean.
PixelDifference pixelDifference(const Image& a, const Image& b, double rounding);

/// A picture that converges batch by batch, and how far it has come.
class ReferenceImage {
public:
    void add(const Image& batch);
    int batches() const { return batches_; }
    double mean(size_t i) const { return mean_[i]; }
    /// The variance of mean(), from the batches; there must be two.
    double variance(size_t i) const { return squares_[i] / (batches_ - 1) / batches_; }

private:
    int batches_ = 0;
    std::vector<double> mean_, squares_;  ///< of every pixel and channel (Welford 1962)
};

/// mse: mean over pixels and channels of (x - r)^2. relMse: of (x - r)^2 / (r^2 + .01), which
/// bright pixels do not dominate (Rousselle, Knaus and Zwicker 2011, "Adaptive Sampling and
/// Reconstruction using Greedy Error Minimization").
struct ImageError {
    double mse = 0, relMse = 0;
};

/// Of an image against the reference, less what the reference's own noise adds on average.
ImageError imageError(const Image& image, const ReferenceImage& reference);

}  // namespace rayscope
