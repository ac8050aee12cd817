#include "renderer/scene/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/base/text.h"
#include "renderer/scene/json.h"
#include "renderer/scene/model_fit.h"
#include "renderer/scene/model_formats.h"
#include "renderer/scene/named_file.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostModelBytes = std::size_t{4} << 30;
constexpr std::array<std::string_view, 8> kModelEndings{".glb", ".gltf", ".obj", ".ply",
                                                        ".fbx", ".dae",  ".3ds", ".stl"};

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
    return std::find(kModelEndings.begin(), kModelEndings.end(), ending) != kModelEndings.end();
}

std::string modelEndings() {
    std::string text;
    for (std::size_t i = 0; i < kModelEndings.size(); ++i) {
        const bool last = i + 1 == kModelEndings.size();
        text.append(i == 0 ? "" : last ? " or " : ", ").append(kModelEndings[i]);
    }
    return text;
}

/// The model with its corners as the reader left them, untidied.
static Result<Model> rawModel(const std::string& path) {
    const Result<std::string> bytes = readFile(path, kMostModelBytes);
    if (!bytes) return bytes.failure();
    const fs::path folder = fs::path(path).parent_path();
    Companions companions(folder.empty() ? "." : folder.string());
    Result<Model> model = modelOf(endingOf(path), *bytes, companions);
    if (!model) return Failure{fmt::format("{}: {}", path, model.reason())};
    model->digest = fnv1a(*bytes) ^ companions.digest();
    return model;
}

/// What remains of a model that has been fitted, if a scene may have it.
static Result<Model> checked(Result<Model> model, const std::string& path) {
    tidy(model->mesh);
    if (model->mesh.faces.empty()) return Failure{fmt::format("{} has no triangles", path)};
    if (std::ranges::all_of(model->mesh.corners, [](const auto& c) { return inReach(c); }))
        return model;
    return Failure{fmt::format(
        "{}: a vertex is too far away: coordinates are from {} to {}. Open the model by itself, or "
        "give the mesh an offset and a scale",
        path, -kMaxCoordinate, kMaxCoordinate)};
}

Result<Model> readModel(const std::string& path, const Fit& fit) {
    Result<Model> model = rawModel(path);
    if (!model) return model;
    refit(*model, fit);
    return checked(std::move(model), path);
}

static SceneMesh sceneMesh(Model model, const std::string& path) {
    SceneMesh mesh{std::make_shared<const Mesh>(std::move(model.mesh)), absolutePath(path),
                   model.digest};
    mesh.fit = model.fit;
    mesh.remarks = std::move(model.remarks);
    return mesh;
}

Result<SceneMesh> meshFromFile(const std::string& path, const Fit& fit) {
    Result<Model> model = readModel(path, fit);
    if (!model) return model.failure();
    return sceneMesh(*std::move(model), path);
}

/// Some thirty times what single precision resolves there.
static double resolvedAt(const Box& bounds) {
    const glm::dvec3 reach = glm::max(glm::abs(bounds.low), glm::abs(bounds.high));
    return 2e-6 * std::max({reach.x, reach.y, reach.z});
}

double epsilonFor(const std::vector<SceneMesh>& meshes, double usual) {
    double least = 0, epsilon = usual;
    for (const SceneMesh& mesh : meshes) {
        if (mesh.digest == 0 || !mesh.places.empty()) continue;
        const Box bounds = boundsOf(*mesh.mesh);
        least = std::max(least, resolvedAt(bounds));
        epsilon = std::min(epsilon, 1e-3 * glm::distance(bounds.low, bounds.high) / 2);
    }
    return std::max(epsilon, least);
}

std::vector<FileRemark> remarksOn(const Scene& scene) {
    std::vector<FileRemark> all;
    for (std::size_t i = 0; i < scene.meshes.size(); ++i) {
        const SceneMesh& mesh = scene.meshes[i];
        const auto same = [&](const SceneMesh& other) { return other.source == mesh.source; };
        const auto end = scene.meshes.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::any_of(scene.meshes.begin(), end, same)) continue;
        const std::string file =
            printable(shortened(fs::path(mesh.source).filename().string(), 100));
        for (const Remark& remark : mesh.remarks.all()) all.push_back({file, remark});
        if (const int left = mesh.remarks.left(); left > 0)
            all.push_back({file, {"more remarks are not listed", "", left}});
    }
    return all;
}

std::string remarkSentence(const FileRemark& remark) {
    return fmt::format("{}: {}", remark.file, remarkSentence(remark.remark));
}

Camera framing(const Mesh& mesh) {
    const auto [low, high] = boundsOf(mesh);
    const glm::dvec3 middle = (low + high) * .5;
    const double radius = std::max(glm::distance(low, high) / 2, 1e-30);
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
    Result<Model> model = rawModel(path);
    if (!model) return model.failure();
    fitAlone(*model);
    model = checked(std::move(model), path);
    if (!model) return model.failure();
    Scene scene;
    scene.name = sceneNameFrom(path);
    scene.sky = {SkyKind::gradient, {1, 1, 1}, {.5, .7, 1}};
    scene.camera = model->camera.value_or(framing(model->mesh));
    scene.epsilon = std::max(resolvedAt(boundsOf(model->mesh)), 1e-9);
    scene.meshes.push_back(sceneMesh(*std::move(model), path));
    scene.title = fmt::format("{} triangles", triangleCount(scene));
    return scene;
}

}  // namespace rayscope
