#pragma once

// The digits by which radix sorts go over keys.

namespace rayscope {

inline constexpr int kDigitBits = 8;

constexpr int passesOf(int bits) {
    return (bits + kDigitBits - 1) / kDigitBits;
}

}  // namespace rayscope
