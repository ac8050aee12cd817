#pragma once

#include "renderer/scene/picture.h"

// The formats of pictures, for picture.cpp and the tests.

namespace rayscope {

Result<Picture8> pngPicture(std::string_view bytes);
Result<Picture8> jpegPicture(std::string_view bytes);
Result<Picture8> webpPicture(std::string_view bytes);
/// Truevision's TGA, which has no mark at its beginning: whether its header makes sense.
bool isTga(std::string_view bytes);
Result<Picture8> tgaPicture(std::string_view bytes);
Result<Picture8> bmpPicture(std::string_view bytes);
Result<RadiancePicture> hdrPicture(std::string_view bytes);
Result<RadiancePicture> exrPicture(std::string_view bytes);

/// Empty if a file of which no more than so many pixels can be made may hold a picture of this
/// size; else what is wrong. To be asked before memory is taken.
std::string wrongSize(long long width, long long height, std::size_t most);

/// "it is a damaged PNG file", and what a library says of it.
Failure damaged(const char* kind, const std::string& message);

/// Bytes that deflate makes of one at most; a JPEG file has no fewer bytes to a pixel.
inline constexpr std::size_t kMostUnpacked = 1032;

}  // namespace rayscope
