#include "renderer/base/version.h"

namespace rayscope {

const char* const kVersion = RAYSCOPE_VERSION;

std::string versionText() {
    if (builtFrom.id.empty()) return kVersion;
    return std::string(kVersion) + " (" + builtFrom.id + (builtFrom.clean ? ")" : ", changed)");
}

}  // namespace rayscope
