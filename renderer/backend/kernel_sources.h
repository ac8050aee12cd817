#pragma once

#include <string>
#include <vector>

#include "renderer/base/result.h"

namespace rayscope {

/// A file that NVRTC reads; its name is the one in #include lines, "renderer/core/path.h".
struct KernelSource {
    std::string name;
    std::string text;
    bool operator==(const KernelSource&) const = default;
};

inline constexpr const char* kMegakernelSource = "renderer/cuda/kernels/megakernel.cu";
inline constexpr const char* kBakedSource = "renderer/core/baked_scene.h";
inline constexpr const char* kWavefrontSource = "renderer/cuda/kernels/wavefront.cu";
inline constexpr const char* kHierarchySource = "renderer/cuda/kernels/hierarchy.cu";
inline constexpr const char* kNbodySource = "renderer/cuda/kernels/nbody.cu";

/// The sources as they were when the program was built (cmake/embed.cmake).
const std::vector<KernelSource>& embeddedKernelSources();

/// From now on files below this folder (DIR/renderer/core/path.h, ...) replace the embedded ones of
/// the same name, and kernels are compiled again when one is saved. "": the embedded ones again.
/// Fails if the folder holds none of the files.
Result<void> setKernelSourceDirectory(const std::string& directory);

/// The folder that was set, or an empty string.
std::string kernelSourceDirectory();

/// Writes the embedded source of this name ("": all of them) below the folder, which is created if
/// necessary, to be passed to setKernelSourceDirectory(). Existing files are kept.
Result<void> copyKernelSources(const std::string& directory, const std::string& name = {});

/// The embedded sources, with the folder's files in place of those of the same name.
std::vector<KernelSource> kernelSources();

/// The sources with `baked` as the text of core/baked_scene.h, unless it is empty.
std::vector<KernelSource> withBaked(std::vector<KernelSource> sources, const std::string& baked);

/// Changes whenever the folder is set or one of its files is saved. Cheap enough for every frame:
/// it looks at the files only twice a second.
unsigned kernelSourcesVersion();

}  // namespace rayscope
