#pragma once

#include <optional>
#include <vector>

#include "renderer/core/types.h"

namespace rayscope {

/// How noisy a film is, told from itself.
struct Noise {
    double variance = 0;  ///< of one sample: mean over pixels and channels
    double spread = 0;    ///< standard error of `variance`, over `variance`
    double mean = 0;      ///< radiance of the picture, to compare with
};

/// The noise of a film that converges, without a reference.
///
/// The mean x of n samples of a pixel and the mean y of m others differ by chance alone:
/// E (x - y)^2 = s^2 (1/n + 1/m), where s^2 is the variance of a sample. A film of k samples has
/// the mean square error s^2 / k. What every sample has in common (a bias, a path that is never
/// found) cannot be seen this way.
class NoiseEstimate {
public:
    /// A film with so many samples in every pixel is worth a look: the first, and one with twice as
    /// many as the last that was looked at.
    bool due(int samples) const { return samples > 0 && samples >= 2 * samples_; }

    /// The film as it is now; pixels count their own samples, so that a pass may be under way.
    void look(std::vector<Pixel> pixels, int samples);

    /// Nothing before the second look. What came until the first is held against what came until
    /// the second, the third part against the fourth, and so on: the variance is the mean of what
    /// these pairs say, which have no sample in common, and from the second pair on its spread is
    /// that within the pixels, which are not equally noisy.
    const std::optional<Noise>& noise() const { return noise_; }

private:
    void addPair(const std::vector<Pixel>& a, const std::vector<Pixel>& b);

    /// Of a pixel, over the pairs.
    struct Sums {
        double variance = 0, squared = 0;
    };

    std::vector<Pixel> last_;  ///< the film at the last look
    std::vector<Pixel> part_;  ///< what waits for the other of its pair
    std::vector<Sums> sums_;
    int samples_ = 0, pairs_ = 0;
    std::optional<Noise> noise_;
};

}  // namespace rayscope
