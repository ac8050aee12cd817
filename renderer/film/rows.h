#pragma once

#include <functional>
#include <vector>

#include "renderer/core/types.h"

namespace rayscope {

/// Calls work(begin, end) for parts of the rows [0, height) of a picture, on all cores if it is
/// large. `work` must not throw.
void forRows(int width, int height, const std::function<void(int, int)>& work);

/// Adds pixel by pixel, as many as `to` has.
void addPixels(std::vector<Pixel>& to, const Pixel* more);
void addPixels(Pixel* to, const Pixel* more, std::size_t count);

}  // namespace rayscope
