#pragma once

#include <string>

#include "renderer/choices/settings.h"
#include "renderer/scene/scene.h"

// From settings and a scene to the variant that renders them.

namespace rayscope {

/// What a kernel knows of a scene; `baked`: bakedId() of the scene, 0 if it is too large.
Traits kernelTraits(SceneMemory memory, Traits scene, unsigned baked);

/// The variant with what follows from the scene, the depth and, for the CPU, this processor.
Variant kernelVariant(const Settings& settings, const Traits& scene, unsigned baked);

/// bakedScene(); empty if the scene is too large to be baked.
std::string bakedTextOf(const Scene& scene);
/// Its bakedId(); 0 if it is empty.
unsigned bakedIdOf(const std::string& text);

/// The highest level of x86-64 (psABI: 2 has SSE4.2, 3 AVX2 and FMA, 4 AVX-512) of this processor;
/// 1 on others. The environment variable RAYSCOPE_ISA lowers it, for tests.
int processorLevel();
/// From now on another one: for kernels that are to run elsewhere.
void assumeProcessorLevel(int level);

/// Lanes of the widest packets of this processor: 16, 8, or 0 for none.
int widestPackets();

}  // namespace rayscope
