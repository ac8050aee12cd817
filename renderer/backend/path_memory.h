#pragma once

#include <cstddef>

#include "renderer/base/elapsed.h"
#include "renderer/core/path_store.h"

namespace rayscope {

/// True where paths are kept in memory between kernels.
bool inWaves(const Variant& variant);

/// When memory was last used. It is kept for a while: two pictures may take turns.
class LastUse {
public:
    void isNow() { at_ = Clock::now(); }
    bool isLongAgo() const { return millisecondsSince(at_) > 2000; }

private:
    Clock::time_point at_;
};

/// The arrays of this many paths in one block of memory, aligned for any element where the capacity
/// is a multiple of 64.
PathMemory layOut(const PathBytes& bytes, int capacity, unsigned char* block);

/// Bytes of the block.
size_t blockBytes(const PathBytes& bytes, int capacity);

}  // namespace rayscope
