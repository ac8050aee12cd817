#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/mesh.h"
#include "renderer/scene/remarks.h"
#include "renderer/scene/scene.h"

// Files of triangles: glTF 2.0 (.gltf, .glb), Wavefront OBJ with its MTL, and PLY. Their readers
// are our own, on the JSON library that scenes need anyway: Debian 12's assimp 5.2.5 crashed on
// damaged PLY and glTF files within 20 s of fuzzing each. FBX, COLLADA, 3DS and STL are read by
// assimp, in a process that can do no harm (import_process.h).

namespace rayscope {

/// What a file has: its meshes as one, each where its nodes place it, and its first camera.
struct Model {
    Mesh mesh;
    std::optional<Camera> camera{};
    std::uint64_t digest = 0;  ///< of the file and of those that it names
    Remarks remarks{};         ///< what of the file the mesh does not show
    Fit fit{};                 ///< of the mesh and the camera
};

/// Whether the name ends as one of such a file.
bool isModel(const std::string& path);
/// The endings, for a sentence: ".glb, .gltf, .obj or .ply".
std::string modelEndings();

/// Reads a file by its ending. Besides the file, only such as it names in its folder or below are
/// opened. The reason of a failure names the file.
Result<Model> readModel(const std::string& path, const Fit& fit = {});

/// The mesh of a file, for a scene.
Result<SceneMesh> meshFromFile(const std::string& path, const Fit& fit = {});

/// A scene of a file alone: under a bright sky, seen by its camera or else by one that has all of
/// it in view. A model that is tiny, huge or far from the origin is moved there and scaled to some
/// units.
Result<Scene> sceneOfModel(const std::string& path);

/// A camera that has all of the mesh in view.
Camera framing(const Mesh& mesh);

/// Scene::epsilon where a scene does not say: `usual`, but no more than a thousandth of the radius
/// of any file's mesh, and at least some thirty times what single precision resolves there.
double epsilonFor(const std::vector<SceneMesh>& meshes, double usual);

/// A remark on a file of a scene.
struct FileRemark {
    std::string file;  ///< its name, printable
    Remark remark;
    bool operator==(const FileRemark&) const = default;
};
/// What of the files of a scene is not shown. A file that is in it twice counts once.
std::vector<FileRemark> remarksOn(const Scene& scene);
/// "table.obj: lines (l) are not shown (line 1)".
std::string remarkSentence(const FileRemark& remark);

}  // namespace rayscope
