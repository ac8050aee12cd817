#pragma once

#include <string>
#include <string_view>

#include "renderer/base/result.h"

namespace rayscope {

/// The picture of a PNG as a JPEG no wider than `most` pixels, each the mean of those that it
/// covers. The reason of a failure is a clause.
Result<std::string> smallJpeg(std::string_view png, int most);

}  // namespace rayscope
