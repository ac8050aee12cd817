#pragma once

#include "renderer/cpu/kernels/pack.h"

namespace rayscope {

inline constexpr unsigned kAllLanes = (1u << kWidth) - 1;

/// The `most` lowest of the bits.
RAYSCOPE_FN unsigned lowest(unsigned bits, int most) {
    return most >= kWidth ? bits : _pdep_u32((1u << most) - 1, bits);
}

/// First in, first out: records of some numbers, an array for each. Holds what two packets push.
template <int Fields>
struct PacketQueue {
    alignas(64) float fields[Fields][3 * kWidth];
    int count = 0;

    RAYSCOPE_FN void push(unsigned lanes, const Floats (&numbers)[Fields]) {
        const Mask mask = Mask::of(lanes);
        for (int f = 0; f < Fields; ++f) storePacked(fields[f] + count, mask, numbers[f]);
        count += __builtin_popcount(lanes);
    }
    RAYSCOPE_FN Floats number(int field) const { return load(fields[field]); }
    RAYSCOPE_FN Vec3<Floats> vector(int field) const {
        return {number(field), number(field + 1), number(field + 2)};
    }
    /// Sets the lanes of the mask to the first records, from field First on.
    template <int First = 0, int N>
    RAYSCOPE_FN void spread(Mask lanes, Floats* const (&numbers)[N]) const {
        for (int f = 0; f < N; ++f) *numbers[f] = loadSpread(fields[First + f], lanes, *numbers[f]);
    }
    RAYSCOPE_FN void drop(int records) {
        for (int f = 0; f < Fields; ++f) store(fields[f], load(fields[f] + records));
        count -= records;
    }
};

}  // namespace rayscope
