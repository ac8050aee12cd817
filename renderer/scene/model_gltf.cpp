// glTF 2.0 (Khronos 2021): JSON that says what lies where in buffers. A .glb file holds both.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat4x4.hpp>
#include <glm/matrix.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "renderer/base/text.h"
#include "renderer/scene/gltf_buffers.h"
#include "renderer/scene/gltf_textures.h"
#include "renderer/scene/json_reader.h"
#include "renderer/scene/loose_json.h"
#include "renderer/scene/places.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr int kMostNodes = 1 << 20;  ///< visited
constexpr int kMostLevels = 64;
constexpr std::size_t kMostJsonBytes = std::size_t{256} << 20;

/// From so many triangles on that copies have more than the file, and more copies than these,
/// meshes stand in several places instead: 10 MB, where a hierarchy over copies is faster to walk.
constexpr std::size_t kMostCopied = 100'000;

class GltfReader {
public:
    GltfReader(const json& root, std::string_view binary, Companions& companions)
        : root_(root), buffers_(root, binary, companions), textures_(root, buffers_) {}

    Model read() {
        checkExtensions();
        const json& scenes = member(root_, "scenes");
        if (scenes.is_array() && !scenes.empty()) {
            const long long scene = std::max(0LL, countOf(member(root_, "scene")));
            const json& nodes = member(elementOf(root_, "scenes", scene), "nodes");
            if (nodes.is_array()) {
                for (const json& node : nodes) visit(countOf(node), glm::dmat4(1), 0);
            }
        } else {
            everyMesh();
        }
        addMeshes();
        if (camera_) aim(*camera_);
        return std::move(model_);
    }

private:
    void checkExtensions() {
        const json& required = member(root_, "extensionsRequired");
        if (!required.is_array()) return;
        constexpr std::array<std::string_view, 6> known{
            "KHR_materials_transmission",      "KHR_materials_ior",
            "KHR_materials_emissive_strength", "KHR_materials_unlit",
            "KHR_texture_transform",           "KHR_lights_punctual"};
        for (const json& name : required) {
            const std::string text = textOf(name);
            if (std::find(known.begin(), known.end(), text) == known.end())
                throw GltfProblem{fmt::format("it needs the extension '{}', which is not read",
                                              printable(shortened(text, 60)))};
        }
    }

    /// A file of meshes without a scene.
    void everyMesh() {
        const json& meshes = member(root_, "meshes");
        if (!meshes.is_array()) return;
        for (std::size_t i = 0; i < meshes.size(); ++i)
            placed_.emplace_back(static_cast<long long>(i), glm::dmat4(1));
    }

    /// Meshes that one node has, that shine, or of which copies are small are copied to where they
    /// stand, as one piece.
    void addMeshes() {
        std::map<long long, std::vector<glm::dmat4>> places;
        for (const auto& [index, transform] : placed_) places[index].push_back(transform);
        std::size_t copies = 0, once = 0;
        for (const auto& [index, transforms] : places) {
            const std::size_t triangles = trianglesOf(meshAt(index));
            copies += triangles * transforms.size();
            once += triangles;
        }
        shares_ = copies - once > kMostCopied && copies > 2 * once;
        if (shares_ && copies > kMaxPlacedTriangles)
            throw GltfProblem{
                fmt::format("more than {} triangles in all places", kMaxPlacedTriangles)};
        std::erase_if(places, [&](const auto& use) {
            const auto& [index, transforms] = use;
            return !shares_ || transforms.size() < 2 || !canStand(meshAt(index), transforms);
        });
        for (const auto& [index, transform] : placed_) {
            if (!places.contains(index)) place(meshAt(index), transform);
        }
        if (!places.empty()) endPiece({});
        for (const auto& [index, transforms] : places) {
            place(meshAt(index), glm::dmat4(1));
            endPiece(transforms);
        }
    }

    GltfProblem tooMany() const {
        return {shares_ ? fmt::format("{}, counting what shines once for each of its places",
                                      kTooManyTriangles)
                        : kTooManyTriangles};
    }

    const json& meshAt(long long index) const { return elementOf(root_, "meshes", index); }

    std::size_t trianglesOf(const json& mesh) const {
        std::size_t triangles = 0;
        const json& primitives = member(mesh, "primitives");
        if (!primitives.is_array()) return 0;
        for (const json& primitive : primitives) {
            const json& indices = member(primitive, "indices");
            const json& counted =
                indices.is_null() ? member(member(primitive, "attributes"), "POSITION") : indices;
            const json& accessor = elementOf(root_, "accessors", countOf(counted));
            const bool list =
                member(primitive, "mode").is_null() || countOf(member(primitive, "mode")) == 4;
            triangles +=
                static_cast<std::size_t>(std::max(0LL, countOf(member(accessor, "count")))) /
                (list ? 3 : 1);
        }
        return std::min(triangles, std::size_t{kMaxTriangles} + 1);
    }

    /// Lamps are copied, as light sampling needs them, and so is what a place flattens.
    bool canStand(const json& mesh, const std::vector<glm::dmat4>& places) const {
        const json& primitives = member(mesh, "primitives");
        if (!primitives.is_array()) return false;
        for (const json& primitive : primitives) {
            const json& used = member(primitive, "material");
            if (used.is_null()) continue;
            const glm::dvec3 light =
                surfaceOf(elementOf(root_, "materials", countOf(used))).emission;
            if (std::max({light.x, light.y, light.z}) > 0) return false;
        }
        return std::all_of(places.begin(), places.end(), [](const glm::dmat4& transform) {
            return isPlace(Placement(glm::dmat4x3(transform)));
        });
    }

    /// What has been added since the last piece stands in these places.
    void endPiece(const std::vector<glm::dmat4>& transforms) {
        Mesh& mesh = model_.mesh;
        int before = 0;
        for (const MeshPiece& piece : mesh.pieces) before += piece.faces;
        std::vector<Placement> places;
        for (const glm::dmat4& transform : transforms) places.emplace_back(glm::dmat4x3(transform));
        const int faces = static_cast<int>(mesh.faces.size()) - before;
        if (faces > 0) mesh.pieces.push_back({faces, std::move(places)});
    }

    static glm::dmat4 transformOf(const json& node) {
        std::array<double, 16> m{};
        if (readNumbers(member(node, "matrix"), m)) {
            glm::dmat4 matrix;
            for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = m[static_cast<std::size_t>(i)];
            return matrix;
        }
        std::array<double, 4> q{0, 0, 0, 1};
        readNumbers(member(node, "rotation"), q);
        glm::dmat4 matrix = glm::mat4_cast(glm::dquat(q[3], q[0], q[1], q[2]));
        const glm::dvec3 scale = vectorOr(member(node, "scale"), {1, 1, 1});
        for (int i = 0; i < 3; ++i) matrix[i] = matrix[i] * scale[i];
        matrix[3] = glm::dvec4(vectorOr(member(node, "translation"), {0, 0, 0}), 1);
        return matrix;
    }

    void visit(long long index, const glm::dmat4& above, int level) {
        if (level == kMostLevels || ++visited_ > kMostNodes)
            throw GltfProblem{"its nodes are in a circle, or too many"};
        const json& node = elementOf(root_, "nodes", index);
        const glm::dmat4 transform = above * transformOf(node);
        const json& mesh = member(node, "mesh");
        if (!mesh.is_null() && meshAt(countOf(mesh)).is_object())
            placed_.emplace_back(countOf(mesh), transform);
        const json& camera = member(node, "camera");
        if (!camera.is_null() && !camera_)
            look(elementOf(root_, "cameras", countOf(camera)), transform);
        const json& children = member(node, "children");
        if (!children.is_array()) return;
        for (const json& child : children) visit(countOf(child), transform, level + 1);
    }

    void look(const json& camera, const glm::dmat4& transform) {
        const json& lens = member(camera, "perspective");
        if (!lens.is_object()) return;
        const glm::dvec3 from(transform[3]), ahead(-transform[2]), up(transform[1]);
        const double length = glm::length(ahead) * glm::length(up);
        const double sine = glm::length(glm::cross(ahead, up)) / length;
        if (!inReach(from) || !(length < 1e30) || !(sine > 1e-6)) return;
        camera_.emplace();
        camera_->vfov = std::clamp(numberOr(member(lens, "yfov"), .8) * 180 / M_PI, 1., 179.);
        camera_->from = from;
        camera_->to = from + glm::normalize(ahead);
        camera_->up = glm::normalize(up);
    }

    /// Looks at what is nearest to the middle of all corners, so that turning the camera turns
    /// around that.
    void aim(Camera camera) {
        glm::dvec3 sum{0, 0, 0};
        for (const glm::vec3& c : model_.mesh.corners) sum += glm::dvec3(c);
        const auto count =
            static_cast<double>(std::max<std::size_t>(1, model_.mesh.corners.size()));
        const glm::dvec3 ahead = camera.to - camera.from;
        const bool once = model_.mesh.pieces.empty();
        const Box bounds = once ? Box{} : boundsOf(model_.mesh);
        const glm::dvec3 middle = once ? sum / count : (bounds.low + bounds.high) * .5;
        const double distance = glm::dot(middle - camera.from, ahead);
        if (distance > 1e-3) camera.to = camera.from + distance * ahead;
        camera.focus = std::max(distance, 1.);
        if (inReach(camera.to)) model_.camera = camera;
    }

    Elements vectors(long long accessor) {
        const Elements found = buffers_.elements(accessor, "VEC3", 3);
        if (found.component != kFloat) throw GltfProblem{"positions and normals must be floats"};
        return found;
    }

    /// `number`: of the material `m`; -1: there is none.
    int material(long long number, const json& m) {
        const auto [known, fresh] =
            materials_.emplace(number, static_cast<int>(model_.mesh.materials.size()));
        if (fresh) {
            const FileSurface surface = number < 0 ? FileSurface{} : surfaceOf(m);
            model_.mesh.materials.push_back(materialOf(surface));
            model_.mesh.textures.push_back(texturesOf(m, surface));
        }
        return known->second;
    }

    static const json& albedoOf(const json& material) {
        return member(member(material, "pbrMetallicRoughness"), "baseColorTexture");
    }
    /// The factor, with alpha.
    static std::array<double, 4> baseOf(const json& material) {
        std::array<double, 4> base{1, 1, 1, 1};
        readNumbers(member(member(material, "pbrMetallicRoughness"), "baseColorFactor"), base);
        return base;
    }
    static const json& metalOf(const json& material) {
        return member(member(material, "pbrMetallicRoughness"), "metallicRoughnessTexture");
    }
    static const json& emissionOf(const json& material) {
        return member(material, "emissiveTexture");
    }

    /// The one by which the corners of a material are placed in all of its textures that are read.
    static const json& placingOf(const json& material, const FileSurface& surface) {
        if (!albedoOf(material).is_null()) return albedoOf(material);
        const bool metal = materialOf(surface).kind == MaterialKind::metal;
        return metal && !metalOf(material).is_null() ? metalOf(material) : emissionOf(material);
    }

    Textures texturesOf(const json& m, const FileSurface& surface) {
        Textures textures;
        textures.albedo = textures_.texture(albedoOf(m));
        if (materialOf(surface).kind == MaterialKind::metal)
            textures.metal = textures_.metal(metalOf(m), std::min(surface.metallic, 1.));
        if (surface.shinesInPlaces) textures.emission = textures_.texture(emissionOf(m));
        cutHoles(textures, holesBelow(m));
        return textures;
    }

    /// The alpha of the base colour's texture below which nothing is seen. Nothing is half
    /// transparent: it is there, or it is not.
    static double holesBelow(const json& m) {
        const json& mode = member(m, "alphaMode");
        if (mode == "BLEND") return .5;
        if (mode != "MASK") return 0;
        const double alpha = baseOf(m)[3], cutoff = numberOr(member(m, "alphaCutoff"), .5);
        return alpha > 0 ? cutoff / alpha : 2;
    }

    /// Without a texture its alpha is the same all over.
    static bool isUnseen(const json& m) { return albedoOf(m).is_null() && holesBelow(m) > 1; }

    /// A texture that lies differently is not read: what would be metal is matt, what would shine
    /// does not. What is blended with what lies behind is glass as far as our materials go.
    static FileSurface surfaceOf(const json& m) {
        FileSurface s;
        const json& pbr = member(m, "pbrMetallicRoughness");
        const std::array<double, 4> base = baseOf(m);
        s.base = {base[0], base[1], base[2]};
        s.metallic = numberOr(member(pbr, "metallicFactor"), 1);
        s.roughness = numberOr(member(pbr, "roughnessFactor"), 1);
        const json& extensions = member(m, "extensions");
        const json& strength = member(extensions, "KHR_materials_emissive_strength");
        s.emission = vectorOr(member(m, "emissiveFactor"), {0, 0, 0}) *
                     numberOr(member(strength, "emissiveStrength"), 1);
        s.shinesInPlaces = !emissionOf(m).is_null() && s.emission != glm::dvec3(0);
        s.transmission = numberOr(
            member(member(extensions, "KHR_materials_transmission"), "transmissionFactor"), 0);
        if (member(m, "alphaMode") == "BLEND")
            s.transmission = std::max(s.transmission, 1 - base[3]);
        s.index = numberOr(member(member(extensions, "KHR_materials_ior"), "ior"), 1.5);
        const json& placing = placingOf(m, s);
        const auto isPlaced = [&](const json& t) { return GltfTextures::lieAlike(t, placing); };
        if (!metalOf(m).is_null() && !isPlaced(metalOf(m))) s.metallic = 0;
        if (s.shinesInPlaces && !isPlaced(emissionOf(m))) {
            s.emission = {0, 0, 0};
            s.shinesInPlaces = false;
        }
        return s;
    }

    void place(const json& mesh, const glm::dmat4& transform) {
        const json& primitives = member(mesh, "primitives");
        if (!primitives.is_array()) return;
        for (const json& primitive : primitives) add(primitive, transform);
    }

    void add(const json& primitive, const glm::dmat4& transform) {
        const json& mode = member(primitive, "mode");
        const long long kind = mode.is_null() ? 4 : countOf(mode);
        if (kind < 4 || kind > 6) return;  // points and lines
        const long long index = countOf(member(primitive, "material"));
        const json& surface = index < 0 ? none() : elementOf(root_, "materials", index);
        if (isUnseen(surface)) return;
        const json& attributes = member(primitive, "attributes");
        const Elements positions = vectors(countOf(member(attributes, "POSITION")));
        Mesh& mesh = model_.mesh;
        const std::size_t first = mesh.corners.size();
        if (first + positions.count > static_cast<std::size_t>(kMaxTriangles)) throw tooMany();
        for (std::size_t i = 0; i < positions.count; ++i) {
            const glm::dvec3 p(transform * glm::dvec4(vectorAt(positions, i), 1));
            if (!inReach(p)) throw GltfProblem{"a position is no number or too far away"};
            mesh.corners.emplace_back(p);
        }
        mesh.normals.resize(mesh.corners.size(), glm::vec3(0));
        const json& normals = member(attributes, "NORMAL");
        if (!normals.is_null()) addNormals(vectors(countOf(normals)), first, transform);
        const bool mirrored = glm::determinant(glm::dmat3(transform)) < 0;
        mesh.uvs.resize(mesh.corners.size(), glm::vec2(0));
        const int number = material(index, surface);
        if (hasPicture(mesh.textures[number])) {
            textures_.place(placingOf(surface, surfaceOf(surface)), attributes,
                            std::span(mesh.uvs).subspan(first));
        }
        addFaces(primitive, kind, number, static_cast<int>(first), mirrored);
    }

    static glm::dvec3 vectorAt(const Elements& e, std::size_t i) {
        return {e.at<float>(i, 0), e.at<float>(i, 1), e.at<float>(i, 2)};
    }

    void addNormals(const Elements& normals, std::size_t first, const glm::dmat4& transform) {
        Mesh& mesh = model_.mesh;
        if (normals.count != mesh.corners.size() - first)
            throw GltfProblem{"there are not as many normals as positions"};
        const glm::dmat3 turned = glm::transpose(glm::inverse(glm::dmat3(transform)));
        for (std::size_t i = 0; i < normals.count; ++i) {
            const glm::dvec3 n = turned * vectorAt(normals, i);
            const double length = glm::length(n);
            if (length > 0 && length < 1e30) mesh.normals[first + i] = n / length;
        }
    }

    /// `kind`: 4 triangles, 5 a strip, 6 a fan. `number`: of their material.
    void addFaces(const json& primitive, long long kind, int number, int first, bool mirrored) {
        const std::size_t corners = model_.mesh.corners.size() - static_cast<std::size_t>(first);
        const json& accessor = member(primitive, "indices");
        Elements indices;
        if (!accessor.is_null()) indices = buffers_.elements(countOf(accessor), "SCALAR", 1);
        const std::size_t count = indices.first != nullptr ? indices.count : corners;
        const auto cornerAt = [&](std::size_t i) {
            const std::size_t c = indices.first != nullptr ? indexAt(indices, i) : i;
            if (c >= corners) throw GltfProblem{"a triangle has a corner that is not there"};
            return first + static_cast<int>(c);
        };
        const std::size_t step = kind == 4 ? 3 : 1;
        for (std::size_t i = 0; i + 2 < count; i += step) {
            std::array<int, 3> face{cornerAt(kind == 6 ? 0 : i), cornerAt(i + 1), cornerAt(i + 2)};
            if (mirrored != (kind == 5 && i % 2 == 1)) std::swap(face[1], face[2]);
            if (model_.mesh.faces.size() == static_cast<std::size_t>(kMaxTriangles))
                throw tooMany();
            model_.mesh.faces.push_back({face, number});
        }
    }

    static std::size_t indexAt(const Elements& indices, std::size_t i) {
        if (indices.component == kByte) return indices.at<std::uint8_t>(i);
        if (indices.component == kShort) return indices.at<std::uint16_t>(i);
        if (indices.component == kInt) return indices.at<std::uint32_t>(i);
        throw GltfProblem{"indices must be whole numbers"};
    }

    const json& root_;
    GltfBuffers buffers_;
    GltfTextures textures_;
    std::map<long long, int> materials_;
    std::optional<Camera> camera_;
    std::vector<std::pair<long long, glm::dmat4>> placed_;  ///< meshes by their numbers
    int visited_ = 0;
    bool shares_ = false;  ///< meshes are places
    Model model_;
};

/// The JSON and the bytes of a .glb file: a header, then chunks of a length and a type.
std::pair<std::string_view, std::string_view> chunksOf(std::string_view bytes) {
    const auto wordAt = [&](std::size_t at) {
        std::uint32_t word = 0;
        if (at + 4 > bytes.size()) throw GltfProblem{"it ends in the middle of a chunk"};
        std::memcpy(&word, bytes.data() + at, 4);
        return word;
    };
    if (wordAt(4) != 2) throw GltfProblem{"it is not of glTF's version 2"};
    std::pair<std::string_view, std::string_view> chunks;
    constexpr std::uint32_t kJson = 0x4E4F534A, kBinary = 0x004E4942;
    for (std::size_t at = 12; at < bytes.size();) {
        const std::size_t length = wordAt(at);
        const std::uint32_t type = wordAt(at + 4);
        at += 8;
        if (length > bytes.size() - at) throw GltfProblem{"it ends in the middle of a chunk"};
        if (type == kJson && chunks.first.empty()) chunks.first = bytes.substr(at, length);
        if (type == kBinary && chunks.second.empty()) chunks.second = bytes.substr(at, length);
        at += length;
    }
    return chunks;
}

}  // namespace

Result<Model> gltfModel(std::string_view bytes, Companions& companions) {
    try {
        const bool packed = bytes.starts_with("glTF");
        const auto [text, binary] = packed ? chunksOf(bytes) : std::pair(bytes, std::string_view());
        if (text.size() > kMostJsonBytes) throw GltfProblem{"its JSON is too long"};
        const Result<json> root = parseJson(text, "its JSON");
        if (!root) return root.failure();
        return GltfReader(*root, binary, companions).read();
    } catch (const GltfProblem& problem) {
        return Failure{problem.reason};
    }
}

}  // namespace rayscope
