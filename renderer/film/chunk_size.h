#pragma once

namespace rayscope {

/// What the size of a chunk depends on: samples of a picture that one of several devices is given.
struct ChunkNeeds {
    double share = 1;        ///< of what is left, that a chunk may have at most
    double msPerSample = 0;  ///< of the device; 0: unknown
    double longestMs = 0;    ///< that a chunk should take
    int last = 0;            ///< samples of the device's last chunk
    int pass = 1;            ///< samples of a pass, of which chunks have whole ones where they can
};

/// A chunk has at most so much of a device's share of what is left, so that all end together.
inline constexpr double kPartOfShare = 1. / 3;

/// How many samples the next chunk has, at least one.
int samplesOfChunk(const ChunkNeeds& needs);

}  // namespace rayscope
