#include "renderer/scene/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/base/text.h"
#include "renderer/scene/json.h"
#include "renderer/scene/model_formats.h"
#include "renderer/scene/named_file.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostModelBytes = std::size_t{4} << 30;

/// Formats that a library reads in a process of its own.
bool isImported(const std::string& ending) {
    return ending == ".fbx" || ending == ".dae" || ending == ".3ds" || ending == ".stl";
}

Result<Model> modelOf(const std::string& ending, std::string_view bytes, Companions& companions) {
    if (ending == ".obj") return objModel(bytes, companions);
    if (ending == ".ply") return plyModel(bytes);
    if (isImported(ending)) return importedModel(bytes, ending, companions);
    return gltfModel(bytes, companions);
}

}  // namespace

Result<std::string> Companions::read(const std::string& name) {
    const std::string shown = printable(shortened(name, 100));
    if (folder_.empty() || !staysBelow(name))
        return Failure{fmt::format("it names '{}', and only files in its folder are read", shown)};
    Result<std::string> bytes = readFile((fs::path(folder_) / name).string(), kMostModelBytes);
    if (bytes) digest_ = fnv1a(*bytes, digest_ ^ fnv1a(name));
    return bytes;
}

bool inReach(const glm::dvec3& p) {
    return std::abs(p.x) <= kMaxCoordinate && std::abs(p.y) <= kMaxCoordinate &&
           std::abs(p.z) <= kMaxCoordinate;
}

bool isUv(const glm::dvec2& uv) {
    return std::abs(uv.x) <= kMaxUv && std::abs(uv.y) <= kMaxUv;
}

Material materialOf(const FileSurface& s) {
    const auto bounded = [](const glm::dvec3& v, double most) {
        const auto of = [&](double x) { return x > 0 ? std::min(x, most) : 0; };
        return glm::dvec3(of(v.x), of(v.y), of(v.z));
    };
    Material material;
    material.albedo = bounded(s.base, 1);
    material.emission = bounded(s.emission, kMaxEmission);
    if (material.emission != glm::dvec3(0) && !s.shinesInPlaces) return material;
    if (s.transmission > .5) {
        material.kind = MaterialKind::dielectric;
        material.index = s.index >= 1 ? std::min(s.index, 10.) : 1.5;
    } else if (s.metallic > .5) {
        material.kind = MaterialKind::metal;
        // the width of a microfacet lobe is the square of what files call roughness (Burley 2012,
        // "Physically-Based Shading at Disney")
        const double roughness = s.roughness >= 0 ? std::min(s.roughness, 1.) : 1;
        material.roughness = roughness * roughness;
    }
    return material;
}

bool isModel(const std::string& path) {
    const std::string ending = endingOf(path);
    return ending == ".obj" || ending == ".ply" || ending == ".gltf" || ending == ".glb" ||
           isImported(ending);
}

Result<Model> readModel(const std::string& path) {
    const Result<std::string> bytes = readFile(path, kMostModelBytes);
    if (!bytes) return bytes.failure();
    const fs::path folder = fs::path(path).parent_path();
    Companions companions(folder.empty() ? "." : folder.string());
    Result<Model> model = modelOf(endingOf(path), *bytes, companions);
    if (!model) return Failure{fmt::format("{}: {}", path, model.reason())};
    tidy(model->mesh);
    if (model->mesh.faces.empty()) return Failure{fmt::format("{} has no triangles", path)};
    model->digest = fnv1a(*bytes) ^ companions.digest();
    return model;
}

Result<SceneMesh> meshFromFile(const std::string& path) {
    Result<Model> model = readModel(path);
    if (!model) return model.failure();
    const std::string source = absolutePath(path);
    return SceneMesh{std::make_shared<const Mesh>(std::move(model->mesh)), source, model->digest};
}

Camera framing(const Mesh& mesh) {
    const auto [low, high] = boundsOf(mesh);
    const glm::dvec3 middle = (low + high) * .5;
    const double radius = std::max(glm::distance(low, high) / 2, kMinRadius);
    Camera camera;
    camera.vfov = 40;
    // the ball around it fills the height of the picture
    const double distance = radius / std::sin(camera.vfov * M_PI / 360);
    camera.to = middle;
    camera.from = middle + distance * glm::normalize(glm::dvec3(.5, .35, 1));
    camera.focus = distance;
    return camera;
}

Result<Scene> sceneOfModel(const std::string& path) {
    Result<Model> model = readModel(path);
    if (!model) return model.failure();
    Scene scene;
    scene.name = sceneNameFrom(path);
    scene.sky = {SkyKind::gradient, {1, 1, 1}, {.5, .7, 1}};
    scene.camera = model->camera.value_or(framing(model->mesh));
    const auto [low, high] = boundsOf(model->mesh);
    // some thirty times what single precision resolves there
    const glm::dvec3 reach = glm::max(glm::abs(low), glm::abs(high));
    scene.epsilon = std::max(2e-6 * std::max({reach.x, reach.y, reach.z}), 1e-9);
    scene.meshes.push_back(
        {std::make_shared<const Mesh>(std::move(model->mesh)), absolutePath(path), model->digest});
    scene.title = fmt::format("{} triangles", triangleCount(scene));
    return scene;
}

}  // namespace rayscope
