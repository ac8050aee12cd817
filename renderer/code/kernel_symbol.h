#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rayscope {

/// A kernel's name in the machine code, and what is written for it: "megakernel".
struct KernelSymbol {
    std::string symbol, name;
};

/// The name in an assembler's text made short: a kernel's symbol within it becomes the kernel's
/// name, and a variant, which is part of what templates make, becomes "V".
std::string shortName(std::string_view word, const std::vector<KernelSymbol>& kernels);

}  // namespace rayscope
