#include "renderer/scene/mesh_json.h"

#include <fmt/format.h>

#include <glm/geometric.hpp>

#include "renderer/base/text.h"
#include "renderer/scene/made_meshes.h"
#include "renderer/scene/model.h"
#include "renderer/scene/model_formats.h"
#include "renderer/scene/named_file.h"
#include "renderer/scene/places.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr std::size_t kMostMeshes = 1024;
/// Corners and triangles that are written out in a scene's file.
constexpr std::size_t kMostWritten = 200'000;

const json* arrayOf(ObjectReader& members, const char* key, std::size_t most, const char* what) {
    const std::string expected = fmt::format("an array of at most {} {}", most, what);
    const json* array = members.required(key, expected);
    if (array == nullptr) return nullptr;
    if (array->is_array() && array->size() <= most) return array;
    members.complain(members.pathOf(key), briefly(*array), expected);
    return nullptr;
}

void readVectors(ObjectReader& members, const char* key, std::vector<glm::vec3>& vectors) {
    const json* array = arrayOf(members, key, kMostWritten, "points");
    if (array == nullptr) return;
    for (const json& value : *array) {
        const auto number = [&](std::size_t i) {
            return value.is_array() && value.size() == 3 && value[i].is_number()
                       ? value[i].get<double>()
                       : NAN;
        };
        const glm::dvec3 point{number(0), number(1), number(2)};
        if (!inReach(point)) {
            return members.complain(
                fmt::format("{}[{}]", members.pathOf(key), vectors.size()), briefly(value),
                fmt::format("3 numbers from {} to {}", -kMaxCoordinate, kMaxCoordinate));
        }
        vectors.emplace_back(point);
    }
}

/// [a, b, c], or [a, b, c, material].
bool readFace(const json& value, const Mesh& mesh, Triangle& face) {
    if (!value.is_array() || value.size() < 3 || value.size() > 4) return false;
    const auto below = [&](std::size_t i, std::size_t count, int& number) {
        if (!value[i].is_number_integer()) return false;
        const double n = value[i].get<double>();
        number = n >= 0 && n < static_cast<double>(count) ? static_cast<int>(n) : -1;
        return number >= 0;
    };
    for (std::size_t i = 0; i < 3; ++i) {
        if (!below(i, mesh.corners.size(), face.corners[i])) return false;
    }
    face.material = 0;
    return value.size() == 3 || below(3, mesh.materials.size(), face.material);
}

void readMaterials(ObjectReader& members, Mesh& mesh) {
    const json* array = arrayOf(members, "materials", kMostWritten, "materials");
    if (array == nullptr) return;
    for (std::size_t i = 0; i < array->size() && !members.failed(); ++i) {
        mesh.materials.emplace_back();
        const std::string path = fmt::format("{}[{}]", members.pathOf("materials"), i);
        readMaterial(members.element((*array)[i], path), mesh.materials.back());
    }
    if (array->empty())
        members.complain(members.pathOf("materials"), "empty", "at least one material");
}

/// A mesh that is written out.
void readWritten(ObjectReader& members, SceneMesh& placed) {
    Mesh mesh;
    readVectors(members, "corners", mesh.corners);
    if (members.member("normals") != nullptr) {
        readVectors(members, "normals", mesh.normals);
        if (mesh.normals.size() != mesh.corners.size())
            members.complain(members.pathOf("normals"),
                             fmt::format("{} points", mesh.normals.size()), "as many as corners");
        for (glm::vec3& n : mesh.normals) n = glm::length(n) > 0 ? glm::normalize(n) : n;
    }
    readMaterials(members, mesh);
    const json* faces = arrayOf(members, "faces", kMostWritten, "triangles");
    if (faces == nullptr || members.failed()) return;
    for (const json& value : *faces) {
        mesh.faces.emplace_back();
        if (readFace(value, mesh, mesh.faces.back())) continue;
        return members.complain(
            fmt::format("{}[{}]", members.pathOf("faces"), mesh.faces.size() - 1), briefly(value),
            "the numbers of 3 corners and, if there are several, of a material");
    }
    tidy(mesh);
    if (mesh.faces.empty())
        return members.complain(members.pathOf("faces"), "without a triangle", "one");
    placed.mesh = std::make_shared<const Mesh>(std::move(mesh));
}

void readMade(ObjectReader& members, const std::string& name, SceneMesh& placed) {
    const Result<SharedMesh> made = meshWithinMemory(name);
    if (!made) return members.fail(fmt::format("{}: {}", members.pathOf("made"), made.reason()));
    const SharedMesh& mesh = *made;
    if (!mesh)
        return members.complain(members.pathOf("made"),
                                fmt::format("\"{}\"", printable(shortened(name, 40))),
                                "terrain-N, city-N, forest-N or blocks-N");
    placed.mesh = mesh;
    placed.source = name;
}

void readFrom(ObjectReader& members, const std::string& folder, SceneMesh& placed) {
    const std::string modelFile = "a " + modelEndings();
    const std::optional<NamedFile> file =
        readFileName(members, "file", folder, isModel, modelFile.c_str());
    Fit fit;
    constexpr Range kAny{-kMaxFileCoordinate, kMaxFileCoordinate};
    members.vector("offset", kAny, fit.offset);
    members.number("scale", {0, kMaxFileCoordinate, true}, fit.scale);
    if (!file || members.failed()) return;
    Result<SceneMesh> read = meshFromFile(file->path, fit);
    if (!read) return members.fail(fmt::format("{}: {}", members.pathOf("file"), read.reason()));
    checkDigest(members, "file", *file, read->digest);
    placed = *std::move(read);
}

/// Three rows of four numbers, one row behind the other.
std::optional<Placement> placementOf(const json& value) {
    if (!value.is_array() || value.size() != 12) return {};
    Placement place;
    for (std::size_t i = 0; i < 12; ++i) {
        if (!value[i].is_number()) return {};
        place[static_cast<int>(i % 4)][static_cast<int>(i / 4)] = value[i].get<float>();
    }
    if (!isPlace(place)) return {};
    return place;
}

void readPlaces(ObjectReader& members, SceneMesh& placed) {
    if (members.failed() || members.member("places") == nullptr) return;
    const json* array = arrayOf(members, "places", kMaxPlaces, "places");
    if (array == nullptr) return;
    if (array->empty()) return members.complain(members.pathOf("places"), "empty", "a place");
    for (const json& value : *array) {
        const std::optional<Placement> place = placementOf(value);
        if (!place) {
            return members.complain(
                fmt::format("{}[{}]", members.pathOf("places"), placed.places.size()),
                briefly(value),
                fmt::format("12 numbers from {} to {}, three rows of a matrix that can be inverted",
                            -kMaxCoordinate, kMaxCoordinate));
        }
        placed.places.push_back(*place);
    }
}

json toJson(const Placement& place) {
    json numbers = json::array();
    for (int i = 0; i < 12; ++i) numbers.push_back(place[i % 4][i / 4]);
    return numbers;
}

void readMesh(ObjectReader members, const std::string& folder, SceneMesh& placed) {
    std::string made;
    members.text("made", 40, made);
    if (members.failed()) return;
    if (members.member("file") != nullptr)
        readFrom(members, folder, placed);
    else if (!made.empty())
        readMade(members, made, placed);
    else
        readWritten(members, placed);
    readPlaces(members, placed);
    if (members.member("material") != nullptr)
        readMaterial(members.object("material", false), placed.material.emplace());
    members.finish();
}

json toJson(const std::vector<glm::vec3>& vectors) {
    json array = json::array();
    for (const glm::vec3& v : vectors) array.push_back({v.x, v.y, v.z});
    return array;
}

json written(const Mesh& mesh) {
    json faces = json::array(), materials = json::array();
    for (const Triangle& f : mesh.faces)
        faces.push_back({f.corners[0], f.corners[1], f.corners[2], f.material});
    for (const Material& m : mesh.materials) materials.push_back(toJson(m));
    json object{{"corners", toJson(mesh.corners)},
                {"faces", std::move(faces)},
                {"materials", std::move(materials)}};
    if (!mesh.normals.empty()) object["normals"] = toJson(mesh.normals);
    return object;
}

}  // namespace

void readMeshes(ObjectReader& members, const std::string& folder, std::vector<SceneMesh>& meshes) {
    if (members.member("meshes") == nullptr) return;
    const json* array = arrayOf(members, "meshes", kMostMeshes, "meshes");
    if (array == nullptr) return;
    MeshCount count;
    for (std::size_t i = 0; i < array->size() && !members.failed(); ++i) {
        const std::string path = fmt::format("{}[{}]", members.pathOf("meshes"), i);
        SceneMesh& placed = meshes.emplace_back();
        readMesh(members.element((*array)[i], path), folder, placed);
        if (members.failed()) return;
        const std::string problem = count.add(placed);
        if (!problem.empty()) members.fail(fmt::format("meshes: {}", problem));
    }
}

json toJson(const SceneMesh& placed) {
    json object;
    if (placed.digest != 0)
        object = {{"file", placed.source}, {"digest", digestText(placed.digest)}};
    else if (!placed.source.empty())
        object["made"] = placed.source;
    else
        object = written(*placed.mesh);
    if (placed.digest != 0 && placed.fit != Fit{}) {
        const glm::dvec3& offset = placed.fit.offset;
        object["offset"] = {offset.x, offset.y, offset.z};
        object["scale"] = placed.fit.scale;
    }
    for (const Placement& place : placed.places) object["places"].push_back(toJson(place));
    if (placed.material) object["material"] = toJson(*placed.material);
    return object;
}

}  // namespace rayscope
