#include "renderer/devices/starting.h"

#include <algorithm>

#include "renderer/choices/axes.h"
#include "renderer/cpu/builds.h"

namespace rayscope {

namespace {

Settings byFastestEngine(const Settings& settings, const Scene& scene) {
    const Settings defaults = defaultSettings(settings.backend, scene);
    if (settings.backend != Backend::cpu || widestPackets() == 0) return settings;
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

}  // namespace

Settings startingSettings(Backend backend, const Scene& scene) {
    return byFastestEngine(defaultSettings(backend, scene), scene);
}

Settings switchedTo(Backend backend, const Settings& settings, const Scene& scene) {
    if (settings.backend == backend) return settings;
    return byFastestEngine(withBackend(settings, backend, scene), scene);
}

}  // namespace rayscope
