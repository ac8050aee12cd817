#pragma once

#include <string>
#include <string_view>

#include "renderer/base/result.h"

namespace rayscope {

/// What rayscope-import makes of a model's bytes (import_protocol.h), in a process of its own that
/// can open and write nothing else. `ending`: of the file's name, ".fbx". A failure is a clause.
Result<std::string> importedBytes(std::string_view bytes, const std::string& ending);

}  // namespace rayscope
