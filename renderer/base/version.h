#pragma once

namespace rayscope {

/// The program's version, "0.1.0".
extern const char* const kVersion;

}  // namespace rayscope
