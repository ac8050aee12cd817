#pragma once

#include <memory>

#include "renderer/backend/simulator.h"
#include "renderer/cpu/cpu_session.h"

namespace rayscope {

/// On the threads of the renderer, vectors of bodies in each.
std::unique_ptr<Simulator> makeCpuSimulator(std::shared_ptr<CpuCore> core,
                                            const Simulation& simulation, const Bodies& start);

/// The kernels of the settings' simulation, as they are built.
BuildRequest hostForceRequest(const Settings& settings);

}  // namespace rayscope
