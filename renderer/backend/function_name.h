#pragma once

#include <string>

namespace rayscope {

/// The bare name of a function from its mangled one: "closestHit", for a method its own name, for a
/// lambda's operator() that of the function which the lambda is in. A name that is not mangled
/// stays as it is.
std::string functionName(const std::string& mangled);

}  // namespace rayscope
