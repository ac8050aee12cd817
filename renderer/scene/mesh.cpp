#include "renderer/scene/mesh.h"

#include <algorithm>
#include <glm/geometric.hpp>

namespace rayscope {

namespace {

/// Smaller ones have no normal in single precision.
constexpr float kLeastDoubleArea = 1e-30f;

/// Keeps the elements whose new number is not negative.
template <class T>
void keep(std::vector<T>& elements, const std::vector<int>& numbers) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (numbers[i] >= 0) elements[static_cast<std::size_t>(numbers[i])] = elements[i];
    }
    const auto kept = std::count_if(numbers.begin(), numbers.end(), [](int n) { return n >= 0; });
    elements.resize(static_cast<std::size_t>(kept));
}

/// New numbers for those that are used, in the same order; -1 for the others.
std::vector<int> numbered(const std::vector<bool>& used) {
    std::vector<int> numbers(used.size(), -1);
    int next = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) numbers[i] = next++;
    }
    return numbers;
}

}  // namespace

bool hasTextures(const Mesh& mesh) {
    return std::any_of(mesh.textures.begin(), mesh.textures.end(), hasPicture);
}

bool isSmooth(const Mesh& mesh, const Triangle& face) {
    if (mesh.normals.empty()) return false;
    return std::all_of(face.corners.begin(), face.corners.end(),
                       [&](int c) { return mesh.normals[c] != glm::vec3(0); });
}

float doubleArea(const Mesh& mesh, const Triangle& face) {
    const glm::vec3 a = mesh.corners[face.corners[0]];
    const glm::vec3 ab = mesh.corners[face.corners[1]] - a;
    const glm::vec3 ac = mesh.corners[face.corners[2]] - a;
    const float area = glm::length(glm::cross(ab, ac));
    return area > 0 ? area : 0;
}

void tidy(Mesh& mesh) {
    const auto isNone = [&](const Triangle& face) {
        return !(doubleArea(mesh, face) > kLeastDoubleArea);
    };
    auto first = mesh.faces.begin();
    for (MeshPiece& piece : mesh.pieces) {
        const auto next = first + piece.faces;
        piece.faces -= static_cast<int>(std::count_if(first, next, isNone));
        first = next;
    }
    std::erase_if(mesh.pieces, [](const MeshPiece& piece) { return piece.faces == 0; });
    std::erase_if(mesh.faces, isNone);
    std::vector<bool> corners(mesh.corners.size()), materials(mesh.materials.size());
    for (const Triangle& face : mesh.faces) {
        for (const int c : face.corners) corners[c] = true;
        materials[face.material] = true;
    }
    const std::vector<int> newCorners = numbered(corners), newMaterials = numbered(materials);
    for (Triangle& face : mesh.faces) {
        for (int& c : face.corners) c = newCorners[c];
        face.material = newMaterials[face.material];
    }
    keep(mesh.corners, newCorners);
    if (!mesh.normals.empty()) keep(mesh.normals, newCorners);
    const auto none = [](const glm::vec3& n) { return n == glm::vec3(0); };
    if (std::all_of(mesh.normals.begin(), mesh.normals.end(), none)) mesh.normals.clear();
    keep(mesh.materials, newMaterials);
    if (!mesh.textures.empty()) keep(mesh.textures, newMaterials);
    if (!hasTextures(mesh)) {
        mesh.textures.clear();
        mesh.uvs.clear();
    }
    if (!mesh.uvs.empty()) keep(mesh.uvs, newCorners);
    if (!mesh.colours.empty()) keep(mesh.colours, newCorners);
    const auto white = [](const glm::vec3& c) { return c == glm::vec3(1); };
    if (std::all_of(mesh.colours.begin(), mesh.colours.end(), white)) mesh.colours.clear();
}

bool SceneMesh::operator==(const SceneMesh& other) const {
    return source == other.source && digest == other.digest && material == other.material &&
           places == other.places && fit == other.fit &&
           (mesh == other.mesh || *mesh == *other.mesh);
}

}  // namespace rayscope
