#pragma once

#include <functional>
#include <vector>

#include "renderer/film/film.h"

namespace rayscope {

/// Calls work(begin, end) for parts of the rows [0, height) of a picture, on all cores if it is
/// large. `work` must not throw.
void forRows(int width, int height, const std::function<void(int, int)>& work);

/// Adds pixel by pixel. `rest`: what rounding keeps out of `to`; nullptr: it is lost.
void addPixels(Pixel* to, Pixel* rest, const Pixel* more, std::size_t count);
/// As many as `to` has.
void addPixels(std::vector<PixelSum>& to, const Pixel* more);
void addPixels(std::vector<PixelSum>& to, const std::vector<PixelSum>& more);
/// The sums, rounded to single precision.
std::vector<Pixel> rounded(const std::vector<PixelSum>& sums);

}  // namespace rayscope
