#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "renderer/backend/path_memory.h"
#include "renderer/choices/settings.h"
#include "renderer/cpu/host_scene.h"
#include "renderer/cpu/kernels/packet_memory.h"
#include "renderer/cpu/kernels/wave_memory.h"
#include "renderer/cpu/loaded_object.h"

namespace rayscope {

/// Renders the launch's rectangle and adds to its counters; called on thread number `thread`.
template <class Real>
using RenderRectangle = std::function<void(const LaunchParams<Real>&, int thread)>;

/// Paths of a wave: enough for a few pixels even of the largest pass, and few enough that a wave
/// stays in the second-level cache.
inline constexpr int kPathsOfWave = 4096;

/// Memory for the wave of one thread.
class WaveBlock {
public:
    void reserve(const PathBytes& bytes);
    CpuWaveMemory memory(const PathBytes& bytes);
    std::size_t size() const { return bytes_.size(); }

private:
    std::vector<unsigned char> bytes_;
    std::vector<int> lists_[2];
    std::vector<unsigned> keys_[2];
};

/// What Engine::packets needs beside the packed scene: of every sphere, the tree of Accel::bvh, and
/// of every thread.
struct PacketBlocks {
    std::vector<SphereBounds> bounds;
    std::vector<PacketRecord> records;
    std::vector<int> rowEnds;
    std::uint64_t spheresOf = 0;  ///< SharedScene::version(); 0: of none
    PackedScene tree;
    std::uint64_t treeOf = 0;
    Hierarchy hierarchy{};  ///< of the tree
    std::vector<std::vector<Pixel>> radiance;
    std::vector<PacketSteps> steps;
};

/// The engines of the CPU.
class CpuEngines {
public:
    /// A function that renders with the kernel, on this many threads. Sets launch.scene to the
    /// scene in the kernel's layout.
    template <class Real>
    RenderRectangle<Real> prepare(const HostKernel& kernel, Hierarchy hierarchy, HostScene& scene,
                                  int threads, LaunchParams<Real>& launch);
    /// What packets read beside launch.scene, which is set.
    PacketScene packetScene(const Variant& v, Hierarchy hierarchy, HostScene& scene,
                            const LaunchParams<float>& launch);
    const PacketBlocks& packets() const { return packets_; }
    /// What the packets of all threads have done since the engines were made.
    PacketSteps packetSteps() const;
    /// Of two that render with as many threads: they exchange the memory of paths, if that is
    /// alike.
    void exchangeMemory(CpuEngines& other);
    /// Frees the memory of paths.
    void release();

private:
    std::vector<WaveBlock> waves_;  ///< by thread
    std::vector<Fixed> sums_;       ///< FilmSums::fixed; zeros between launches
    LastUse wavesUse_;
    PacketBlocks packets_;
};

/// Whether consecutive spheres with equal y and z, which Scan::rows tests together, are so many
/// that a loop over each row pays.
bool hasRows(const Scene& scene);

}  // namespace rayscope
