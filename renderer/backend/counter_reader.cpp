#include "renderer/backend/counter_reader.h"

namespace rayscope {

std::string profilerIn(const std::string& maps) {
    // Libraries that the tools inject into the processes that they start.
    struct Tool {
        const char* library;
        const char* name;
    };
    // The last one comes with several tools.
    constexpr Tool kTools[] = {{"libsanitizer-collection", "compute-sanitizer"},
                               {"libToolsInjection", "Nsight Systems"},
                               {"libcuda-injection", "Nsight Compute"},
                               {"TreeLauncherTargetInjection", "Nsight Compute"}};
    for (const Tool& tool : kTools) {
        if (maps.find(tool.library) != maps.npos) return tool.name;
    }
    return {};
}

}  // namespace rayscope
