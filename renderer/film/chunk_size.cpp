#include "renderer/film/chunk_size.h"

#include <algorithm>

namespace rayscope {

int samplesOfChunk(const ChunkNeeds& needs) {
    constexpr int kMostGrowth = 16;  // from chunk to chunk, as the time of a small one says little
    const double inTime = needs.msPerSample > 0 ? needs.longestMs / needs.msPerSample : 1;
    const int grown = kMostGrowth * std::max(needs.last, 1);
    const int count = static_cast<int>(std::clamp(std::min(inTime, needs.share), 1., 1. * grown));
    return count > needs.pass ? count - count % needs.pass : count;
}

}  // namespace rayscope
