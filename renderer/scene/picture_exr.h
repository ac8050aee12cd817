#pragma once

#include <span>
#include <string>

#include "renderer/base/result.h"

namespace rayscope {

/// The bytes of an OpenEXR file of 32-bit floats R, G and B, packed without loss. `rgb`: three
/// numbers a pixel, rows from the top. Reading: exrPicture() in picture_formats.h.
Result<std::string> exrBytes(int width, int height, std::span<const float> rgb);

}  // namespace rayscope
