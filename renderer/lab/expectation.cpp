#include "renderer/lab/expectation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rayscope {

namespace {

using Of = Statistic::Of;
constexpr int kKinds = 5;

int tileOf(int place, int size) {
    return place * kTilesAcross / size;
}

/// Something for each part of a picture, by Statistic::Of and index.
template <class T>
using Parts = std::array<std::vector<T>, 4>;

template <class T>
Parts<T> partsOf(int width, int height) {
    return {std::vector<T>(1), std::vector<T>(height), std::vector<T>(width),
            std::vector<T>(kTilesAcross * kTilesAcross)};
}

/// Gives `take` what is kept of each of the parts that the pixel belongs to.
template <class T, class Take>
void eachPartAt(int x, int y, Parts<T>& parts, Take take) {
    const int height = static_cast<int>(parts[1].size()), width = static_cast<int>(parts[2].size());
    take(parts[0][0]);
    take(parts[1][y]);
    take(parts[2][x]);
    take(parts[3][tileOf(y, height) * kTilesAcross + tileOf(x, width)]);
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

}  // namespace

std::vector<Statistic> statisticsOf(int width, int height, int depth) {
    Parts<int> pixels = partsOf<int>(width, height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) eachPartAt(x, y, pixels, [](int& count) { ++count; });
    }
    std::vector<Statistic> all;
    for (size_t i = 0; i < pixels.size(); ++i) {
        for (size_t k = 0; k < pixels[i].size(); ++k) {
            if (pixels[i][k] == 0) continue;  // of a picture smaller than its tiles
            for (int c = 0; c < 3; ++c)
                all.push_back({static_cast<Of>(i), static_cast<int>(k), c, pixels[i][k]});
        }
    }
    for (int d = 0; d < depth; ++d) all.push_back({Of::rays, d, 0, 0});
    return all;
}

std::vector<double> valuesOf(const std::vector<Statistic>& statistics, const Image& image,
                             const Rays& rays, double samples) {
    Parts<glm::dvec3> sums = partsOf<glm::dvec3>(image.width, image.height);
    const float* p = image.rgb.data();
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x, p += 3) {
            const glm::dvec3 radiance(p[0], p[1], p[2]);
            eachPartAt(x, y, sums, [&](glm::dvec3& sum) { sum += radiance; });
        }
    }
    std::vector<double> values;
    values.reserve(statistics.size());
    for (const Statistic& q : statistics) {
        values.push_back(q.of == Of::rays
                             ? static_cast<double>(rays.depth[q.index]) / samples
                             : sums[static_cast<size_t>(q.of)][q.index][q.channel] / q.pixels);
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

double studentLimit(double chance, int degrees) {
    double low = 0, high = 1e9;
    for (int i = 0; i < 100; ++i) {
        const double middle = .5 * (low + high);
        (studentTails(middle, degrees) > chance ? low : high) = middle;
    }
    return high;
}

}  // namespace rayscope
