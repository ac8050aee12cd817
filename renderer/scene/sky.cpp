#include "renderer/scene/sky.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/base/text.h"
#include "renderer/scene/named_file.h"

namespace rayscope {

namespace {

/// Sky::lampsFrom
double lampsFrom(const RadiancePicture& picture) {
    constexpr double kTimesMean = 2;
    double sum = 0, weights = 0, most = 0;
    for (int y = 0; y < picture.height; ++y) {
        double ofRow = 0;
        for (int x = 0; x < picture.width; ++x) {
            const double texel = sumAt(picture, std::size_t(y) * picture.width + x);
            ofRow += texel;
            most = std::max(most, texel);
        }
        const double weight = std::sin(M_PI * (y + .5) / picture.height);
        sum += weight * ofRow;
        weights += weight * picture.width;
    }
    const double from = kTimesMean * sum / weights;
    return most > from ? from : 0;
}

}  // namespace

bool Sky::operator==(const Sky& o) const {
    return areEqual(picture, o.picture) && kind == o.kind && bottom == o.bottom && top == o.top &&
           source == o.source && digest == o.digest && turn == o.turn && strength == o.strength;
}

bool isSkyPicture(const std::string& path) {
    const std::string ending = endingOf(path);
    return ending == ".exr" || ending == ".hdr" || ending == ".png" || ending == ".jpg" ||
           ending == ".jpeg";
}

std::string skyMissing(const Sky& sky) {
    if (sky.source.empty() || sky.picture) return {};
    return fmt::format("the sky's picture {} is missing: a plain sky stands in",
                       printable(sky.source));
}

Sky skyOf(std::shared_ptr<const RadiancePicture> picture) {
    Sky sky;
    sky.kind = SkyKind::picture;
    sky.lampsFrom = lampsFrom(*picture);
    sky.picture = std::move(picture);
    return sky;
}

Result<Sky> skyFromFile(const std::string& path) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    const Result<std::string> bytes = readFile(path, kMostBytes);
    if (!bytes) return bytes.failure();
    Result<RadiancePicture> picture = skyPictureFrom(*bytes);
    if (!picture) return Failure{fmt::format("{}: {}", path, picture.reason())};
    Sky sky = skyOf(std::make_shared<const RadiancePicture>(*std::move(picture)));
    sky.source = absolutePath(path);
    sky.digest = fnv1a(*bytes);
    return sky;
}

}  // namespace rayscope
