#pragma once

#include <cstdint>
#include <map>

#include "renderer/base/result.h"
#include "renderer/devices/machine.h"

namespace rayscope {

/// The renderers of a machine with the scenes that a job measures one after the other.
class Stage {
public:
    explicit Stage(Machine& machine) : machine_(machine) {}

    /// The renderer of these settings, which has the scene from now on, or why they cannot be had.
    Result<Renderer*> enter(const Settings& settings, const SharedScene& scene);
    /// False while the hierarchy of the scene entered last is being built, which is waited for so
    /// long at most, so that a window goes on.
    bool hierarchyReady(const SharedScene& scene, double waitMs);

private:
    Machine& machine_;
    std::map<Backend, std::uint64_t> versionOf_;  ///< of the scenes that the renderers have
};

}  // namespace rayscope
