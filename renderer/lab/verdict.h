#pragma once

#include <string_view>

namespace rayscope {

/// identical: with the same seeds the films are equal to the bit and the rays are as many.
/// sameRays: the same paths but for rounding: rays at every depth, shadow rays and almost all
/// pixels agree, and no difference of means is significant.
/// sameExpectation: other paths, but no mean differs significantly.
/// different: some mean does.
enum class Verdict { identical, sameRays, sameExpectation, different };

/// "identical", "same rays", "same expectation", "DIFFERENT".
std::string_view nameOf(Verdict verdict);

}  // namespace rayscope
