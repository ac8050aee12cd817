#pragma once

#include <functional>
#include <vector>

#include "renderer/backend/path_memory.h"
#include "renderer/choices/settings.h"
#include "renderer/cpu/host_scene.h"
#include "renderer/cpu/kernel_table.h"

namespace rayscope {

/// Renders the launch's rectangle on the thread of this number and adds to the launch's counters.
template <class Real>
using RenderRectangle = std::function<void(const LaunchParams<Real>&, int thread)>;

/// The paths of one thread.
class WaveBlock {
public:
    void reserve(const PathBytes& bytes);
    CpuWaveMemory memory(const PathBytes& bytes, bool list, bool fused);

private:
    std::vector<unsigned char> bytes_;
    std::vector<int> list_;
};

/// The engines of the CPU.
class CpuEngines {
public:
    /// The kernel of the settings, for so many threads; the launch gets the scene as that reads it.
    template <class Real>
    RenderRectangle<Real> prepare(const Settings& settings, HostScene& scene, int threads,
                                  LaunchParams<Real>& launch);
    /// Frees what paths are kept in.
    void release();

private:
    template <class Real>
    RenderRectangle<Real> prepareWaves(const Settings& settings, HostScene& scene, int threads,
                                       LaunchParams<Real>& launch);

    std::vector<WaveBlock> waves_;  ///< by thread
    LastUse wavesUse_;
};

}  // namespace rayscope
