#pragma once

#include <cstddef>

#include "renderer/base/elapsed.h"
#include "renderer/core/path_store.h"

namespace rayscope {

/// True if paths are kept in memory between kernels.
bool storesPaths(const Variant& variant);

/// True if a wavefront sorts its paths between stages.
bool sortsPaths(const Variant& variant);

/// When memory was last used. Unused memory is kept for a while, because two pictures may take
/// turns.
class LastUse {
public:
    void isNow() { at_ = Clock::now(); }
    bool isLongAgo() const { return millisecondsSince(at_) > 2000; }

private:
    Clock::time_point at_;
};

/// The arrays of `capacity` paths in one block of memory; aligned for any element if the capacity
/// is a multiple of 64.
PathMemory layOut(const PathBytes& bytes, int capacity, unsigned char* block);

/// The size of that block, bytes.
size_t blockBytes(const PathBytes& bytes, int capacity);

}  // namespace rayscope
