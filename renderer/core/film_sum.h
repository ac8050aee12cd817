#pragma once

#include "renderer/core/platform.h"

// Sums of a film in two floats a number, 48 bits: what is added to a pixel of 10^9 samples loses
// nothing that could be seen. Not for code that is compiled with -ffast-math.

namespace rayscope {

/// `rest` is what rounding has kept out of `sum`, which stays the float nearest to both: the
/// two-sum of Knuth (The Art of Computer Programming 2, 4.2.2, theorem B). Floats: a float, or a
/// vector of them.
template <class Floats>
RAYSCOPE_FN void addWithRest(Floats& sum, Floats& rest, Floats more) {
    const Floats rounded = sum + more, added = rounded - sum;
    const Floats lost = (sum - (rounded - added)) + (more - added);
    const Floats low = rest + lost;
    sum = rounded + low;
    rest = low - (sum - rounded);
}

RAYSCOPE_FN void addPixelWithRest(Pixel& sum, Pixel& rest, const Pixel& more) {
    Pixel s = sum, r = rest;
    addWithRest(s.r, r.r, more.r);
    addWithRest(s.g, r.g, more.g);
    addWithRest(s.b, r.b, more.b);
    addWithRest(s.samples, r.samples, more.samples);
    sum = s;
    rest = r;
}

}  // namespace rayscope
