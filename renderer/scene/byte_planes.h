#pragma once

#include <array>
#include <span>

namespace rayscope {

/// Of a box, along one axis.
struct PlanePair {
    float low, high;
};

/// Boxes along one axis in bytes, rounded outwards, as core/bvh4.h reads them: of a plane
/// corner + byte * step, where the step is 2^(exponent - 127).
struct BytePlanes {
    float corner;
    unsigned exponent;
    std::array<unsigned char, 8> low{}, high{};
};

/// Of up to eight boxes.
BytePlanes bytePlanes(std::span<const PlanePair> boxes);

}  // namespace rayscope
