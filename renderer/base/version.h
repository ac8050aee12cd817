#pragma once

namespace rayscope {

/// Of the program, "0.1.0".
extern const char* const kVersion;

}  // namespace rayscope
