#pragma once

#include <optional>
#include <string_view>

#include "renderer/base/result.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// The mesh of a name such as "terrain-1000", "city-1000" or "blocks-10000", of at most so many
/// triangles: mountains around a lake, streets of houses, or houses with windows, of which a few
/// stand in all places; or "forest-1000" of so many trees. Nothing if the name has another form or
/// the number is too small or too large. The same name gives the same mesh; its triangles are made
/// when they are first asked for.
SharedMesh madeMesh(std::string_view name);
/// The same; fails if it needs more memory than there may be: base/memory_budget.h.
Result<SharedMesh> meshWithinMemory(std::string_view name);

/// A scene of such a mesh under the sky.
std::optional<Scene> madeScene(std::string_view name);

}  // namespace rayscope
