#include "renderer/lab/expectation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rayscope {

namespace {

using Of = Statistic::Of;
constexpr int kKinds = 5;

/// The first of `size` pixels that belongs to a part; there are `parts`, as equal as can be.
int edgeOf(int part, int parts, int size) {
    return (part * size + parts - 1) / parts;
}

double meanOver(const Statistic& part, const Image& image) {
    double sum = 0;
    for (int y = part.top; y < part.bottom; ++y) {
        for (int x = part.left; x < part.right; ++x)
            sum += image.rgb[3 * (size_t{1} * y * image.width + x) + part.channel];
    }
    return sum / part.pixels;
}

/// Of one test: its chance of a false alarm, and the t that has it.
struct Strictness {
    double chance, limit;
};

/// For each kind of statistics that there are.
std::array<Strictness, kKinds> strictnessOf(const std::vector<Statistic>& statistics,
                                            size_t batches) {
    std::array<int, kKinds> members{};
    for (const Statistic& q : statistics) ++members[static_cast<int>(q.of)];
    std::array<Strictness, kKinds> all{};
    for (int i = 0; i < kKinds; ++i) {
        if (members[i] == 0) continue;
        all[i].chance = kFalseAlarms / kKinds / members[i];
        all[i].limit = studentLimit(all[i].chance, static_cast<int>(batches) - 1);
    }
    return all;
}

Difference differenceOf(const Statistic& what, const std::vector<double>& a,
                        const std::vector<double>& b, const Strictness& strictness,
                        const BatchFacts& facts) {
    std::vector<double> differences(a.size());
    for (size_t i = 0; i < a.size(); ++i) differences[i] = b[i] - a[i];
    Difference d;
    d.what = what;
    d.a = estimateOf(a).mean;
    d.b = estimateOf(b).mean;
    d.error = estimateOf(differences).error;
    d.margin = strictness.limit * d.error;
    if (what.of == Of::rays) {
        if (d.a > 0 && d.b > 0) d.margin += facts.rounding.rays;
        return d;
    }
    const double samples = 1. * what.pixels * facts.samples * static_cast<double>(a.size());
    d.margin += facts.rounding.radiance * std::max(std::abs(d.a), std::abs(d.b));
    d.margin += facts.brightest * std::log(1 / strictness.chance) / samples;
    return d;
}

/// The chance that Student's t with this many degrees of freedom is further from 0 than t.
/// Abramowitz and Stegun 1964, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
double studentTails(double t, int degrees) {
    const double angle = std::atan(std::abs(t) / std::sqrt(degrees));
    const double square = std::pow(std::cos(angle), 2);
    const bool odd = degrees % 2 != 0;
    double term = odd ? std::cos(angle) : 1, sum = degrees > 1 ? term : 0;
    for (int k = odd ? 3 : 2; k < degrees; k += 2) {
        term *= square * (k - 1) / k;
        sum += term;
    }
    sum *= std::sin(angle);
    return 1 - (odd ? (angle + sum) * 2 / std::numbers::pi : sum);
}

/// A part of the picture is named where it differs so many times as much as the whole.
constexpr double kLocal = 4;

bool absent(const Difference& d) {
    return d.what.of == Of::rays && (d.a == 0 || d.b == 0);
}

/// How much the difference says about what went wrong.
double weightOf(const Difference& d) {
    if (absent(d)) return 1e3;
    if (d.what.of == Of::rays) return 1e-3 * d.certain();
    return d.certain() * (d.what.of == Of::picture ? kLocal : 1);
}

constexpr double kDark = .01;  ///< keeps black pixels from weighing infinitely

}  // namespace

std::vector<Statistic> statisticsOf(int width, int height, int depth) {
    struct Kind {
        Of of;
        int across, down;
    };
    std::vector<Statistic> all;
    for (const Kind& kind :
         {Kind{Of::picture, 1, 1}, Kind{Of::row, 1, height}, Kind{Of::column, width, 1},
          Kind{Of::tile, kTilesAcross, kTilesAcross}}) {
        for (int i = 0; i < kind.across * kind.down; ++i) {
            const int column = i % kind.across, row = i / kind.across;
            Statistic s{kind.of, i};
            s.left = edgeOf(column, kind.across, width);
            s.right = edgeOf(column + 1, kind.across, width);
            s.top = edgeOf(row, kind.down, height);
            s.bottom = edgeOf(row + 1, kind.down, height);
            s.pixels = (s.right - s.left) * (s.bottom - s.top);
            if (s.pixels == 0) continue;  // of a picture smaller than its tiles
            for (s.channel = 0; s.channel < 3; ++s.channel) all.push_back(s);
        }
    }
    for (int d = 0; d < depth; ++d) all.push_back({Of::rays, d});
    return all;
}

std::vector<double> valuesOf(const std::vector<Statistic>& statistics, const Image& image,
                             const Rays& rays, double samples) {
    std::vector<double> values;
    values.reserve(statistics.size());
    for (const Statistic& q : statistics) {
        values.push_back(q.of == Of::rays ? static_cast<double>(rays.depth[q.index]) / samples
                                          : meanOver(q, image));
    }
    return values;
}

bool Difference::significant() const {
    return !(std::abs(b - a) <= margin);
}

double Difference::certain() const {
    return (std::abs(b - a) - margin) / std::max(std::abs(a), std::abs(b));
}

std::vector<Difference> differencesOf(const std::vector<Statistic>& statistics,
                                      const std::vector<std::vector<double>>& a,
                                      const std::vector<std::vector<double>>& b,
                                      const BatchFacts& facts) {
    const std::array<Strictness, kKinds> strictness = strictnessOf(statistics, a.size());
    std::vector<Difference> all;
    std::vector<double> valuesA(a.size()), valuesB(b.size());
    for (size_t k = 0; k < statistics.size(); ++k) {
        for (size_t i = 0; i < a.size(); ++i) {
            valuesA[i] = a[i][k];
            valuesB[i] = b[i][k];
        }
        const Strictness& strict = strictness[static_cast<int>(statistics[k].of)];
        all.push_back(differenceOf(statistics[k], valuesA, valuesB, strict, facts));
    }
    return all;
}

double studentLimit(double chance, int degrees) {
    double low = 0, high = 1e9;
    for (int i = 0; i < 100; ++i) {
        const double middle = .5 * (low + high);
        (studentTails(middle, degrees) > chance ? low : high) = middle;
    }
    return high;
}

std::optional<Difference> largestOf(const std::vector<Difference>& differences) {
    std::optional<Difference> largest;
    for (const Difference& d : differences) {
        if (d.significant() && (!largest || weightOf(d) > weightOf(*largest))) largest = d;
    }
    return largest;
}

double noticeableOf(const std::vector<Difference>& differences) {
    double margin = 0, size = 0;
    for (const Difference& d : differences) {
        if (d.what.of != Of::picture) continue;
        margin += d.margin;
        size += std::max(std::abs(d.a), std::abs(d.b));
    }
    return size > 0 ? margin / size : 0;
}

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
