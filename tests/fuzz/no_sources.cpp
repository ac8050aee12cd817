#include "renderer/compile/kernel_sources.h"

namespace rayscope {

/// Fuzzers compile no kernel.
const std::vector<KernelSource>& embeddedKernelSources() {
    static const std::vector<KernelSource> none;
    return none;
}

}  // namespace rayscope
