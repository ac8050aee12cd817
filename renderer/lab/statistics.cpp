#include "renderer/lab/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace rayscope {

namespace {

constexpr double kTrim = .2;
/// Resamples of few pairs, of many, and values drawn for all of them.
constexpr std::size_t kMostResamples = 1000, kFewestResamples = 200, kDraws = 64'000;

/// The trimmed mean of sorted values and its standard error, from the winsorised variance (Tukey
/// and McLaughlin 1963).
struct Trimmed {
    double mean = 0, error = 0;
};

Trimmed trimmed(const std::vector<double>& sorted) {
    const std::size_t n = sorted.size(), cut = static_cast<std::size_t>(kTrim * n);
    const double low = sorted[cut], high = sorted[n - 1 - cut];
    double sum = 0, winsorised = 0;
    for (std::size_t i = cut; i < n - cut; ++i) sum += sorted[i];
    for (double v : sorted) winsorised += std::clamp(v, low, high);
    winsorised /= static_cast<double>(n);
    double squares = 0;
    for (double v : sorted) squares += std::pow(std::clamp(v, low, high) - winsorised, 2);
    const double kept = static_cast<double>(n - 2 * cut) / static_cast<double>(n);
    const double spread = std::sqrt(squares / static_cast<double>(n - 1));
    return {sum / static_cast<double>(n - 2 * cut), spread / (kept * std::sqrt(n))};
}

/// By how much further the mean of the values, in the order of time, lies from the truth than that
/// of independent ones would, which neighbours are not where the load of the machine changes: the
/// root of 1 + 2 times the sum of the autocorrelations, as long as sums of two neighbouring ones
/// are positive and fall (Geyer 1992, "Practical Markov Chain Monte Carlo"). At least 1.
double dependence(std::vector<double> values) {
    constexpr std::size_t kFewest = 40;  // of fewer values correlations are mostly chance
    const std::size_t n = values.size();
    if (n < kFewest) return 1;
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t cut = static_cast<std::size_t>(kTrim * n);
    double mean = 0;
    for (double& v : values) mean += (v = std::clamp(v, sorted[cut], sorted[n - 1 - cut])) / n;
    const auto covariance = [&](std::size_t lag) {
        double sum = 0;
        for (std::size_t i = lag; i < n; ++i) sum += (values[i] - mean) * (values[i - lag] - mean);
        return sum / n;
    };
    const double own = covariance(0);
    if (!(own > 0)) return 1;
    double sum = own + 2 * covariance(1), pair = std::numeric_limits<double>::infinity();
    std::size_t lag = 2;
    for (; lag < n / 3 && pair > 0; lag += 2) {
        pair = std::clamp(covariance(lag) + covariance(lag + 1), 0., pair);
        sum += 2 * pair;
    }
    // each of the 2 lag - 1 terms is too low by the variance of the mean, which is sum / n
    sum /= 1 - (2. * lag - 1) / n;
    return std::sqrt(std::max(sum / own, 1.));
}

}  // namespace

Estimate estimateOf(const std::vector<double>& values) {
    const double n = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double v : values) mean += v / n;
    for (const double v : values) squares += std::pow(v - mean, 2);
    return {mean, values.size() > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
}

Interval pairedRatio(const std::vector<double>& a, const std::vector<double>& b,
                     double confidence) {
    const std::size_t n = std::min(a.size(), b.size());
    std::vector<double> logs(n);
    for (std::size_t i = 0; i < n; ++i) logs[i] = std::log(b[i] / a[i]);
    if (n < kFewestPairs)
        return {n > 0 ? std::exp(estimateOf(logs).mean) : 1, 0,
                std::numeric_limits<double>::infinity()};
    const double wider = dependence(logs);
    std::sort(logs.begin(), logs.end());
    const Trimmed whole = trimmed(logs);

    std::mt19937 random(12345);
    std::uniform_int_distribution<std::size_t> pick(0, n - 1);
    std::vector<double> studentised, sample(n);
    const std::size_t resamples = std::clamp(kDraws / n, kFewestResamples, kMostResamples);
    for (std::size_t r = 0; r < resamples; ++r) {
        for (double& v : sample) v = logs[pick(random)];
        std::sort(sample.begin(), sample.end());
        const Trimmed t = trimmed(sample);
        if (t.error > 0) studentised.push_back(std::fabs(t.mean - whole.mean) / t.error);
    }
    // all the same: the clock's resolution hides the difference
    if (studentised.empty())
        return {std::exp(whole.mean), std::exp(whole.mean), std::exp(whole.mean)};
    // symmetric: both tails share one quantile, which few pairs estimate better
    std::sort(studentised.begin(), studentised.end());
    const auto at = static_cast<std::size_t>(confidence * static_cast<double>(studentised.size()));
    const double reach = wider * studentised[std::min(at, studentised.size() - 1)] * whole.error;
    return {std::exp(whole.mean), std::exp(whole.mean - reach), std::exp(whole.mean + reach)};
}

Interval probabilityOf(int hits, int trials, double deviations) {
    if (trials == 0) return {.5, 0, 1};
    const double n = trials, p = hits / n, z2 = deviations * deviations;
    const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    const double reach = deviations * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    return {p, std::max(middle - reach, 0.), std::min(middle + reach, 1.)};
}

}  // namespace rayscope
