// glTF 2.0 (Khronos 2021): JSON that says what lies where in buffers. A .glb file holds both.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/mat4x4.hpp>
#include <glm/matrix.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "renderer/base/text.h"
#include "renderer/scene/gltf_buffers.h"
#include "renderer/scene/gltf_camera.h"
#include "renderer/scene/gltf_lights.h"
#include "renderer/scene/gltf_materials.h"
#include "renderer/scene/gltf_nodes.h"
#include "renderer/scene/gltf_pose.h"
#include "renderer/scene/gltf_primitive.h"
#include "renderer/scene/gltf_remarks.h"
#include "renderer/scene/gltf_textures.h"
#include "renderer/scene/json_reader.h"
#include "renderer/scene/loose_json.h"
#include "renderer/scene/places.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr std::size_t kMostJsonBytes = std::size_t{256} << 20;

/// From so many triangles on that copies have more than the file, and more copies than these,
/// meshes stand in several places instead: 10 MB, where a hierarchy over copies is faster to walk.
constexpr std::size_t kMostCopied = 100'000;

/// Steps of a corner's colour, where each needs a material of its own.
constexpr double kColourSteps = 64;

/// Room for more elements; many small additions double it as they do without this.
template <class T>
void makeRoom(std::vector<T>& elements, std::size_t more) {
    const std::size_t needed = elements.size() + more;
    if (needed > elements.capacity()) elements.reserve(std::max(needed, 2 * elements.capacity()));
}

class GltfReader {
public:
    GltfReader(const json& root, std::string_view binary, Companions& companions)
        : root_(root),
          buffers_(root, binary, companions),
          textures_(root, buffers_, model_.remarks),
          nodes_(root) {}

    Model read() {
        checkGltf(root_, model_.remarks);
        const json& nodes = member(root_, "nodes");
        GltfPlaces places;
        if (nodes.is_array() && !nodes.empty())
            places = nodes_.placed(buffers_, model_.remarks);
        else
            everyMesh(places.meshes);
        placed_ = std::move(places.meshes);
        addMeshes();
        if (std::optional<Camera> camera =
                gltfCamera(root_, places.cameras, model_.mesh, model_.remarks))
            model_.camera = *camera;
        addLamps(places.lights);
        return std::move(model_);
    }

private:
    /// A file of meshes without nodes.
    void everyMesh(std::vector<PlacedMesh>& placed) const {
        const json& meshes = member(root_, "meshes");
        if (!meshes.is_array()) return;
        for (std::size_t i = 0; i < meshes.size(); ++i)
            placed.push_back({static_cast<long long>(i)});
    }

    /// Meshes that one node has, that shine or have a pose, or of which copies are small are copied
    /// to where they stand, as one piece.
    void addMeshes() {
        std::map<long long, std::vector<glm::dmat4>> places;
        std::map<long long, bool> plain;
        for (const PlacedMesh& placed : placed_) {
            places[placed.mesh].push_back(placed.transform);
            plain.try_emplace(placed.mesh, true).first->second &= placed.isPlain();
        }
        std::size_t copies = 0, once = 0;
        for (const auto& [index, transforms] : places) {
            const std::size_t triangles = trianglesOf(meshAt(index));
            copies += triangles * transforms.size();
            once += triangles;
        }
        shares_ = copies - once > kMostCopied && copies > 2 * once;
        if (shares_ && copies > kMaxPlacedTriangles)
            throw GltfProblem{
                fmt::format("more than {} triangles in all instances", kMaxPlacedTriangles)};
        std::erase_if(places, [&](const auto& use) {
            const auto& [index, transforms] = use;
            return !shares_ || transforms.size() < 2 || !plain[index] ||
                   !canStand(meshAt(index), transforms);
        });
        for (const PlacedMesh& placed : placed_) {
            if (!places.contains(placed.mesh)) place(placed);
        }
        if (!places.empty()) endPiece({});
        for (const auto& [index, transforms] : places) {
            place({index});
            endPiece(transforms);
        }
        if (!model_.mesh.colours.empty())
            model_.mesh.colours.resize(model_.mesh.corners.size(), glm::vec3(1));
    }

    void addLamps(std::span<const GltfPlaces::Other> lights) {
        if (!model_.camera && !lights.empty() && !model_.mesh.faces.empty())
            model_.camera = framing(model_.mesh);
        addLights(root_, lights, model_.mesh, model_.remarks);
        if (!model_.mesh.pieces.empty()) endPiece({});
    }

    GltfProblem tooMany() const {
        return {shares_ ? fmt::format("{}, counting emissive triangles once for each instance",
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
            if (counted.is_null()) continue;
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
    bool canStand(const json& mesh, const std::vector<glm::dmat4>& places) {
        const json& primitives = member(mesh, "primitives");
        if (!primitives.is_array()) return false;
        for (const json& primitive : primitives) {
            const long long used = countOf(member(primitive, "material"));
            if (used < 0) continue;
            const glm::dvec3 light = materialAt(used).surface.emission;
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
        const int faces = static_cast<int>(mesh.faces.size()) - before;
        if (faces == 0) return;
        MeshPiece& piece = mesh.pieces.emplace_back(MeshPiece{faces, {}});
        for (const glm::dmat4& transform : transforms)
            piece.places.emplace_back(glm::dmat4x3(transform));
    }

    /// -1: that of a primitive without one.
    const GltfMaterial& materialAt(long long number) {
        const auto [known, fresh] = read_.try_emplace(number);
        if (!fresh) return known->second;
        const json& m = number < 0 ? none() : elementOf(root_, "materials", number);
        remarkMaterial(m, fmt::format("materials[{}]", number), model_.remarks);
        return known->second = gltfMaterial(m);
    }

    /// The number in the mesh of a material. `colour`: a factor of what it shines with.
    int material(long long number, const glm::dvec3& colour = glm::dvec3(1)) {
        const std::array<double, 3> key{colour.x, colour.y, colour.z};
        const auto [known, fresh] = materials_.emplace(
            std::pair(number, key), static_cast<int>(model_.mesh.materials.size()));
        if (fresh) {
            const GltfMaterial& m = materialAt(number);
            FileSurface surface = m.surface;
            surface.emission *= colour;
            model_.mesh.materials.push_back(materialOf(surface));
            model_.mesh.textures.push_back(texturesOf(m));
        }
        return known->second;
    }

    Textures texturesOf(const GltfMaterial& m) {
        const auto read = [&](const json* t) { return textures_.texture(t ? *t : none()); };
        Textures textures;
        textures.albedo = read(m.albedo);
        if (materialOf(m.surface).kind == MaterialKind::metal)
            textures.metal =
                textures_.metal(m.metal ? *m.metal : none(), std::min(m.surface.metallic, 1.));
        if (m.surface.shinesInPlaces) textures.emission = read(m.emission);
        cutHoles(textures, m.holesBelow);
        return textures;
    }

    void place(const PlacedMesh& placed) {
        const json& mesh = meshAt(placed.mesh);
        const json& primitives = member(mesh, "primitives");
        if (!primitives.is_array()) return;
        const json& weights = placed.weights ? *placed.weights : member(mesh, "weights");
        for (const json& primitive : primitives) add(primitive, placed, weights);
    }

    const GltfSkin& skinAt(long long number) {
        const auto known = skins_.find(number);
        if (known != skins_.end()) return known->second;
        return skins_.emplace(number, GltfSkin(root_, buffers_, nodes_, number)).first->second;
    }

    void add(const json& primitive, const PlacedMesh& placed, const json& weights) {
        const json& mode = member(primitive, "mode");
        const long long kind = mode.is_null() ? 4 : countOf(mode);
        if (kind < 4 || kind > 6) return model_.remarks.add("points and lines are not shown");
        const long long index = countOf(member(primitive, "material"));
        if (materialAt(index).isUnseen())
            return model_.remarks.add("triangles whose alpha is below the cutoff are left out");
        const GltfPrimitive source(root_, primitive, buffers_, dracos_);
        const std::optional<Elements> positions = source.attribute("POSITION", {"VEC3"});
        if (!positions) return model_.remarks.add("triangles without positions are left out");
        const std::size_t first = model_.mesh.corners.size();
        checkCount(*positions, first);
        std::optional<SkinnedCorners> skin;
        if (placed.skin >= 0)
            skin = skinAt(placed.skin)
                       .corners(buffers_, member(primitive, "attributes"), positions->count);
        const Moved moved{placed.transform, skin ? &*skin : nullptr};
        if (morphsColours(primitive, weights))
            model_.remarks.add("morph targets of colours and texture coordinates are not shown");
        addCorners(primitive, *positions, weights, moved);
        addNormals(primitive, source, first, weights, moved);
        const bool coloured = addColours(source, first);
        Mesh& mesh = model_.mesh;
        mesh.uvs.resize(mesh.corners.size(), glm::vec2(0));
        const int number = material(index);
        if (hasPicture(mesh.textures[static_cast<std::size_t>(number)]))
            textures_.place(materialAt(index).placing(), source,
                            std::span(mesh.uvs).subspan(first));
        const std::size_t firstFace = mesh.faces.size();
        const bool mirrored = glm::determinant(glm::dmat3(moved.at(0))) < 0;
        addFaces(source, kind, number, static_cast<int>(first), mirrored);
        if (coloured && materialAt(index).unlit) colourShining(index, firstFace);
    }

    void checkCount(const Elements& positions, std::size_t before) const {
        if (positions.isAbsent() && positions.count > kMostAbsent)
            throw GltfProblem{fmt::format("more than {} positions have no bytes", kMostAbsent)};
        if (before + positions.count > static_cast<std::size_t>(kMaxTriangles)) throw tooMany();
    }

    /// Where the corners of a primitive go.
    struct Moved {
        glm::dmat4 transform;
        const SkinnedCorners* skin;
        glm::dmat4 at(std::size_t corner) const { return skin ? skin->at(corner) : transform; }
    };

    /// `what` of the corners, with the morph targets at their weights.
    std::vector<glm::dvec3> morphed(const json& primitive, const char* what, const Elements& values,
                                    const json& weights) {
        std::vector<glm::dvec3> found;
        if (!hasMorphs(primitive, weights)) return found;
        found.reserve(values.count);
        for (std::size_t i = 0; i < values.count; ++i) found.push_back(values.vector(i));
        addMorphs(buffers_, primitive, what, weights, found);
        return found;
    }

    void addCorners(const json& primitive, const Elements& positions, const json& weights,
                    const Moved& moved) {
        const std::vector<glm::dvec3> own = morphed(primitive, "POSITION", positions, weights);
        makeRoom(model_.mesh.corners, positions.count);
        for (std::size_t i = 0; i < positions.count; ++i) {
            const glm::dvec3 from = own.empty() ? positions.vector(i) : own[i];
            const glm::dvec4 homogeneous(from, 1);
            const glm::dvec3 p(moved.skin ? moved.at(i) * homogeneous
                                          : moved.transform * homogeneous);
            if (!inReach(p)) throw GltfProblem{"a position is no number or too far away"};
            model_.mesh.corners.emplace_back(p);
        }
    }

    void addNormals(const json& primitive, const GltfPrimitive& source, std::size_t first,
                    const json& weights, const Moved& moved) {
        Mesh& mesh = model_.mesh;
        mesh.normals.resize(mesh.corners.size(), glm::vec3(0));
        const std::optional<Elements> normals = source.attribute("NORMAL", {"VEC3"});
        if (!normals) return;
        if (normals->count != mesh.corners.size() - first)
            throw GltfProblem{"the numbers of normals and positions differ"};
        const std::vector<glm::dvec3> own = morphed(primitive, "NORMAL", *normals, weights);
        const auto turnedBy = [](const glm::dmat4& transform) {
            return glm::transpose(glm::inverse(glm::dmat3(transform)));
        };
        const glm::dmat3 turned = turnedBy(moved.transform);
        for (std::size_t i = 0; i < normals->count; ++i) {
            const glm::dvec3 from = own.empty() ? normals->vector(i) : own[i];
            const glm::dvec3 n = (moved.skin ? turnedBy(moved.at(i)) : turned) * from;
            const double length = glm::length(n);
            if (length > 0 && length < 1e30) mesh.normals[first + i] = n / length;
        }
    }

    /// Whether there are any.
    bool addColours(const GltfPrimitive& source, std::size_t first) {
        const std::optional<Elements> colours = source.attribute("COLOR_0", {"VEC3", "VEC4"});
        if (!colours) return false;
        Mesh& mesh = model_.mesh;
        if (colours->count != mesh.corners.size() - first)
            throw GltfProblem{"the numbers of colours and positions differ"};
        mesh.colours.resize(mesh.corners.size(), glm::vec3(1));
        bool clear = false;
        for (std::size_t i = 0; i < colours->count; ++i) {
            const glm::dvec3 c = colours->vector(i);
            for (int k = 0; k < 3; ++k)
                mesh.colours[first + i][k] = static_cast<float>(c[k] > 0 ? std::min(c[k], 1.) : 0);
            clear = clear || (colours->parts == 4 && colours->number(i, 3) < 1);
        }
        if (clear) model_.remarks.add("the alpha of vertex colours is not shown");
        return true;
    }

    /// What shines has no colours at corners: its triangles have the mean of theirs, and a material
    /// for each.
    void colourShining(long long index, std::size_t firstFace) {
        Mesh& mesh = model_.mesh;
        for (std::size_t f = firstFace; f < mesh.faces.size(); ++f) {
            glm::dvec3 sum(0);
            for (const int c : mesh.faces[f].corners)
                sum += glm::dvec3(mesh.colours[static_cast<std::size_t>(c)]);
            const glm::dvec3 mean = glm::round(sum / 3. * kColourSteps) / kColourSteps;
            mesh.faces[f].material = material(index, mean);
        }
    }

    /// `kind`: 4 triangles, 5 a strip, 6 a fan. `number`: of their material.
    void addFaces(const GltfPrimitive& source, long long kind, int number, int first,
                  bool mirrored) {
        const std::size_t corners = model_.mesh.corners.size() - static_cast<std::size_t>(first);
        const std::optional<Elements> indices = source.indices();
        if (indices && indices->isAbsent() && indices->count > kMostAbsent)
            throw GltfProblem{fmt::format("more than {} indices have no bytes", kMostAbsent)};
        const std::size_t count = indices ? indices->count : corners;
        const auto cornerAt = [&](std::size_t i) {
            const std::size_t c = indices ? indices->whole(i) : i;
            if (c >= corners) throw GltfProblem{"a triangle has a corner that is not there"};
            return first + static_cast<int>(c);
        };
        const std::size_t step = kind == 4 ? 3 : 1;
        const auto room = static_cast<std::size_t>(kMaxTriangles) - model_.mesh.faces.size();
        makeRoom(model_.mesh.faces, std::min(count / step, room));
        for (std::size_t i = 0; i + 2 < count; i += step) {
            std::array<int, 3> face{cornerAt(kind == 6 ? 0 : i), cornerAt(i + 1), cornerAt(i + 2)};
            if (mirrored != (kind == 5 && i % 2 == 1)) std::swap(face[1], face[2]);
            if (model_.mesh.faces.size() == static_cast<std::size_t>(kMaxTriangles))
                throw tooMany();
            model_.mesh.faces.push_back({face, number});
        }
    }

    const json& root_;
    Model model_;
    GltfBuffers buffers_;
    GltfTextures textures_;
    GltfNodes nodes_;
    DracoPrimitives dracos_;
    std::map<long long, GltfMaterial> read_;  ///< by their numbers in the file
    std::map<std::pair<long long, std::array<double, 3>>, int> materials_;
    std::map<long long, GltfSkin> skins_;
    std::vector<PlacedMesh> placed_;
    bool shares_ = false;  ///< meshes are places
};

/// The JSON and the bytes of a .glb file: a header, then chunks of a length and a type. What lies
/// behind the length of the header is not part of it.
std::pair<std::string_view, std::string_view> chunksOf(std::string_view bytes) {
    const auto wordAt = [&](std::size_t at) {
        std::uint32_t word = 0;
        if (at + 4 > bytes.size()) throw GltfProblem{"it ends in the middle of a chunk"};
        std::memcpy(&word, bytes.data() + at, 4);
        return word;
    };
    const std::uint32_t version = wordAt(4);
    if (version != 2)
        throw GltfProblem{fmt::format("it is glTF {}, and only glTF 2 is read", version)};
    constexpr std::size_t kHeader = 12, kChunk = 8;
    const std::size_t length = wordAt(8);
    if (length >= kHeader + kChunk) bytes = bytes.substr(0, length);
    std::pair<std::string_view, std::string_view> chunks;
    constexpr std::uint32_t kJson = 0x4E4F534A, kBinary = 0x004E4942;
    for (std::size_t at = kHeader; at < bytes.size();) {
        const std::size_t size = wordAt(at);
        const std::uint32_t type = wordAt(at + 4);
        at += kChunk;
        if (size > bytes.size() - at) throw GltfProblem{"it ends in the middle of a chunk"};
        if (type == kJson && chunks.first.empty()) chunks.first = bytes.substr(at, size);
        if (type == kBinary && chunks.second.empty()) chunks.second = bytes.substr(at, size);
        at += size;
    }
    // some writers pad with zeros where blanks belong
    const std::size_t last = chunks.first.find_last_not_of('\0');
    chunks.first = chunks.first.substr(0, last == chunks.first.npos ? 0 : last + 1);
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
