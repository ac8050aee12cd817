#pragma once

#include <memory>

#include "renderer/core/variant.h"

namespace rayscope {

struct Bvh;
/// One that several renderers walk.
using SharedBvh = std::shared_ptr<const Bvh>;

/// Which tree of boxes rays walk, and what becomes of it when spheres move by themselves. sah:
/// built by the surface area heuristic, each time anew. lbvh: a linear one (scene/linear_bvh.h),
/// anew too, sorted by Morton codes of 30 bits, and lbvh60 by 60. refit: by the heuristic once;
/// later its boxes are only fitted to the spheres. ploc: by merging clusters, on a GPU
/// (cuda/kernels/clusters.h). sbvh: by the heuristic, which may also cut triangles in two.
enum class Hierarchy { sah, lbvh, lbvh60, refit, ploc, sbvh };
inline constexpr int kHierarchies = 6;

/// Whether rays walk a hierarchy of boxes.
constexpr bool walksBvh(Accel accel) {
    return accel == Accel::bvh || accel == Accel::bvh4 || accel == Accel::bvh8;
}

constexpr bool isLinear(Hierarchy h) {
    return h == Hierarchy::lbvh || h == Hierarchy::lbvh60;
}

/// Whether only the host builds it, and nothing changes it later.
constexpr bool isForHost(Hierarchy h) {
    return h == Hierarchy::sah || h == Hierarchy::sbvh;
}

/// Whether a GPU builds it by itself.
constexpr bool isForDevice(Hierarchy h) {
    return isLinear(h) || h == Hierarchy::ploc;
}

/// Bits of a Morton code, 10 or 20 for each axis. With the fewer, spheres in one of 2^30 cells are
/// in no order.
enum class MortonBits { bits30, bits60 };

constexpr MortonBits mortonBits(Hierarchy h) {
    return h == Hierarchy::lbvh ? MortonBits::bits30 : MortonBits::bits60;
}

}  // namespace rayscope
