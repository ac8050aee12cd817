#pragma once

#include <malloc.h>

#include <vector>

namespace rayscope {

/// Empties the vector and frees its memory, which `v = {}` and clear() keep.
template <class T>
void freeMemory(std::vector<T>& v) {
    v = std::vector<T>();
}

/// Returns free memory in the middle of the heap to the system; glibc by itself returns only what
/// is free at the end. The JSON of a large scene leaves tens of megabytes of it.
inline void trimHeap() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace rayscope
