#pragma once

#include <utility>
#include <vector>

#include "renderer/core/sampling.h"

namespace rayscope {

/// Lamps as kernels draw them: their numbers, each with the power of all up to it. A lamp's weight
/// is 1 / (divisor * its share).
template <class Real>
std::vector<LampRecord<Real>> lampRecords(const std::vector<std::pair<int, double>>& lamps,
                                          double divisor) {
    std::vector<LampRecord<Real>> records;
    double before = 0;
    for (const auto& [number, upTo] : lamps) {
        const double sum = lamps.back().second, share = (upTo - before) / sum;
        records.push_back(
            {static_cast<Real>(upTo / sum), static_cast<Real>(1 / (divisor * share)), number});
        before = upTo;
    }
    return records;
}

}  // namespace rayscope
