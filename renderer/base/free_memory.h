#pragma once

#include <malloc.h>

#include <vector>

namespace rayscope {

/// Empties the vector and gives its memory back, which `v = {}` and clear() keep.
template <class T>
void freeMemory(std::vector<T>& v) {
    v = std::vector<T>();
}

/// Gives back what is free between blocks that stay, as after the JSON of a large scene: tens of
/// megabytes of small blocks, which glibc itself only gives back from the end of its heaps.
inline void trimHeap() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace rayscope
