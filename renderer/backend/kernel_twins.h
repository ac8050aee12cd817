#pragma once

#include <string>
#include <vector>

namespace rayscope {

/// Kernels in PTX that are launched in place of others: they have their parameters, do the same,
/// and count meanwhile.
struct KernelTwins {
    struct Symbols {
        std::string kernel, twin;
    };
    std::string ptx;
    std::vector<Symbols> symbols;
    std::string counters;  ///< their variable, an array of numbers of 64 bits that begin with zero
    int maxRegisters = 0;  ///< of a thread; 0: as many as the driver likes
};

}  // namespace rayscope
