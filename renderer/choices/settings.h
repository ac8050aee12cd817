#pragma once

#include <cstdint>

#include "renderer/core/force_variant.h"
#include "renderer/core/variant.h"
#include "renderer/scene/hierarchy.h"

namespace rayscope {

enum class Backend { cpu, cuda };

/// How the film gets to the screen: written by CUDA into the OpenGL buffer, copied through pinned
/// host memory, or written by the CPU into the mapped buffer.
enum class Display { interop, copy, host };

/// How many launches a presented frame has: as many as its time allows, or Settings::launches.
enum class Pace { fill, fixed };

/// The kind of host memory that is copied to and from the device.
enum class HostMemory { pageable, pinned };

/// Whether the CUDA context is made before the wall clock of a run starts, or inside of it.
enum class Context { before, inside };

/// Everything that can be chosen: the kernel, how it is launched, and what changes at run time.
struct Settings {
    Backend backend = Backend::cpu;
    Variant variant;
    int source = 0;  ///< of the kernels: sources.h
    Hierarchy hierarchy = Hierarchy::sah;
    int threads = 0;  ///< CPU worker threads; 0: one for each core
    Display display = Display::interop;
    HostMemory hostMemory = HostMemory::pinned;
    Context context = Context::before;
    int samples = 32;  ///< per pixel and launch
    Pace pace = Pace::fill;
    int launches = 1;  ///< per presented frame, of Pace::fixed
    Forces forces = Forces::registers;
    int bodyTile = 256;  ///< bodies; threads of a block of a GPU
    BodyLayout bodyLayout = BodyLayout::aos;
    int steps = 1;           ///< of the simulation, per presented frame
    bool moves = false;      ///< the scene has a simulation: set by the scene, not chosen
    bool triangles = false;  ///< the scene has some; likewise
    int depth = 10;          ///< longest path, in rays traced for hits
    std::uint32_t seed = 1;
    bool operator==(const Settings&) const = default;
};

struct Scene;

/// The defaults for a backend and a scene.
Settings defaultSettings(Backend backend, const Scene& scene);

/// True if the CPU traces or scatters, so that a launch of all samples may take long.
bool worksOnHost(const Settings& settings);

/// What the kernels of the scene's simulation are compiled for.
ForceVariant forceVariant(const Settings& settings);

inline bool walksBvh(const Settings& settings) {
    return walksBvh(settings.variant.accel);
}

/// Rays walk a tree that takes long to build for many spheres.
inline bool walksSahTree(const Settings& settings) {
    return walksBvh(settings) && !isForDevice(settings.hierarchy);
}

/// True if the film's expectation (Effect::picture) or the seed changes. Otherwise the same film
/// goes on converging, because all variants estimate the same integral.
bool resetsFilm(const Settings& before, const Settings& after);

/// True if paths may be others (Effect::paths), so that a sample, and a ray, may be worth more or
/// less than before.
bool changesPaths(const Settings& before, const Settings& after);

/// True if the rate may change, so that averages start anew.
bool resetsTiming(const Settings& before, const Settings& after);

}  // namespace rayscope
