#pragma once

#include <vector>

namespace rayscope {

/// Empties the vector and gives its memory back, which `v = {}` and clear() keep.
template <class T>
void freeMemory(std::vector<T>& v) {
    v = std::vector<T>();
}

}  // namespace rayscope
