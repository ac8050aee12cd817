#pragma once

#include <array>
#include <cstdint>
#include <glm/mat4x3.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/material.h"
#include "renderer/scene/picture.h"
#include "renderer/scene/remarks.h"
#include "renderer/scene/shared_mesh.h"

namespace rayscope {

/// Most triangles of a scene, and most corners: on a GPU some 150 bytes each with their hierarchy.
inline constexpr int kMaxTriangles = 1 << 24;

/// A triangle by the numbers of its corners, counter-clockwise seen from outside.
struct Triangle {
    std::array<int, 3> corners;
    int material;
    bool operator==(const Triangle&) const = default;
};

/// Where triangles stand: a corner (x, y, z) is x, y and z times the first three columns, plus the
/// fourth. A mirrored one has its outside outside.
using Placement = glm::mat4x3;

/// Most places of a scene, and most triangles in all of them: as many as have numbers
/// (core/shapes.h).
inline constexpr int kMaxPlaces = 1 << 20;
inline constexpr int kMaxPlacedTriangles = (1 << 27) - 1;

/// Some triangles of a mesh, which may stand in several places.
struct MeshPiece {
    int faces;
    std::vector<Placement> places;  ///< empty: one, as they are
    bool operator==(const MeshPiece&) const = default;
};

/// Triangles that share corners, in single precision as in most files.
struct Mesh {
    std::vector<glm::vec3> corners;
    /// Unit vectors at the corners, between which shading interpolates; zero, or the list empty:
    /// triangles there are flat.
    std::vector<glm::vec3> normals;
    std::vector<Triangle> faces;
    std::vector<Material> materials;
    /// Of each material, whose numbers they multiply. Empty: there are none.
    std::vector<Textures> textures{};
    /// Where the corners are in the textures: from their upper left corner to the right and down, a
    /// picture being 1 wide and high. Empty: there are no textures.
    std::vector<glm::vec2> uvs{};
    /// Factors of the albedo at the corners, from 0 to 1, linear, between which shading
    /// interpolates. Empty: there are none.
    std::vector<glm::vec3> colours{};
    /// Of which the faces are, from the first on; empty: of one, which stands in one place.
    std::vector<MeshPiece> pieces{};
    bool operator==(const Mesh&) const = default;
};

/// Of coordinates in textures: single precision resolves a sixteenth of a picture there.
inline constexpr double kMaxUv = 1e6;

/// Whether a material has a texture.
bool hasTextures(const Mesh& mesh);

/// Whether all three corners of a face have normals.
bool isSmooth(const Mesh& mesh, const Triangle& face);

/// Twice the area, in the precision of the corners; 0 also if a corner is no number.
float doubleArea(const Mesh& mesh, const Triangle& face);

/// Removes what is no triangle, and corners and materials that none has. Numbers stay valid.
void tidy(Mesh& mesh);

/// How the coordinates of a file became a scene's: (file - offset) * scale, in double precision,
/// for models that are tiny, huge or far from the origin.
struct Fit {
    glm::dvec3 offset{0, 0, 0};
    double scale = 1;
    bool operator==(const Fit&) const = default;
};

/// A mesh of a scene. Scenes that are edited share it.
struct SceneMesh {
    SharedMesh mesh;
    /// What it was read from, an absolute path, or what it was made by ("terrain-1000"); empty:
    /// nothing, and the scene's file has it itself.
    std::string source{};
    std::uint64_t digest = 0;            ///< of the file
    std::optional<Material> material{};  ///< in place of the file's materials
    std::vector<Placement> places{};     ///< of the whole mesh; empty: one, as it is
    Fit fit{};                           ///< of the file's coordinates
    Remarks remarks{};                   ///< what of the file is not shown
    bool operator==(const SceneMesh& other) const;
};

}  // namespace rayscope
