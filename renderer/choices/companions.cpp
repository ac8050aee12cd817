// What a choice brings with it, so that every one can be had with one switch.

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

/// `needs` is set with `choice`, or only in place of `clash` where there is one.
struct Companion {
    std::string_view choice, clash, needs;
};

constexpr Companion kCompanions[] = {
    // the CPU, which scatters, keeps the list of paths
    {"engine=hybrid", "compaction=device", "compaction=host"},
    // camera rays are made in a kernel that traces and scatters
    {"kernels=separate", "ray_source=fused", "ray_source=kernel"},
    {"ray_source=fused", "kernels=separate", "kernels=fused_primary"},
    // references need structs
    {"access=reference", "", "state_layout=aos"},
    {"access=reference", "", "sample_layout=aos"},
    {"access=reference", "", "scene_layout=aos"},
    {"access=copy_state", "", "scene_layout=aos"},
    {"state_layout=soa", "access=reference", "access=copy_state"},
    {"sample_layout=float3", "access=reference", "access=copy_state"},
    {"sample_layout=split", "access=reference", "access=copy_state"},
    {"scene_layout=soa", "access=reference", "access=copy_all"},
    {"scene_layout=soa", "access=copy_state", "access=copy_all"},
    // what is copied back are arrays of the layout
    {"accumulate=host_samples", "", "sample_layout=aos"},
    {"accumulate=host_colour", "", "sample_layout=float3"},
    {"accumulate=host_split", "", "sample_layout=split"},
    {"sample_layout=aos", "accumulate=host_colour", "accumulate=host_samples"},
    {"sample_layout=aos", "accumulate=host_split", "accumulate=host_samples"},
    {"sample_layout=float3", "accumulate=host_samples", "accumulate=host_colour"},
    {"sample_layout=float3", "accumulate=host_split", "accumulate=host_colour"},
    {"sample_layout=split", "accumulate=host_samples", "accumulate=host_split"},
    {"sample_layout=split", "accumulate=host_colour", "accumulate=host_split"},
    // a hierarchy looks spheres up one by one; tiles are loaded by all threads of a block at once
    {"accel=bvh", "scene_memory=shared", "scene_memory=global"},
    {"accel=bvh", "scene_memory=baked", "scene_memory=global"},
    {"scene_memory=shared", "accel=bvh", "accel=brute"},
    {"scene_memory=baked", "accel=bvh", "accel=brute"},
    {"scene_memory=shared", "engine=regeneration", "engine=megakernel"},
    {"scene_memory=shared", "path=recursive", "path=loop"},
    {"scene_memory=shared", "path=stack", "path=loop"},
    {"engine=regeneration", "scene_memory=shared", "scene_memory=global"},
    {"path=recursive", "scene_memory=shared", "scene_memory=global"},
    {"path=stack", "scene_memory=shared", "scene_memory=global"},
};

bool holds(const Settings& settings, std::string_view assignment) {
    const Axis& axis = *findAxis(assignment.substr(0, assignment.find('=')));
    return valueOf(axis, settings) == assignment.substr(axis.id.size() + 1);
}

}  // namespace

void choose(Settings& settings, const Axis& axis, int value) {
    axis.set(settings, value);
    const std::string choice = std::string(axis.id) + "=" + valueOf(axis, settings);
    for (const Companion& c : kCompanions) {
        if (c.choice != choice) continue;
        if (c.clash.empty() || holds(settings, c.clash)) assign(settings, c.needs);
    }
}

void assignAll(Settings& settings, const std::vector<std::string>& assignments) {
    for (const std::string& assignment : assignments) {
        const Axis& axis = *findAxis(assignment.substr(0, assignment.find('=')));
        Settings alone = settings;
        assign(alone, assignment);
        choose(settings, axis, axis.get(alone));
    }
    for (const std::string& assignment : assignments) assign(settings, assignment);
}

}  // namespace rayscope
