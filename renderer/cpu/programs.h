#pragma once

#include "renderer/compile/builder.h"
#include "renderer/core/force_variant.h"
#include "renderer/core/stages.h"
#include "renderer/scene/scene.h"

// The programs of the CPU (renderer/cpu/kernels).

namespace rayscope {

/// Renders the launch's rectangle on the calling thread and adds to the launch's counters;
/// Stage::whole of every engine. `memory`: a CpuWaveMemory, a PacketMemory, or nothing.
template <class Real>
using RenderKernel = void (*)(const LaunchParams<Real>&, const void* memory);

/// Stage::record: traces samples of a pixel, from number `first` on.
using RecordKernel = void (*)(const LaunchParams<float>&, int x, int y, int first, int count,
                              Vec3<float>* radiance);

/// Works on bodies begin ... end - 1; Stage::accelerate, move and potential.
template <class Real>
using ForceKernel = void (*)(const GravityParams<Real>&, int begin, int end);

/// The request for a variant of kernelVariant().
BuildRequest hostRequest(const Variant& variant, int source, const std::string& baked);

/// Why a program that only runs in this process is not run with a source: it is edited there. Empty
/// where what it is compiled from is as it was built in, which then may run.
std::string editedProblem(const KernelProgram& program, int source);

/// A program that records what the paths of a variant do (Variant::recordLengths, recordTime).
KernelProgram recordProgram(const Variant& variant);

/// A simulation's kernels, with the compiler's options of a variant.
KernelProgram forceProgram(const ForceVariant& forces, const Variant& options);

/// Stages between the kernels of a GPU (host_stages.cpp).
template <class Real>
using GenerateStage = void (*)(const Wave<Real>&, int begin, int end);
template <class Real>
using ShadeStage = void (*)(const Wave<Real>&, int begin, int end, const int* list,
                            unsigned char* alive);
using SumStage = void (*)(const PathMemory&, int begin, int end, int samples, Pixel* sums);

/// What the host does between the kernels of a GPU's variant: Stage::generate, shade and addSums
/// (host_stages.cpp). Its samples are summed in this layout.
KernelProgram stageProgram(const Variant& gpu, SampleLayout summed);

/// Kernels for scenes that have none of their own yet: for any materials, with or without walls,
/// triangles and instances, in the variant with which such scenes start.
std::vector<Variant> anySceneVariants();

/// The variant for any scene that is stored as this one's.
Variant forAnyScene(Variant variant);

/// The variant itself; without its compiler, the one for any scene if only that was prebuilt.
Variant prebuiltWithoutCompiler(const Variant& variant, const std::string& baked);

/// Why the variant's kernel cannot be had: it has not been prebuilt, and there is no compiler.
/// Empty if it can.
std::string lacksCompiler(const Variant& variant, const std::string& baked);

/// Whether a kernel for these traits renders a scene with those.
bool covers(const Traits& kernel, const Traits& scene);

}  // namespace rayscope
