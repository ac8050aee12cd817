#pragma once

#include "renderer/base/result.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// Whether the name ends as that of a picture that a sky may be.
bool isSkyPicture(const std::string& path);

/// A sky of a picture, whose lamps are where it is brighter than twice its mean.
Sky skyOf(std::shared_ptr<const RadiancePicture> picture);

/// A sky of the picture in a file. The reason of a failure names the file.
Result<Sky> skyFromFile(const std::string& path);

}  // namespace rayscope
