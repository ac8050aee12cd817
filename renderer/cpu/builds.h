#pragma once

#include <string>

#include "renderer/choices/settings.h"
#include "renderer/cpu/force_table.h"
#include "renderer/cpu/kernel_table.h"
#include "renderer/cpu/packet_table.h"

namespace rayscope {

/// A build of the CPU kernels: the flags that it was compiled with, and its tables.
struct CpuBuild {
    std::string flags;  ///< "-O2 -ftree-vectorize -march=x86-64-v4"
    const CpuKernels<float>& float32;
    const CpuKernels<double>& float64;
};

/// The build for an optimisation level on this processor; native picks the widest instruction set
/// that the processor has.
CpuBuild cpuBuild(Opt opt);

/// A simulation's kernels of the same build.
const ForceKernels<float>& forceKernels(Opt opt, float);
const ForceKernels<double>& forceKernels(Opt opt, double);

/// A build of Engine::packets.
struct PacketBuild {
    int lanes;
    std::string flags;
    const PacketKernels* kernels;
};

/// The widest packets that this processor has: 16, 8, or 0 for none.
int widestPackets();

/// PacketLanes::widest: for widestPackets(), which must not be 0.
PacketBuild packetBuild(PacketLanes lanes);

}  // namespace rayscope
