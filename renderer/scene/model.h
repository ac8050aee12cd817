#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
};

/// Whether the name ends as one of such a file.
bool isModel(const std::string& path);

/// Reads a file by its ending. Besides the file, only such as it names in its folder or below are
/// opened. The reason of a failure names the file.
Result<Model> readModel(const std::string& path);

/// The mesh of a file, for a scene.
Result<SceneMesh> meshFromFile(const std::string& path);

/// A scene of a file alone: under a bright sky, seen by its camera or else by one that has all of
/// it in view.
Result<Scene> sceneOfModel(const std::string& path);

/// A camera that has all of the mesh in view.
Camera framing(const Mesh& mesh);

}  // namespace rayscope
