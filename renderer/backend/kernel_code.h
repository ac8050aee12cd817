#pragma once

#include <string>
#include <vector>

#include "renderer/backend/cubin.h"
#include "renderer/backend/cubin_file.h"
#include "renderer/compile/kernel_sources.h"
#include "renderer/base/result.h"
#include "renderer/choices/settings.h"
#include "renderer/scene/shared_scene.h"

// The kernels of settings: sources, PTX, machine code. Needs a compiler, but no GPU.

namespace rayscope {

/// The architecture if there is no device to ask: sm_90.
inline constexpr int kUsualArchitecture = 90;

struct CodeWish {
    Settings settings;
    SharedScene scene;
    int architecture = kUsualArchitecture;  ///< of a GPU
    unsigned version = kernelSourcesVersion(settings.source);  ///< so that wishes for edits differ
    bool operator==(const CodeWish&) const = default;
};

/// One kernel of a program, as the compiler and its machine code describe it.
struct KernelFacts {
    std::string name;    ///< "megakernel", "extend"
    std::string symbol;  ///< its name in the machine code
    int registers = -1;  ///< per thread; -1, here and below: not known, or a CPU has no such thing
    int spillBytes = -1;
    int stackBytes = -1;  ///< per thread: its frame and the largest of a function that it calls
    CubinKernel code;
};

/// The compiled program of settings. With code=ptx the driver makes the machine code that runs,
/// from the same PTX; this is what NVRTC makes of it.
struct KernelCode {
    int architecture = 0;              ///< of a GPU
    std::string compiler;              ///< "NVRTC 13.0", "g++ 12.2.0"
    std::vector<KernelFacts> kernels;  ///< the one that traces most rays first
    std::string cubin;                 ///< of a CPU: the shared object (host_object.h)
    /// It is a CPU's.
    bool host() const { return isHostObject(cubin); }
    std::vector<std::string> symbols() const {
        std::vector<std::string> all;
        for (const KernelFacts& kernel : kernels) all.push_back(kernel.symbol);
        return all;
    }
};

/// Whether a kernel that is not in the cache may be compiled, which takes 0.1 to 1 s.
enum class Compiling { allowed, never };

/// From the cache, or compiled; any thread may call it. The reason of a failure is the compiler's
/// log, or a sentence: there is no compiler, or the kernel is not in the cache.
Result<KernelCode> kernelCode(const CodeWish& wish, Compiling compiling = Compiling::allowed);
/// The same for settings of one backend.
Result<KernelCode> cpuKernelCode(const CodeWish& wish, Compiling compiling);
Result<KernelCode> cudaKernelCode(const CodeWish& wish, Compiling compiling);

/// Whether the program has the same machine code, by the digests of its kernels, when it is
/// compiled without information about lines. Fails as kernelCode() does.
Result<bool> sameWithoutLines(const CodeWish& wish);

struct KernelPtx {
    std::string text;
    std::vector<std::string> symbols;  ///< of the kernels, in the order of KernelCode
};

/// The PTX of the same program; fails for the same reasons.
Result<KernelPtx> kernelPtx(const CodeWish& wish);

/// The files that the program is compiled from: the one with its kernels, then those that it
/// includes, in the order of inclusion.
std::vector<KernelSource> kernelFiles(const CodeWish& wish);
std::vector<KernelSource> cpuKernelFiles(const CodeWish& wish);
std::vector<KernelSource> cudaKernelFiles(const CodeWish& wish);

}  // namespace rayscope
