#pragma once

#include <cstdint>
#include <map>

#include "renderer/base/result.h"
#include "renderer/devices/machine.h"

namespace rayscope {

/// The renderers of a machine, for a job that measures several scenes one after the other.
class Stage {
public:
    explicit Stage(Machine& machine) : machine_(machine) {}

    /// Gives the settings' renderer the scene and returns it, or why the settings cannot be had.
    Result<Renderer*> enter(const Settings& settings, const SharedScene& scene);
    /// False while the hierarchy of the scene entered last is being built. Waits for it for at most
    /// `waitMs`, so that a window stays responsive.
    bool hierarchyReady(const SharedScene& scene, double waitMs);

private:
    Machine& machine_;
    std::map<Backend, std::uint64_t> versionOf_;  ///< of the scenes that the renderers have
};

}  // namespace rayscope
