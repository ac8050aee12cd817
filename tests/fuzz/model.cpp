// Files of triangles, from their bytes to what kernels read. What they begin with tells the format.

#include <algorithm>

#include "renderer/scene/bvh.h"
#include "renderer/scene/model_fit.h"
#include "renderer/scene/model_formats.h"
#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

Result<Model> modelIn(std::string_view bytes) {
    Companions nothing("");
    if (bytes.starts_with("ply")) return plyModel(bytes);
    if (bytes.starts_with("RIP1")) return modelFromImport(bytes, nothing);
    if (bytes.starts_with("{") || bytes.starts_with("glTF")) return gltfModel(bytes, nothing);
    return objModel(bytes, nothing);
}

void promiseMesh(const Mesh& mesh) {
    const int corners = static_cast<int>(mesh.corners.size());
    const int materials = static_cast<int>(mesh.materials.size());
    promise(mesh.normals.empty() || mesh.normals.size() == mesh.corners.size(),
            "corners have a normal each, or none has");
    promise(mesh.colours.empty() || mesh.colours.size() == mesh.corners.size(),
            "and so with colours");
    promise(std::all_of(mesh.corners.begin(), mesh.corners.end(),
                        [](const glm::vec3& c) { return inReach(c); }),
            "corners are in reach");
    for (const Triangle& face : mesh.faces) {
        for (const int c : face.corners)
            promise(c >= 0 && c < corners, "triangles have corners that are there");
        promise(face.material >= 0 && face.material < materials, "and materials");
        promise(doubleArea(mesh, face) > 0, "and an area");
    }
}

void read(std::string_view bytes) {
    Result<Model> model = modelIn(bytes);
    if (!model) return promiseSentence(model.reason());
    fitAlone(*model);
    tidy(model->mesh);
    promiseMesh(model->mesh);
    if (model->mesh.faces.empty()) return;
    const Camera frame = framing(model->mesh);
    promise(inReach(frame.to), "a camera looks at it");
    Scene scene;
    scene.meshes.push_back({std::make_shared<const Mesh>(std::move(model->mesh))});
    for (const Accel accel : {Accel::brute, Accel::bvh, Accel::bvh4, Accel::bvh8}) {
        Variant variant;
        variant.accel = accel;
        for (const bool compressed : {false, true}) {
            const PackedScene packed = packScene<float>(scene, SceneLayout::soa, accel, nullptr,
                                                        Hierarchy::sah, {.compressed = compressed});
            promise(packed.size() <= packedBytes(scene, variant),
                    "a packed scene is no larger than announced");
        }
    }
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
