#pragma once

#include <functional>

namespace rayscope {

/// Calls work(begin, end) for parts of the rows [0, height) of a picture, on all cores if it is
/// large. `work` must not throw.
void forRows(int width, int height, const std::function<void(int, int)>& work);

}  // namespace rayscope
