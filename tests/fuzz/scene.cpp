// Scene files, from their text to what kernels read.

#include "renderer/scene/json.h"
#include "tests/fuzz/kernel_text.h"
#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

template <class Real>
void pack(const Scene& scene, Precision precision) {
    for (const SceneLayout layout : {SceneLayout::aos, SceneLayout::soa}) {
        for (const Accel accel : {Accel::brute, Accel::bvh, Accel::grid, Accel::bvh4}) {
            Variant variant;
            variant.precision = precision;
            variant.sceneLayout = layout;
            variant.accel = accel;
            promise(packScene<Real>(scene, layout, accel).size() <= packedBytes(scene, variant),
                    "a packed scene is no larger than announced");
        }
    }
    promise(sceneParams<Real>(scene, true).lightCount <= kMaxLights, "so many lights are sampled");
}

void read(std::string_view text) {
    const auto parsed = parseJson(text, "scene.json");
    if (!parsed) return promiseSentence(parsed.reason());
    const auto found = sceneFromJson(*parsed, "scene.json");
    if (!found) return promiseSentence(found.reason());
    const Scene& scene = *found;
    const auto again = sceneFromJson(nlohmann::json::parse(toJson(scene).dump()), "");
    Scene saved = scene;
    if (!scene.sky.picture) saved.sky.source.clear();  // one that is missing is not saved again
    promise(again && *again == saved, "a scene survives a round trip");
    if (scene.spheres.size() > kMaxSpheres) return;  // bodies: it would take seconds
    pack<float>(scene, Precision::float32);
    pack<double>(scene, Precision::float64);
    promiseKernelText(scene, {});
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
