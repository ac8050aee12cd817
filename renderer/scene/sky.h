#pragma once

#include "renderer/base/result.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// Whether the name ends as that of a picture that a sky may be.
bool isSkyPicture(const std::string& path);

/// Red, green and blue of a texel together.
inline double sumAt(const RadiancePicture& picture, std::size_t texel) {
    const float* const rgb = picture.rgb.data() + 3 * texel;
    return double{rgb[0]} + rgb[1] + rgb[2];
}

/// A sky of a picture, whose lamps are where it is brighter than twice its mean.
Sky skyOf(std::shared_ptr<const RadiancePicture> picture);

/// That the sky's picture could not be opened, and a plain sky is there in its place; empty where
/// it is not so.
std::string skyMissing(const Sky& sky);

/// A sky of the picture in a file. The reason of a failure names the file.
Result<Sky> skyFromFile(const std::string& path);

}  // namespace rayscope
