#pragma once

#include <string>
#include <string_view>

#include "renderer/scene/model.h"

// The formats of models, for model.cpp and the tests. Failures are clauses without the file's name;
// meshes are as the file has them, before tidy().

namespace rayscope {

/// Files that a model names.
class Companions {
public:
    /// `folder`: of the model; empty: it has none, and nothing is opened.
    explicit Companions(std::string folder) : folder_(std::move(folder)) {}

    /// The bytes of a file in the folder or below. Its name is shown in the reason of a failure.
    Result<std::string> read(const std::string& name);
    /// Of what has been read.
    std::uint64_t digest() const { return digest_; }

private:
    std::string folder_;
    std::uint64_t digest_ = 0;
};

Result<Model> objModel(std::string_view text, Companions& companions);
Result<Model> plyModel(std::string_view bytes);
/// `bytes`: of a .gltf or a .glb.
Result<Model> gltfModel(std::string_view bytes, Companions& companions);

/// FBX, COLLADA, 3DS and STL, by assimp in a process of its own. `ending`: ".fbx" and so on.
Result<Model> importedModel(std::string_view bytes, const std::string& ending,
                            Companions& companions);
/// From what that process has made (import_protocol.h), all of which is checked.
Result<Model> modelFromImport(std::string_view made, Companions& companions);

/// What the formats say about a surface.
struct FileSurface {
    glm::dvec3 base{.8, .8, .8};
    glm::dvec3 emission{0, 0, 0};
    double metallic = 0, roughness = 1, transmission = 0, index = 1.5;
    bool shinesInPlaces = false;  ///< a texture says where
};
/// The nearest of our materials: what shines all over is a lamp, what lets through more than half
/// of the light is glass, what is more than half metallic is metal, and all else is matt.
Material materialOf(const FileSurface& surface);

/// A coordinate that a scene may have.
bool inReach(const glm::dvec3& point);

/// A coordinate that a texture may have.
bool isUv(const glm::dvec2& uv);

inline constexpr const char* kNoUv = "a place in a texture is no number or too far away";
inline constexpr const char* kTooManyTexels = "its textures have more than 1073741824 texels";
inline constexpr const char* kTooManyTriangles = "more than 16777216 triangles or corners";

}  // namespace rayscope
