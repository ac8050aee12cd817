#pragma once

#include <vector>

namespace rayscope {

/// An estimate and the interval that contains the truth in a stated share of all experiments.
struct Interval {
    double value = 0, lower = 0, upper = 0;
    bool contains(double truth) const { return lower <= truth && truth <= upper; }
    double halfWidth() const { return (upper - lower) / 2; }
};

/// Mean and standard error of the mean, which is 0 where there are fewer than two values.
struct Estimate {
    double mean = 0, error = 0;
};
Estimate estimateOf(const std::vector<double>& values);

/// The factor between two quantities that were measured in pairs shortly after each other, b over
/// a, so that what drifts or steps between the pairs falls out: the trimmed mean of the logarithms
/// of their ratios, which a fifth of outliers on either side does not move, with a bootstrap-t
/// interval over the pairs (Wilcox 2012, "Introduction to Robust Estimation and Hypothesis
/// Testing", section 4.4.4), wider where pairs depend on those before (Geyer 1992, "Practical
/// Markov Chain Monte Carlo", the initial monotone sequence). The pairs are in the order of time.
/// All values must be positive; `confidence` in 0..1. The same numbers give the same interval.
/// Fewer than kFewestPairs pairs: their mean, in an interval from 0 to infinity.
Interval pairedRatio(const std::vector<double>& a, const std::vector<double>& b, double confidence);

inline constexpr std::size_t kFewestPairs = 6;

/// The probability of something that happened in `hits` of `trials` independent trials, with the
/// score interval (Wilson 1927, "Probable Inference, the Law of Succession, and Statistical
/// Inference"). `deviations`: standard deviations that it reaches, 1.96 for 95 %. No trials:
/// anything from 0 to 1.
Interval probabilityOf(int hits, int trials, double deviations = 1.96);

}  // namespace rayscope
