#pragma once

#include <nlohmann/json.hpp>

#include "renderer/scene/remarks.h"

namespace rayscope {

/// Throws a GltfProblem where a file needs what is not read, and adds remarks on what of it is not
/// shown as a whole: animations, variants, extensions.
void checkGltf(const nlohmann::json& root, Remarks& remarks);

}  // namespace rayscope
