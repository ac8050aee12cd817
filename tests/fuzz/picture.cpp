// Pictures for surfaces and skies, from their bytes.

#include "renderer/scene/picture.h"

#include <algorithm>

#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

void read(std::string_view bytes) {
    const Result<Picture8> picture = pictureFrom(bytes);
    if (picture) {
        promise(picture->width > 0 && picture->height > 0, "a picture has pixels");
        promise(
            picture->texels.size() == static_cast<std::size_t>(picture->width) * picture->height,
            "and all of them");
    } else {
        promiseSentence(picture.reason());
    }
    const Result<RadiancePicture> sky = skyPictureFrom(bytes);
    if (!sky) return promiseSentence(sky.reason());
    promise(sky->rgb.size() == std::size_t{3} * sky->width * sky->height, "a sky has all pixels");
    promise(std::all_of(sky->rgb.begin(), sky->rgb.end(),
                        [](float v) { return v >= 0 && v <= kMaxRadiance; }),
            "of a radiance that is in range");
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
