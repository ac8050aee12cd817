#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/devices/backends.h"

namespace rayscope {

/// How much of a ladder can be had.
struct LadderReach {
    std::string title;  ///< of the ladder
    int rungs = 0, possible = 0;
    std::string why;  ///< why the other rungs cannot; empty where there are none

    double share() const { return rungs > 0 ? static_cast<double>(possible) / rungs : 0; }
    bool hardly() const { return rungs > 0 && share() < .5; }
    /// "1 of 24 rungs run here; the others need a GPU (no NVIDIA driver is loaded)"
    std::string sentence() const;
};

/// Of a ladder on this machine, where rungs that name no backend have `preferred`.
LadderReach reachOf(const std::string& ladder, const Backends& backends, Backend preferred);

/// The reach of ladders, each found out once for a backend.
class LadderReaches {
public:
    const LadderReach& of(const std::string& ladder, const Backends& backends, Backend preferred);
    /// Its file has changed.
    void forget(const std::string& ladder) { known_.erase(ladder); }
    /// The one that is shown first: of which most can be had, if voxel-tracer hardly can; empty
    /// where there is none.
    std::string first(const std::vector<std::string>& ladders, const Backends& backends,
                      Backend preferred);

private:
    std::map<std::string, LadderReach> known_;
    Backend preferred_{};
    bool cuda_ = false;
};

}  // namespace rayscope
