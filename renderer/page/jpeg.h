#pragma once

#include <string>
#include <string_view>

#include "renderer/base/result.h"
#include "renderer/film/image.h"

namespace rayscope {

/// A JPEG of the picture, no wider than `most` pixels, each the mean of those that it covers. The
/// reason of a failure is a clause.
Result<std::string> smallJpeg(const Picture& picture, int most);
/// The same of a PNG's picture.
Result<std::string> smallJpeg(std::string_view png, int most);

}  // namespace rayscope
