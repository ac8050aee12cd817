#pragma once

#include <map>
#include <string>
#include <string_view>

#include "renderer/scene/model.h"

// The formats of models, for model.cpp and the tests. Failures are clauses without the file's name;
// meshes are as the file has them, before tidy().

namespace rayscope {

/// Files that a model names. Names are understood as exporters write them: with \ for /, in quotes,
/// in other case, with %20 for a space, or as a path on another machine, whose last part may lie
/// beside the model. Only files in the model's folder or below are opened.
class Companions {
public:
    /// `folder`: the model's; empty: it has none, and nothing is opened.
    explicit Companions(std::string folder) : folder_(std::move(folder)) {}

    /// Where the file is that a name means, relative to the folder. `from`: the folder of the file
    /// that has the name, if it is another than the model's, relative to that too; it is searched
    /// first. The reason of a failure shows the name.
    Result<std::string> find(const std::string& name, const std::string& from = {});
    /// The bytes of a file that find() found.
    Result<std::string> readFound(const std::string& path);
    /// Both.
    Result<std::string> read(const std::string& name, const std::string& from = {});
    /// The hash of what has been read.
    std::uint64_t digest() const { return digest_; }

private:
    const std::map<std::string, std::string>& namesIn(const std::string& folder);
    std::string fileAt(const std::string& path);

    std::string folder_;
    std::map<std::string, std::map<std::string, std::string>> listed_;  ///< folders that were read
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

/// Most of a coordinate in a file: what is larger is no measure of anything.
inline constexpr double kMaxFileCoordinate = 1e15;
/// Whether a file's coordinate is a number that may be used.
bool isFileCoordinate(const glm::dvec3& point);

/// Sets the mesh's corners to points of the file: relative to the middle of them where single
/// precision would not resolve them otherwise (Model::fit).
void setCorners(Model& model, const std::vector<glm::dvec3>& points);

/// Gives the mesh colours at its corners, if there are any: they are in sRGB from 0 to 1, or to 255
/// where one is greater than 1.
void setColours(Model& model, std::vector<glm::vec3> colours);

inline constexpr const char* kNoUv = "a place in a texture is no number or too far away";
inline constexpr const char* kTooManyTexels = "its textures have more than 1073741824 texels";
inline constexpr const char* kTooManyTriangles = "more than 16777216 triangles or corners";

}  // namespace rayscope
