#include "renderer/scene/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <memory>
#include <span>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/stop.h"
#include "renderer/scene/boxes.h"
#include "renderer/scene/bvh.h"
#include "renderer/scene/model_formats.h"

namespace rayscope {

namespace {

const Placement kAsItIs(1);

Placement product(const Placement& outer, const Placement& inner) {
    const glm::dmat4 a{glm::dmat4x3(outer)}, b{glm::dmat4x3(inner)};
    return Placement(glm::dmat4x3(a * b));
}

std::span<const Placement> orAsItIs(const std::vector<Placement>& places) {
    return places.empty() ? std::span(&kAsItIs, 1) : std::span(places);
}

std::vector<MeshPiece> piecesOf(const Mesh& mesh) {
    if (!mesh.pieces.empty()) return mesh.pieces;
    return {{static_cast<int>(mesh.faces.size()), {}}};
}

std::vector<Placement> products(std::span<const Placement> outer,
                                std::span<const Placement> inner) {
    std::vector<Placement> places;
    places.reserve(outer.size() * inner.size());
    for (const Placement& a : outer) {
        for (const Placement& b : inner) places.push_back(product(a, b));
    }
    return places;
}

/// The corners of some faces, ascending.
std::vector<int> cornersOf(const Mesh& mesh, int firstFace, int faces) {
    std::vector<int> corners;
    for (int i = firstFace; i < firstFace + faces; ++i)
        corners.insert(corners.end(), mesh.faces[i].corners.begin(), mesh.faces[i].corners.end());
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    return corners;
}

/// Appends triangles as they stand in a place. `corners`: of cornersOf().
void addAt(const Placement& place, const Mesh& from, int firstFace, int faces,
           const std::vector<int>& corners, Mesh& to) {
    stopPoint();
    const glm::dmat3 turned = glm::transpose(glm::inverse(glm::dmat3(place)));
    const bool mirrored = glm::determinant(turned) < 0;
    const int first = static_cast<int>(to.corners.size());
    for (const int c : corners) {
        to.corners.emplace_back(atPlace(place, glm::dvec3(from.corners[c])));
        if (!from.normals.empty()) {
            const glm::dvec3 normal = turned * glm::dvec3(from.normals[c]);
            const double length = glm::length(normal);
            to.normals.emplace_back(length > 0 ? normal / length : normal);
        }
        if (!from.uvs.empty()) to.uvs.push_back(from.uvs[c]);
        if (!from.colours.empty()) to.colours.push_back(from.colours[c]);
    }
    for (int i = firstFace; i < firstFace + faces; ++i) {
        Triangle face = from.faces[i];
        for (int& c : face.corners) {
            const auto at = std::lower_bound(corners.begin(), corners.end(), c);
            c = first + static_cast<int>(at - corners.begin());
        }
        if (mirrored) std::swap(face.corners[1], face.corners[2]);
        to.faces.push_back(face);
    }
}

/// Whether a triangle of some faces shines.
bool anyShines(const SceneMesh& mesh, int firstFace, int faces) {
    if (!shines(mesh)) return false;
    if (mesh.material) return true;
    const auto first = mesh.mesh->faces.begin() + firstFace;
    return std::any_of(first, first + faces, [&](const Triangle& face) {
        return emits(mesh.mesh->materials[static_cast<std::size_t>(face.material)]);
    });
}

/// The pieces of a mesh; those of which `which` is true stand in one place, with copies.
template <class Which>
SceneMesh flattenedWhere(std::span<const PlacedPiece> pieces, Which which) {
    const SceneMesh& mesh = *pieces.front().mesh;
    Mesh all;
    all.materials = mesh.mesh->materials;
    all.textures = mesh.mesh->textures;
    for (const PlacedPiece& piece : pieces) {
        const int own = piece.firstFace - piece.firstOfMesh;
        const std::vector<int> corners = cornersOf(*mesh.mesh, own, piece.faces);
        const bool copied = which(piece);
        const auto before = all.faces.size();
        for (const Placement& place : copied ? std::span(piece.places) : std::span(&kAsItIs, 1))
            addAt(place, *mesh.mesh, own, piece.faces, corners, all);
        all.pieces.push_back({static_cast<int>(all.faces.size() - before),
                              copied ? std::vector<Placement>() : piece.places});
    }
    const auto once = [](const MeshPiece& piece) { return piece.places.empty(); };
    if (std::all_of(all.pieces.begin(), all.pieces.end(), once)) all.pieces.clear();
    return {std::make_shared<const Mesh>(std::move(all)), {}, 0, mesh.material};
}

/// In meshes where `which` is true of a piece.
template <class Which>
Scene flattenedWhere(const Scene& scene, Which which) {
    Scene flat = scene;
    const std::vector<PlacedPiece> pieces = placedPieces(scene);
    for (auto first = pieces.begin(); first != pieces.end();) {
        const auto end = std::find_if(first, pieces.end(),
                                      [&](const PlacedPiece& p) { return p.mesh != first->mesh; });
        if (std::any_of(first, end, which))
            flat.meshes[static_cast<std::size_t>(first->mesh - scene.meshes.data())] =
                flattenedWhere(std::span(first, end), which);
        first = end;
    }
    return flat;
}

bool hasPlaces(const SceneMesh& mesh) {
    return !mesh.places.empty() || mesh.mesh.outline().places > 0;
}

/// Of the corners of a box.
Box boxAt(const Placement& place, const Box& box) {
    Box moved{glm::dvec3(place[3]), glm::dvec3(place[3])};
    for (int axis = 0; axis < 3; ++axis) {
        const glm::dvec3 a = glm::dvec3(place[axis]) * box.low[axis];
        const glm::dvec3 b = glm::dvec3(place[axis]) * box.high[axis];
        moved.low += glm::min(a, b);
        moved.high += glm::max(a, b);
    }
    return moved;
}

double reachOf(const Box& box) {
    const glm::dvec3 far = glm::max(glm::abs(box.low), glm::abs(box.high));
    return std::max({far.x, far.y, far.z});
}

/// How far a triangle may seem to be from where it stands, seen from as far as `reach`, because a
/// ray is rounded when it is turned into the place's own space.
glm::dvec3 roundingAt(const Placement& place, double reach) {
    constexpr double kUnits = 8 * 0x1p-24;
    const glm::dmat4x3 inverse = inverseOf(place);
    glm::dvec3 own = glm::abs(inverse[3]), rounding(0);
    for (int axis = 0; axis < 3; ++axis) own += glm::abs(inverse[axis]) * reach;
    for (int axis = 0; axis < 3; ++axis) rounding += glm::abs(glm::dvec3(place[axis])) * own[axis];
    return rounding * kUnits;
}

Box boxOfFaces(const Mesh& mesh, int first, int faces) {
    glm::vec3 low = mesh.corners[mesh.faces[first].corners[0]], high = low;
    for (int i = first; i < first + faces; ++i) {
        for (const int c : mesh.faces[i].corners) {
            low = glm::min(low, mesh.corners[c]);
            high = glm::max(high, mesh.corners[c]);
        }
    }
    return {low, high};
}

std::vector<Box> boxesOfFaces(const PlacedPiece& piece) {
    std::vector<Box> boxes;
    boxes.reserve(static_cast<std::size_t>(piece.faces));
    const Mesh& mesh = *piece.mesh->mesh;
    const int own = piece.firstFace - piece.firstOfMesh;
    for (int i = own; i < own + piece.faces; ++i) {
        const auto corner = [&](int k) {
            return glm::dvec3(mesh.corners[mesh.faces[i].corners[k]]);
        };
        const glm::dvec3 a = corner(0), b = corner(1), c = corner(2);
        boxes.push_back({glm::min(a, glm::min(b, c)), glm::max(a, glm::max(b, c))});
    }
    return boxes;
}

int all(std::span<const Box> boxes) {
    return static_cast<int>(boxes.size());
}

}  // namespace

bool hasPlaces(const Scene& scene) {
    return std::any_of(scene.meshes.begin(), scene.meshes.end(),
                       [](const SceneMesh& mesh) { return hasPlaces(mesh); });
}

std::vector<PlacedPiece> placedPieces(const Scene& scene) {
    std::vector<PlacedPiece> placed;
    int face = 0, number = 0;
    for (const SceneMesh& mesh : scene.meshes) {
        const int firstOfMesh = face;
        for (const MeshPiece& piece : piecesOf(*mesh.mesh)) {
            placed.push_back({&mesh, firstOfMesh, face, piece.faces, number,
                              mesh.places.empty() && piece.places.empty(),
                              products(orAsItIs(mesh.places), orAsItIs(piece.places))});
            face += piece.faces;
            number += piece.faces * static_cast<int>(placed.back().places.size());
        }
    }
    return placed;
}

Box boxOf(const PlacedPiece& piece) {
    return boxOfFaces(*piece.mesh->mesh, piece.firstFace - piece.firstOfMesh, piece.faces);
}

Box boundsOf(const Mesh& mesh) {
    Box bounds = kBoxOfNothing;
    int first = 0;
    for (const MeshPiece& piece : piecesOf(mesh)) {
        const Box own = boxOfFaces(mesh, first, piece.faces);
        for (const Placement& place : orAsItIs(piece.places)) {
            const Box box = boxAt(place, own);
            bounds = united(bounds, box);
        }
        first += piece.faces;
    }
    return bounds;
}

std::size_t placeCount(const SceneMesh& mesh) {
    return std::max<std::size_t>(1, mesh.places.size()) *
           std::max<std::size_t>(1, mesh.mesh.outline().places);
}

std::size_t placedTriangles(const SceneMesh& mesh) {
    const MeshOutline& outline = mesh.mesh.outline();
    return std::max<std::size_t>(1, mesh.places.size()) *
           (outline.places > 0 ? outline.placed : outline.triangles);
}

std::size_t copiedTriangles(const SceneMesh& mesh) {
    if (!hasPlaces(mesh) || !shines(mesh)) return 0;
    if (mesh.material) return placedTriangles(mesh);
    std::size_t copied = 0;
    int first = 0;
    for (const MeshPiece& piece : piecesOf(*mesh.mesh)) {
        if (anyShines(mesh, first, piece.faces))
            copied += std::max<std::size_t>(1, piece.places.size()) *
                      static_cast<std::size_t>(piece.faces);
        first += piece.faces;
    }
    return copied * std::max<std::size_t>(1, mesh.places.size());
}

std::string MeshCount::add(const SceneMesh& mesh) {
    const std::size_t copied = copiedTriangles(mesh);
    triangles_ += mesh.mesh.outline().triangles + copied;
    corners_ += mesh.mesh.outline().corners;
    placed_ += placedTriangles(mesh);
    places_ += hasPlaces(mesh) ? placeCount(mesh) : 0;
    if (std::max(triangles_, corners_) > static_cast<std::size_t>(kMaxTriangles))
        return copied > 0 ? fmt::format("{}, those that shine counted in each of their places",
                                        kTooManyTriangles)
                          : kTooManyTriangles;
    if (placed_ > static_cast<std::size_t>(kMaxPlacedTriangles))
        return fmt::format("more than {} triangles in all places", kMaxPlacedTriangles);
    if (places_ > static_cast<std::size_t>(kMaxPlaces))
        return fmt::format("more than {} places", kMaxPlaces);
    return {};
}

Scene flattened(const Scene& scene) {
    return flattenedWhere(scene, [](const PlacedPiece& piece) { return hasPlaces(*piece.mesh); });
}

Scene withLampsFlattened(const Scene& scene) {
    return flattenedWhere(scene, [](const PlacedPiece& piece) {
        return !piece.asItIs &&
               anyShines(*piece.mesh, piece.firstFace - piece.firstOfMesh, piece.faces);
    });
}

bool isPlace(const Placement& place) {
    const auto inReach = [](const glm::dmat4x3& m) {
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 3; ++k) {
                if (!(std::abs(m[i][k]) <= kMaxCoordinate)) return false;
            }
        }
        return true;
    };
    return inReach(place) && inReach(inverseOf(place));
}

glm::dvec3 atPlace(const Placement& place, const glm::dvec3& point) {
    return glm::dmat4x3(place) * glm::dvec4(point, 1);
}

glm::dmat4x3 inverseOf(const Placement& place) {
    const glm::dmat3 turn = glm::inverse(glm::dmat3(glm::dmat4x3(place)));
    return {turn[0], turn[1], turn[2], -(turn * glm::dvec3(place[3]))};
}

namespace {

/// Whether some axis of the place's own space is along none of the scene's.
bool isTurned(const Placement& place) {
    for (int axis = 0; axis < 3; ++axis) {
        const glm::dvec3 along(place[axis]);
        if ((along.x != 0) + (along.y != 0) + (along.z != 0) > 1) return true;
    }
    return false;
}

/// The corners of a piece, or, if these are many, boxes around triangles that are near each other.
/// Once turned, a box around these is tighter than one around the piece's own box.
std::vector<Box> partsOf(const PlacedPiece& piece) {
    constexpr std::size_t kFew = 256;
    constexpr int kAlong = 6;
    const Mesh& mesh = *piece.mesh->mesh;
    std::vector<Box> parts;
    for (const int c : cornersOf(mesh, piece.firstFace - piece.firstOfMesh, piece.faces))
        parts.push_back({mesh.corners[c], mesh.corners[c]});
    if (parts.size() <= kFew) return parts;
    const Box all = boxOf(piece);
    const glm::dvec3 cell = glm::max((all.high - all.low) / double{kAlong}, glm::dvec3(1e-30));
    parts.assign(kAlong * kAlong * kAlong, kBoxOfNothing);
    for (const Box& box : boxesOfFaces(piece)) {
        const glm::dvec3 middle = (box.low + box.high) / 2.;
        const glm::ivec3 at = glm::min(glm::ivec3((middle - all.low) / cell), kAlong - 1);
        Box& part = parts[static_cast<std::size_t>((at.z * kAlong + at.y) * kAlong + at.x)];
        part = united(part, box);
    }
    std::erase_if(parts, [](const Box& part) { return part.low.x > part.high.x; });
    return parts;
}

}  // namespace

std::vector<Box> boxesOfPlaces(const Scene& scene) {
    std::vector<Box> boxes;
    std::vector<Placement> places;
    for (const PlacedPiece& piece : placedPieces(scene)) {
        const std::vector<Box> whole{boxOf(piece)};
        const bool turned = std::ranges::any_of(piece.places, isTurned);
        const std::vector<Box> parts = turned ? partsOf(piece) : whole;
        for (const Placement& place : piece.places) {
            Box box = kBoxOfNothing;
            for (const Box& part : isTurned(place) ? parts : whole)
                box = united(box, boxAt(place, part));
            boxes.push_back(box);
        }
        places.insert(places.end(), piece.places.begin(), piece.places.end());
    }
    double reach = 0;
    for (const Box& box : boxes) reach = std::max(reach, reachOf(box));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const glm::dvec3 rounding = roundingAt(places[i], reach);
        boxes[i] = {boxes[i].low - rounding, boxes[i].high + rounding};
    }
    return boxes;
}

namespace {

/// Of spheres and places, which the list has as the complements of their numbers. A large sphere
/// may be outside, as grounds are; a place is not, because one outside would be walked by every
/// ray.
Bvh treeOfPlaces(const Scene& scene) {
    std::vector<Box> boxes = boxesOfSpheres(scene);
    const int spheres = static_cast<int>(boxes.size());
    const std::vector<Box> places = boxesOfPlaces(scene);
    boxes.insert(boxes.end(), places.begin(), places.end());
    std::vector<int> outside = outsideTree(boxes);
    std::erase_if(outside, [&](int i) { return i >= spheres; });
    std::vector<int> inside;
    std::vector<Box> inTree;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
        if (std::binary_search(outside.begin(), outside.end(), i)) continue;
        inside.push_back(i < spheres ? i : ~(i - spheres));
        inTree.push_back(boxes[static_cast<std::size_t>(i)]);
    }
    Bvh tree = buildBvh(inTree, all, 0, {1, 1});
    for (int& i : tree.list) i = inside[static_cast<std::size_t>(i)];
    tree.header.outside = static_cast<int>(outside.size());
    Bvh bvh{{}, std::move(outside), tree.header};
    appendTree(bvh, tree);
    return bvh;
}

}  // namespace

Bvh buildBvh(const Scene& given) {
    if (!hasPlaces(given)) return buildBvh(boxesOf(given));
    const Clock::time_point start = Clock::now();
    const Scene scene = withLampsFlattened(given);
    Bvh bvh = treeOfPlaces(scene);
    const int spheres = static_cast<int>(scene.spheres.size());
    for (const PlacedPiece& piece : placedPieces(scene)) {
        Bvh own = buildBvh(boxesOfFaces(piece), all);
        for (int& i : own.list) i += spheres + piece.firstFace;
        bvh.pieces.push_back({appendTree(bvh, own), own.header.reach});
    }
    bvh.header.nodes = static_cast<int>(bvh.nodes.size());
    bvh.buildMs = millisecondsSince(start);
    return bvh;
}

}  // namespace rayscope
