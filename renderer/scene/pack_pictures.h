#pragma once

#include "renderer/scene/appended.h"

namespace rayscope {

/// Those of a material of a mesh; nullptr: it has none.
const Textures* texturesOf(const SceneMesh& mesh, std::size_t material);

/// Appends textures and the sky as core/picture.h reads them, if the scene has any of these.
template <class Real>
void appendPictures(Appended& to, MeshHeader& header, const Scene& scene);

/// Upper bound on the bytes of appendPictures().
std::size_t pictureBytes(const Scene& scene);

}  // namespace rayscope
