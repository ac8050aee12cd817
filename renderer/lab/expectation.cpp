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

/// Pixels of a side of the picture that belong to the tile.
int tileSize(int tile, int size) {
    int count = 0;
    for (int i = 0; i < size; ++i) count += tileOf(i, size) == tile;
    return count;
}

int pixelsOf(Of of, int index, int width, int height) {
    switch (of) {
        case Of::picture:
            return width * height;
        case Of::row:
            return width;
        case Of::column:
            return height;
        case Of::tile:
            return tileSize(index % kTilesAcross, width) * tileSize(index / kTilesAcross, height);
        case Of::rays:
            return 0;
    }
    return 0;
}

/// Means over rows, columns, tiles and the whole of one picture.
struct RegionMeans {
    using Sums = std::vector<std::array<double, 3>>;
    std::array<Sums, 4> of;  ///< by Statistic::Of

    explicit RegionMeans(const Image& image);
};

RegionMeans::RegionMeans(const Image& image) {
    const int sizes[] = {1, image.height, image.width, kTilesAcross * kTilesAcross};
    std::array<std::vector<int>, 4> counts;
    for (int i = 0; i < 4; ++i) {
        of[i].assign(sizes[i], {});
        counts[i].assign(sizes[i], 0);
    }
    const float* p = image.rgb.data();
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x, p += 3) {
            const int tile = tileOf(y, image.height) * kTilesAcross + tileOf(x, image.width);
            const int places[] = {0, y, x, tile};
            for (int i = 0; i < 4; ++i) {
                for (int c = 0; c < 3; ++c) of[i][places[i]][c] += p[c];
                ++counts[i][places[i]];
            }
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < sizes[i]; ++k) {
            for (double& sum : of[i][k]) sum /= std::max(1, counts[i][k]);
        }
    }
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
    std::vector<Statistic> all;
    const int sizes[] = {1, height, width, kTilesAcross * kTilesAcross};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < sizes[i]; ++k) {
            const Of of = static_cast<Of>(i);
            const int pixels = pixelsOf(of, k, width, height);
            if (pixels == 0) continue;  // of a picture smaller than its tiles
            for (int c = 0; c < 3; ++c) all.push_back({of, k, c, pixels});
        }
    }
    for (int d = 0; d < depth; ++d) all.push_back({Of::rays, d, 0, 0});
    return all;
}

std::vector<double> valuesOf(const std::vector<Statistic>& statistics, const Image& image,
                             const Rays& rays, double samples) {
    const RegionMeans means(image);
    std::vector<double> values;
    values.reserve(statistics.size());
    for (const Statistic& q : statistics) {
        values.push_back(q.of == Of::rays ? static_cast<double>(rays.depth[q.index]) / samples
                                          : means.of[static_cast<int>(q.of)][q.index][q.channel]);
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

Estimate estimateOf(const std::vector<double>& values) {
    const double n = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double v : values) mean += v / n;
    for (const double v : values) squares += std::pow(v - mean, 2);
    return {mean, values.size() > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
}

}  // namespace rayscope
