#include "renderer/cpu/builds.h"

#include "renderer/cpu/host_stages.h"

namespace rayscope {

// Defined by the builds of kernels.cpp, forces.cpp and host_stages.cpp (cmake/cpu_kernels.cmake).
#define RAYSCOPE_DECLARE(name)                        \
    namespace name {                                  \
    const CpuKernels<float>& kernels(float);          \
    const CpuKernels<double>& kernels(double);        \
    const ForceKernels<float>& forceKernels(float);   \
    const ForceKernels<double>& forceKernels(double); \
    }
RAYSCOPE_DECLARE(o0)
RAYSCOPE_DECLARE(o1)
RAYSCOPE_DECLARE(o2)
RAYSCOPE_DECLARE(o3)
RAYSCOPE_DECLARE(avx2)
RAYSCOPE_DECLARE(avx512)
#undef RAYSCOPE_DECLARE

#define RAYSCOPE_DECLARE(name)                    \
    namespace name {                              \
    const HostStages<float>& hostStages(float);   \
    const HostStages<double>& hostStages(double); \
    }
RAYSCOPE_DECLARE(o3)
RAYSCOPE_DECLARE(avx2)
RAYSCOPE_DECLARE(avx512)
#undef RAYSCOPE_DECLARE

namespace packets16 {
const PacketKernels& packetKernels();
}
namespace packets8 {
const PacketKernels& packetKernels();
}

namespace {

// False, too, if the program lacks that build.
bool hasAvx512() {
#ifdef RAYSCOPE_AVX512
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

bool hasAvx2() {
#ifdef RAYSCOPE_PACKETS
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

template <class Real>
const HostStages<Real>& widestHostStages() {
#ifdef RAYSCOPE_AVX512
    if (hasAvx512()) return avx512::hostStages(Real());
#endif
#ifdef RAYSCOPE_AVX2
    if (hasAvx2()) return avx2::hostStages(Real());
#endif
    return o3::hostStages(Real());
}

}  // namespace

const HostStages<float>& hostStages(float) {
    return widestHostStages<float>();
}
const HostStages<double>& hostStages(double) {
    return widestHostStages<double>();
}

CpuBuild cpuBuild(Opt opt) {
    switch (opt) {
        case Opt::O0:
            return {"-O0", o0::kernels(0.f), o0::kernels(0.)};
        case Opt::O1:
            return {"-O1", o1::kernels(0.f), o1::kernels(0.)};
        case Opt::O2:
            return {"-O2", o2::kernels(0.f), o2::kernels(0.)};
        case Opt::O3:
            break;
        case Opt::native:
#ifdef RAYSCOPE_AVX512
            if (hasAvx512()) {
                return {"-O2 -ftree-vectorize -march=x86-64-v4", avx512::kernels(0.f),
                        avx512::kernels(0.)};
            }
#endif
#ifdef RAYSCOPE_AVX2
            if (hasAvx2()) {
                return {"-O2 -ftree-vectorize -march=x86-64-v3", avx2::kernels(0.f),
                        avx2::kernels(0.)};
            }
#endif
            break;
    }
    return {"-O3", o3::kernels(0.f), o3::kernels(0.)};
}

namespace {

template <class Real>
const ForceKernels<Real>& forcesOf(Opt opt) {
    switch (opt) {
        case Opt::O0:
            return o0::forceKernels(Real());
        case Opt::O1:
            return o1::forceKernels(Real());
        case Opt::O2:
            return o2::forceKernels(Real());
        case Opt::O3:
            break;
        case Opt::native:
#ifdef RAYSCOPE_AVX512
            if (hasAvx512()) return avx512::forceKernels(Real());
#endif
#ifdef RAYSCOPE_AVX2
            if (hasAvx2()) return avx2::forceKernels(Real());
#endif
            break;
    }
    return o3::forceKernels(Real());
}

}  // namespace

const ForceKernels<float>& forceKernels(Opt opt, float) {
    return forcesOf<float>(opt);
}
const ForceKernels<double>& forceKernels(Opt opt, double) {
    return forcesOf<double>(opt);
}

int widestPackets() {
    return hasAvx512() ? 16 : hasAvx2() ? 8 : 0;
}

PacketBuild packetBuild(PacketLanes lanes) {
#ifdef RAYSCOPE_AVX512
    const bool wide = lanes == PacketLanes::widest ? hasAvx512() : lanes == PacketLanes::sixteen;
    if (wide) return {16, "-O3 -march=x86-64-v4", &packets16::packetKernels()};
#endif
#ifdef RAYSCOPE_PACKETS
    return {8, "-O3 -march=x86-64-v3", &packets8::packetKernels()};
#else
    return {};
#endif
}

}  // namespace rayscope
