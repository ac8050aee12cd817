#pragma once

// NVTX (headers only): the ranges that Nsight Systems and Nsight Compute show. Its search for a
// tool is not safe in two threads at once, so nvtxStart() makes it. Without a tool a range costs
// one test of a pointer.

#if __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

namespace rayscope {

inline constexpr bool kHasNvtx = true;
inline bool nvtxStart() {
    nvtxInitialize(nullptr);
    return true;
}
inline void nvtxBegin(const char* name) {
    nvtxRangePushA(name);
}
inline void nvtxEnd() {
    nvtxRangePop();
}

}  // namespace rayscope

#else

namespace rayscope {

inline constexpr bool kHasNvtx = false;
inline bool nvtxStart() {
    return false;
}
inline void nvtxBegin(const char*) {}
inline void nvtxEnd() {}

}  // namespace rayscope

#endif
