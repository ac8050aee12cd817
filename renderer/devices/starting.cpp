#include "renderer/devices/starting.h"

#include <algorithm>

#include "renderer/choices/axes.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/compile/host_compiler.h"

namespace rayscope {

namespace {

/// On Intel and AMD vectors of eight children are 1.2 to 3.3 times as fast among triangles as
/// binary nodes (docs/measurements.md).
Settings byFastestHierarchy(const Settings& settings, const Scene& scene) {
    if (settings.variant.accel != defaultSettings(settings.backend, scene).variant.accel)
        return settings;
    Settings fast = settings;
    fast.variant.accel = Accel::bvh8;
    return unsupported(fast, scene).empty() ? fast : settings;
}

Settings byFastestEngine(const Settings& settings, const Scene& scene) {
    const Settings defaults = defaultSettings(settings.backend, scene);
    if (widestPackets() == 0) return settings;
    if (settings.variant.engine != defaults.variant.engine) return settings;
    Settings fast = settings;
    fast.variant.engine = Engine::packets;
    const auto lost = [&](const Axis& axis) {
        const bool chosen = axis.matters(settings) && axis.get(settings) != axis.get(defaults);
        return chosen && !axis.matters(fast);
    };
    if (std::any_of(axes().begin(), axes().end(), lost)) return settings;
    return unsupported(fast, scene).empty() ? fast : settings;
}

/// What the CPU does fastest: spheres in packets, triangles by vectors.
Settings fastest(const Settings& settings, const Scene& scene) {
    if (settings.backend != Backend::cpu) return settings;
    return scene.meshes.empty() ? byFastestEngine(settings, scene)
                                : byFastestHierarchy(settings, scene);
}

}  // namespace

Settings startingSettings(Backend backend, const Scene& scene) {
    Settings settings = defaultSettings(backend, scene);
    if (backend == Backend::cpu && !missingCompiler(settings.variant.compiler).empty() &&
        missingCompiler(HostCompiler::clang).empty())
        settings.variant.compiler = HostCompiler::clang;
    return fastest(settings, scene);
}

Settings switchedTo(Backend backend, const Settings& settings, const Scene& scene) {
    if (settings.backend == backend) return settings;
    Settings there = withBackend(settings, backend, scene);
    // what one backend began with is not what the other begins with
    if (settings.variant.accel == startingSettings(settings.backend, scene).variant.accel)
        there.variant.accel = defaultSettings(backend, scene).variant.accel;
    return fastest(there, scene);
}

Settings startingIn(const Settings& settings, const Scene& before, const Scene& after,
                    std::string* reason) {
    const Settings result = carriedOver(settings, startingSettings(settings.backend, before),
                                        startingSettings(settings.backend, after), after);
    // A choice may rule out what the window begins with there.
    if (!unsupported(result, after).empty()) return forScene(settings, before, after, reason);
    return result;
}

}  // namespace rayscope
