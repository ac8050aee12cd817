#pragma once

#include <string>
#include <string_view>

namespace rayscope {

/// Why a shared object is not one of kernels alone: it is damaged, has code that runs while it is
/// loaded, or needs other libraries than those of C. Empty if it is. Reads nothing outside of the
/// bytes.
std::string problemOfObject(std::string_view object);

}  // namespace rayscope
