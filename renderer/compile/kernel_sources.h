#pragma once

#include <string>
#include <vector>

#include "renderer/base/result.h"

namespace rayscope {

/// A file that kernels are compiled from; its name is the one in #include lines, "renderer/core/path.h".
struct KernelSource {
    std::string name;
    std::string text;
    bool operator==(const KernelSource&) const = default;
};

inline constexpr const char* kMegakernelSource = "renderer/cuda/kernels/megakernel.cu";
inline constexpr const char* kBakedSource = "renderer/core/baked_scene.h";
inline constexpr const char* kWavefrontSource = "renderer/cuda/kernels/wavefront.cu";
inline constexpr const char* kHierarchySource = "renderer/cuda/kernels/hierarchy.cu";
inline constexpr const char* kFilmSource = "renderer/cuda/kernels/film.cu";
inline constexpr const char* kNbodySource = "renderer/cuda/kernels/nbody.cu";
inline constexpr const char* kHostPaths = "renderer/cpu/kernels/paths.cpp";
inline constexpr const char* kHostWaves = "renderer/cpu/kernels/waves.cpp";
inline constexpr const char* kHostPackets = "renderer/cpu/kernels/packets.cpp";
inline constexpr const char* kHostStages = "renderer/cpu/kernels/host_stages.cpp";
inline constexpr const char* kHostForces = "renderer/cpu/kernels/forces.cpp";

/// The sources as they were when the program was built (cmake/embed.cmake).
const std::vector<KernelSource>& embeddedKernelSources();

/// From now on files below this folder (DIR/renderer/core/path.h, ...) replace the embedded ones of
/// the same name in kernels of this source (choices/sources.h), which are compiled again when one
/// is saved. "": there is no folder. Fails if it holds none of the files.
Result<void> setKernelSourceDirectory(int source, const std::string& directory);

/// Writes files below the folder, which is created if necessary. Existing ones are kept.
Result<void> writeKernelSources(const std::string& directory,
                                const std::vector<KernelSource>& sources);

/// Writes the embedded source of this name ("": all of them) below the folder, which is created if
/// necessary, to be passed to setKernelSourceDirectory(). Existing files are kept.
Result<void> copyKernelSources(const std::string& directory, const std::string& name = {});

/// The embedded sources, with the files of the source's folder in place of those of the same name.
std::vector<KernelSource> kernelSources(int source);

/// The sources with `baked` as the text of core/baked_scene.h, unless it is empty.
std::vector<KernelSource> withBaked(std::vector<KernelSource> sources, const std::string& baked);

/// Another number for every source, and whenever its folder is set or one of its files is saved; 0
/// of those built in. Cheap enough for every frame: it looks at the files only twice a second.
unsigned kernelSourcesVersion(int source);

}  // namespace rayscope
