#include "renderer/scene/byte_planes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rayscope {

namespace {

/// Part of a step by which planes are rounded outwards at least (planeScale in core/bvh4.h).
constexpr double kMargin = 1. / 64;
/// Steps that a node is wide at most, which leaves one at each end.
constexpr double kSteps = 250;
constexpr int kExponentBias = 127, kLeastExponent = -100;

unsigned char byteOf(double steps) {
    return static_cast<unsigned char>(std::clamp(steps, 0., 255.));
}

}  // namespace

BytePlanes bytePlanes(std::span<const PlanePair> boxes) {
    float least = std::numeric_limits<float>::max(), most = -least;
    for (const PlanePair& box : boxes) {
        least = std::min(least, box.low);
        most = std::max(most, box.high);
    }
    // so that the corner's rounding is a part of a step
    const double finest = std::max(std::abs(double{least}), std::abs(double{most})) * 0x1p-22;
    const double wanted = std::max((double{most} - least) / kSteps, finest);
    const int power = wanted > 0
                          ? std::max(kLeastExponent, static_cast<int>(std::ceil(std::log2(wanted))))
                          : kLeastExponent;
    const double step = std::ldexp(1., power);
    BytePlanes p;
    p.corner = std::nextafter(static_cast<float>(least - step), -std::numeric_limits<float>::max());
    p.exponent = static_cast<unsigned>(power + kExponentBias);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        p.low[i] = byteOf(std::floor((double{boxes[i].low} - p.corner) / step - kMargin));
        p.high[i] = byteOf(std::ceil((double{boxes[i].high} - p.corner) / step + kMargin));
    }
    return p;
}

}  // namespace rayscope
