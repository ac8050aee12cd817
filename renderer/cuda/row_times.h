#pragma once

#include <array>

namespace rayscope {

/// How long a kernel takes for a sample of a pixel, by where in the picture: rows of sky take a
/// twentieth of the time of rows of a city, and launches are to be of a known length.
class RowTimes {
public:
    /// A launch of these rows, of a picture of `height` rows, took `ms` for a sample of a pixel.
    /// What was known of the differences between its rows is kept. One that does not fill the
    /// device tells only that the rows are no slower: it counts where they were thought to be.
    void learn(int first, int rows, int height, double ms, bool fills = true);
    /// The mean of these rows; of those that no launch has had yet, a guess on the slow side. 0:
    /// nothing is known.
    double mean(int first, int rows, int height) const;
    /// The mean of the rows from `first` on that take `ms` together for a sample of a pixel of
    /// each, or of all that are left; of `granule` rows at least.
    double meanWithin(double ms, int first, int height, int granule) const;

    /// Of the slowest rows; 0: nothing is known.
    double most() const { return most_; }

private:
    static constexpr int kStrips = 64;
    double of(int row, int height) const;

    std::array<double, kStrips> ms_{};  ///< of strips of equal height; 0: unknown
    double most_ = 0;                   ///< of all strips
};

}  // namespace rayscope
