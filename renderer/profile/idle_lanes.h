#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/backend/session.h"
#include "renderer/profile/hot_lines.h"

namespace rayscope {

/// Where kernels lose lanes: the lane slots of their instructions, 32 for each that a warp
/// executes, without an active lane. A lane that a step of the paths, which is one ray in some of a
/// warp's lanes, already begins without waits for other paths to end; one that is lost later is in
/// another branch.
struct IdleLanes {
    double slots = 0;  ///< all
    double waiting = 0;
    std::array<double, kParts> branches{};  ///< by the part in which lanes are missing
    double unknown = 0;                     ///< of instructions without a line
    /// Lanes that begin a step, of 32; 0: no kernel has steps.
    double stepLanes = 0;

    double inBranches() const;
    double all() const { return waiting + inBranches() + unknown; }
    /// Of all slots.
    double share(double lanes) const { return slots > 0 ? lanes / slots : 0; }
};

/// `rays`: those that were traced meanwhile. Each but shadow rays passes the head of a step once,
/// so the head is where as many lanes were active, in the fewest warps. From there on the lanes
/// that it lacks on average are taken to be missing: a step's branches that few warps enter are
/// charged a little wrongly, the sums are exact. Random numbers belong to the part that draws them.
IdleLanes idleLanes(const std::vector<KernelCounts>& counts, const LineTable& table,
                    const std::vector<std::string>& sources, const Rays& rays);

/// "41 % of lanes are idle: 27 % in branches inside a step, most while others start a path (10 %);
/// 15 % wait for other paths to end", the larger of both first.
std::string idleText(const IdleLanes& idle);

/// A place where lanes are lost, and the share of all slots that is.
struct IdlePlace {
    std::string id;    ///< "waiting", "search"; in JSON
    std::string text;  ///< "wait for other paths to end", "while others search for the nearest hit"
    double share = 0;
};
/// All that have any, the largest first; the shares add up to that of all idle lanes.
std::vector<IdlePlace> placesOf(const IdleLanes& idle);

/// What others do while lanes are missing in that part: "start a path".
const char* doingIn(Part part);

}  // namespace rayscope
