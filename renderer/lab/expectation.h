#pragma once

#include <optional>
#include <vector>

#include "renderer/backend/session.h"
#include "renderer/film/image.h"
#include "renderer/lab/statistics.h"

// Do two settings estimate the same picture with the same work? Both render batches with the same
// seeds, and the differences batch by batch are tested: a paired t test, which needs no
// assumption on how alike the two sides' noise is. Where both trace almost the same paths it sees
// very small differences.

namespace rayscope {

/// The mean radiance of a part of the picture in one channel, or the closest-hit rays per sample at
/// a depth.
struct Statistic {
    enum class Of { picture, row, column, tile, rays };
    Of of = Of::picture;
    int index = 0;    ///< row, column, tile (row by row) or depth, from 0
    int channel = 0;  ///< not of rays
    int pixels = 0;   ///< of the part; not of rays
    int left = 0, top = 0, right = 0, bottom = 0;  ///< edges of the part; not of rays
};

/// Tiles across and down: large enough that a tile of a small picture sees every lamp often.
inline constexpr int kTilesAcross = 8;

/// What is compared of pictures of this size and paths of at most `depth` rays.
std::vector<Statistic> statisticsOf(int width, int height, int depth);

/// Their values in one batch: a film that has `samples` samples in all its pixels together, and the
/// rays that it took.
std::vector<double> valuesOf(const std::vector<Statistic>& statistics, const Image& image,
                             const Rays& rays, double samples);

/// A statistic on both sides.
struct Difference {
    Statistic what;
    double a = 0, b = 0;  ///< means over the batches
    double error = 0;     ///< standard error of b - a
    double margin = 0;    ///< what chance and rounding may explain of |b - a|
    bool significant() const;
    /// The part of |b - a| that is certain, relative to the larger side.
    double certain() const;
};

/// The chance that any of the differences between two settings that are equal is significant, as
/// far as the means of batches are normally distributed.
inline constexpr double kFalseAlarms = 1e-3;

/// What rounding may change. Means that differ no more are not called different.
struct Rounding {
    double radiance;  ///< relative to the mean of a region or pixel
    double rays;      ///< at a depth, per sample: paths that end elsewhere or nowhere
};

/// In weekend 4e-5 of the paths are caught in a sphere or not, as single precision has it.
inline constexpr Rounding kSingle{5e-4, 1e-4};
inline constexpr Rounding kDouble{1e-5, 1e-6};

/// What is known of the batches beyond their values.
struct BatchFacts {
    Rounding rounding;
    int samples = 0;       ///< a pixel, of one batch
    double brightest = 0;  ///< the most light that one sample brings
};

/// Of all statistics. `a` and `b`: for every batch the values, at least two batches. The chance of
/// a false alarm is shared out evenly (Bonferroni) between the five kinds of statistics, and within
/// a kind between its members, so that the picture as a whole is not tested as strictly as one of
/// many rows.
///
/// Light that comes rarely, as from a lamp that few paths find, may be missing from all batches of
/// one side, which are then alike and wrong, and no variance tells. n samples without an event that
/// has probability ln(1/c)/n occur with chance c, so ln(1/c)/n times the brightest sample is added
/// to the margin; it has the place of the range term in the empirical Bernstein bound (Maurer and
/// Pontil 2009, "Empirical Bernstein Bounds and Sample Variance Penalization").
///
/// Rounding does not take all rays from a depth, so where one side has none it excuses
/// nothing.
std::vector<Difference> differencesOf(const std::vector<Statistic>& statistics,
                                      const std::vector<std::vector<double>>& a,
                                      const std::vector<std::vector<double>>& b,
                                      const BatchFacts& facts);

/// The t from which on, to both sides, the tails of Student's distribution have this chance.
double studentLimit(double chance, int degrees);

/// The significant difference that says most: a depth at which one side has no rays, then the
/// picture as a whole or a part of it that differs several times as much, then rays.
std::optional<Difference> largestOf(const std::vector<Difference>& differences);

/// The relative difference of brightness from which on it would have been significant.
double noticeableOf(const std::vector<Difference>& differences);

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
