#include "renderer/code/carried_kernels.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "renderer/choices/sources.h"
#include "renderer/code/patch.h"

namespace rayscope {

Result<void> writePatched(const std::string& folder, std::string_view patch) {
    const auto sources = patched(embeddedKernelSources(), patch);
    if (!sources) return sources.failure();
    for (const std::string& name : filesOfPatch(patch)) {
        std::error_code error;
        if (std::filesystem::exists(std::filesystem::path(folder) / name, error))
            return Failure{fmt::format("{} is in {} already", name, folder)};
    }
    return writeKernelSources(folder, *sources);
}

SetAside setAside(State& state) {
    SetAside aside;
    const auto take = [&](Settings& settings, std::string& of) {
        const int source = settings.source;
        if (source == kBuiltIn) return;
        const std::string& name = sourceValues()[static_cast<size_t>(source)].id;
        const auto patch = state.patches.find(name);
        const bool own = !sourceFolder(source).empty();
        if (own && (patch == state.patches.end() ||
                    patch->second == patchOf(embeddedKernelSources(), kernelSources(source))))
            return;
        if (patch != state.patches.end()) aside.patches.insert(*patch);
        settings.source = kBuiltIn;
        aside.name = of = name;
    };
    take(state.settings, aside.ofB);
    if (state.pinned) take(state.pinned->settings, aside.ofA);
    state.patches.clear();
    return aside;
}

State withPatches(State state) {
    state.patches.clear();
    const auto add = [&](const Settings& settings) {
        if (settings.source == kBuiltIn || sourceFolder(settings.source).empty()) return;
        std::string patch = patchOf(embeddedKernelSources(), kernelSources(settings.source));
        if (patch.empty() || !fitsState(patch)) return;
        const size_t source = static_cast<size_t>(settings.source);
        state.patches[sourceValues()[source].id] = std::move(patch);
    };
    add(state.settings);
    if (state.pinned) add(state.pinned->settings);
    return state;
}

}  // namespace rayscope
