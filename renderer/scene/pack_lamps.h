#pragma once

#include <utility>
#include <vector>

#include "renderer/core/sampling.h"
#include "renderer/scene/records.h"

namespace rayscope {

/// Lamps as kernels draw them: their numbers, each with the power of all up to it. A lamp's weight
/// is 1 / (divisor * its share).
template <class Real>
std::vector<LampRecord<Real>> lampRecords(const std::vector<std::pair<int, double>>& lamps,
                                          double divisor) {
    std::vector<LampRecord<Real>> records = zeroRecords<LampRecord<Real>>(lamps.size());
    auto record = records.begin();
    double before = 0;
    for (const auto& [number, upTo] : lamps) {
        const double sum = lamps.back().second, share = (upTo - before) / sum;
        record->upTo = static_cast<Real>(upTo / sum);
        record->weight = static_cast<Real>(1 / (divisor * share));
        record->number = number;
        ++record;
        before = upTo;
    }
    return records;
}

}  // namespace rayscope
