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
/// The mean x of a pixel's first n samples and the mean y of its first m > n differ by chance
/// alone: E (x - y)^2 = s^2 (1/n - 1/m), where s^2 is the variance of a sample. With m = 2n that
/// is the variance of y itself. A film of k samples has the mean square error s^2 / k. What every
/// sample has in common (a bias, a path that is never found) cannot be seen this way.
class NoiseEstimate {
public:
    /// A film with so many samples in every pixel is worth a look: the first, and one with twice as
    /// many as the last that was looked at.
    bool due(int samples) const { return samples > 0 && samples >= 2 * samples_; }

    /// The film as it is now; pixels count their own samples, so that a pass may be under way.
    void look(std::vector<Pixel> pixels, int samples);

    /// From the last two looks; nothing before the second.
    const std::optional<Noise>& noise() const { return noise_; }

private:
    std::vector<Pixel> last_;
    int samples_ = 0;
    std::optional<Noise> noise_;
};

/// The noise in what came between two looks at the same film; nothing where no pixel has got more
/// samples.
std::optional<Noise> noiseBetween(const std::vector<Pixel>& before, const std::vector<Pixel>& now);

}  // namespace rayscope
