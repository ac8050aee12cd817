#include "renderer/base/version.h"

namespace rayscope {

const char* const kVersion = RAYSCOPE_VERSION;

}  // namespace rayscope
