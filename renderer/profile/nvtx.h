#pragma once

// NVTX, which is headers only: the ranges that Nsight Systems and Nsight Compute show. It looks for
// a tool once; without one a range is a test of a pointer.

#if __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

namespace rayscope {

inline constexpr bool kHasNvtx = true;
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
inline void nvtxBegin(const char*) {}
inline void nvtxEnd() {}

}  // namespace rayscope

#endif
