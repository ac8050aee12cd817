#pragma once

#include <algorithm>
#include <array>

namespace rayscope {

/// Colours (red, green, blue, 0..1, as a screen shows them) for equally spaced numbers from 0 to 1,
/// with linear interpolation in between. Computed in OKLCH such that CIELAB's lightness is linear:
/// equal steps of the number look equal, and a print in grey keeps the order.
using ColorRamp = std::array<std::array<float, 3>, 9>;

/// From black through violet, red and yellow to white; lightness is 98 times the number.
inline constexpr ColorRamp kMagnitude{{{0, 0, 0},
                                       {.216f, .013f, .308f},
                                       {.430f, .004f, .396f},
                                       {.661f, .010f, .399f},
                                       {.880f, .128f, .317f},
                                       {.998f, .371f, .190f},
                                       {.998f, .617f, .301f},
                                       {.999f, .812f, .510f},
                                       {1, .981f, .862f}}};

/// Blue below .5, red above; lightness is 180 times the distance from .5.
inline constexpr ColorRamp kSigned{{{.744f, .913f, .999f},
                                    {.010f, .683f, .983f},
                                    {.017f, .431f, .709f},
                                    {.004f, .205f, .437f},
                                    {0, 0, 0},
                                    {.446f, .016f, 0},
                                    {.740f, .254f, .006f},
                                    {1, .508f, .167f},
                                    {.998f, .863f, .759f}}};

/// Numbers outside 0..1 get the colour of the nearer end; NaN gets that of 0.
inline std::array<float, 3> colorAt(const ColorRamp& ramp, double number) {
    const double last = static_cast<double>(ramp.size() - 1);
    const double step = number > 0 ? std::min(number, 1.) * last : 0;
    const size_t low = std::min(static_cast<size_t>(step), ramp.size() - 2);
    const float share = static_cast<float>(step - static_cast<double>(low));
    std::array<float, 3> color{};
    for (size_t c = 0; c < 3; ++c)
        color[c] = ramp[low][c] + share * (ramp[low + 1][c] - ramp[low][c]);
    return color;
}

}  // namespace rayscope
