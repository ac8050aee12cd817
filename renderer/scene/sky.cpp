#include "renderer/scene/sky.h"

#include <fmt/format.h>

#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/scene/named_file.h"

namespace rayscope {

bool Sky::operator==(const Sky& o) const {
    return areEqual(picture, o.picture) && kind == o.kind && bottom == o.bottom && top == o.top &&
           source == o.source && digest == o.digest && turn == o.turn && strength == o.strength;
}

bool isSkyPicture(const std::string& path) {
    const std::string ending = endingOf(path);
    return ending == ".exr" || ending == ".hdr" || ending == ".png" || ending == ".jpg" ||
           ending == ".jpeg";
}

Result<Sky> skyFromFile(const std::string& path) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    const Result<std::string> bytes = readFile(path, kMostBytes);
    if (!bytes) return bytes.failure();
    Result<RadiancePicture> picture = skyPictureFrom(*bytes);
    if (!picture) return Failure{fmt::format("{}: {}", path, picture.reason())};
    Sky sky;
    sky.kind = SkyKind::picture;
    sky.picture = std::make_shared<const RadiancePicture>(*std::move(picture));
    sky.source = absolutePath(path);
    sky.digest = fnv1a(*bytes);
    return sky;
}

}  // namespace rayscope
