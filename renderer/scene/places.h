#pragma once

#include <span>
#include <string>
#include <vector>

#include "renderer/scene/bvh.h"

// Meshes, or pieces of them, that stand in several places: Feature::kPlaces. They are stored once,
// with a hierarchy of their own each; core/places.h describes how rays find them.

namespace rayscope {

/// Whether a mesh has places.
bool hasPlaces(const Scene& scene);

/// Triangles that stand where `places` say, by their numbers among those of all meshes.
struct PlacedPiece {
    const SceneMesh* mesh;
    int firstOfMesh, firstFace, faces;
    int first;    ///< number of the first in the scene, whose triangles are numbered place by place
    bool asItIs;  ///< it has no places, and `places` is one that changes nothing
    std::vector<Placement> places;
};

/// Of its triangles, before they are placed.
Box boxOf(const PlacedPiece& piece);

/// Of all corners; with pieces a box around those of the boxes of all places.
Box boundsOf(const Mesh& mesh);

/// All pieces of all meshes of a scene, which owns them.
std::vector<PlacedPiece> placedPieces(const Scene& scene);

/// The scene with all triangles of all places in meshes that stand once. They have the same
/// numbers.
Scene flattened(const Scene& scene);
/// The same of pieces of which a triangle shines: each lamp is chosen by its own power.
Scene withLampsFlattened(const Scene& scene);

/// Of a mesh: the places of all its pieces, and the triangles in them.
std::size_t placeCount(const SceneMesh& mesh);
std::size_t placedTriangles(const SceneMesh& mesh);
/// Those that withLampsFlattened() copies.
std::size_t copiedTriangles(const SceneMesh& mesh);

/// Counts what a scene's meshes have.
class MeshCount {
public:
    /// What is too much with this mesh, as a clause; empty: nothing.
    std::string add(const SceneMesh& mesh);

private:
    std::size_t triangles_ = 0, corners_ = 0, placed_ = 0, places_ = 0;
};

bool emits(const Material& material);
/// Whether a mesh has an emissive material.
bool shines(const SceneMesh& mesh);

/// Of the places of all pieces, widened by what rays there are rounded.
std::vector<Box> boxesOfPlaces(const Scene& scene);

/// Whether it has a matrix that can be inverted, of numbers that scenes may have.
bool isPlace(const Placement& place);

/// Where a point of the mesh is.
glm::dvec3 atPlace(const Placement& place, const glm::dvec3& point);
/// What takes the points back.
glm::dmat4x3 inverseOf(const Placement& place);

}  // namespace rayscope
