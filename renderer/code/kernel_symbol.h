#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rayscope {

/// A kernel's symbol in the machine code, and the name to be written in its place: "megakernel".
struct KernelSymbol {
    std::string symbol, name;
};

/// Shortens a name in assembly: a kernel's symbol becomes the kernel's name, and a variant, which
/// is part of the names of templates, becomes "V".
std::string shortName(std::string_view word, const std::vector<KernelSymbol>& kernels);

}  // namespace rayscope
