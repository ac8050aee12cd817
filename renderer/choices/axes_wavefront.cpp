// The axes of the engines that keep paths in memory between their stages.

#include "renderer/choices/axis_rows.h"

namespace rayscope {

namespace {

constexpr Belonging kStages{[](const Settings& s) { return runsWavefront(s) || runsHybrid(s); },
                            "engine=wavefront or hybrid"};

constexpr Belonging kCopies{[](const Settings& s) {
                                const Variant& v = s.variant;
                                return runsHybrid(s) ||
                                       (runsWavefront(s) && (v.raySource == RaySource::host ||
                                                             v.accumulate != Accumulate::device ||
                                                             v.compaction == Compaction::host));
                            },
                            "engine=hybrid, or a wavefront that copies to or from the CPU"};

std::string texturedMaterials(const Settings&, const Scene& scene) {
    if ((traitsOf(scene).features & kTextures) == 0) return {};
    return "it refers to the material, whose colour depends on a texture in this scene";
}

std::string listOfHost(const Settings& s) {
    return runsWavefront(s) && s.backend == Backend::cuda
               ? "the CPU keeps the list of live paths in an order of its own"
               : "";
}

/// Samples are copied to the CPU in the layout that they have.
std::vector<Rule> accumulateRules() {
    const auto rule = [](std::string_view values, std::string_view clash, std::string_view why,
                         std::string_view layout, std::string_view accumulate) {
        return Rule{.values = values, .clash = clash, .why = why, .remedies = {layout, accumulate}};
    };
    constexpr std::string_view kStructs = "structs are copied back",
                               kOne = "one array is copied back",
                               kThree = "three arrays are copied back";
    return {
        rule("host_samples", "sample_layout=float3", kStructs, "sample_layout=aos",
             "accumulate=host_colour"),
        rule("host_samples", "sample_layout=split", kStructs, "sample_layout=aos",
             "accumulate=host_split"),
        rule("host_colour", "sample_layout=aos", kOne, "sample_layout=float3",
             "accumulate=host_samples"),
        rule("host_colour", "sample_layout=split", kOne, "sample_layout=float3",
             "accumulate=host_split"),
        rule("host_split", "sample_layout=aos", kThree, "sample_layout=split",
             "accumulate=host_samples"),
        rule("host_split", "sample_layout=float3", kThree, "sample_layout=split",
             "accumulate=host_colour"),
    };
}

}  // namespace

std::vector<Axis> wavefrontAxes() {
    return {
        {.id = "ray_source",
         .label = "Camera rays",
         .help = "Made by the CPU and copied to the device, by a kernel of their own, or by the "
                 "kernel that traces them.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kWavefront,
         .member = kMember<&Variant::raySource>,
         .values =
             {{"host", "by the CPU",
               "The CPU makes them and copies them over: how the story began. The bus is the "
               "limit."},
              {"kernel", "own kernel",
               "A kernel writes camera rays to memory, and the next reads them."},
              {"fused", "fused",
               "The kernel that traces them makes them: saves writing and reading every ray."}},
         .rules = {{.values = "host",
                    .clash = "backend=cpu",
                    .why = "with backend=cpu all stages run on the CPU",
                    .remedies = {"ray_source=kernel"}},
                   {.values = "fused",
                    .clash = "kernels=separate",
                    .why = "camera rays are made in a kernel that traces and scatters",
                    .remedies = {"kernels=fused_primary", "ray_source=kernel"}}}},
        {.id = "kernels",
         .label = "Stages",
         .help = "Finding a hit and scattering there are two kernels, one kernel for camera rays, "
                 "or one kernel for all rays.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kWavefront,
         .member = kMember<&Variant::stages>,
         .values = {{"separate", "separate",
                     "Finding hits and scattering are two kernels: each uses fewer registers."},
                    {"fused_primary", "camera rays fused",
                     "One kernel for camera rays, two for the rest: saves the first and largest "
                     "round trip."},
                    {"fused", "fused",
                     "One kernel for both: the fewest bytes, the most registers."}}},
        {.id = "compaction",
         .label = "Compaction",
         .help = "Paths that have ended keep their slots, or a list of the live ones is "
                 "kept: by the CPU, or in a queue on the device.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kStages,
         .member = kMember<&Variant::compaction>,
         .values = {{"off", "off",
                     "Ended paths keep their slots: no overhead, but ever more idle lanes."},
                    {"host", "by the CPU",
                     "The CPU lists the live paths: needs copies at each depth on a GPU."},
                    {"device", "by a queue",
                     "A queue of live paths on the GPU: full warps at every depth for one atomic a "
                     "warp."}},
         .rules = {{.values = "device",
                    .clash = "backend=cpu",
                    .why = "there is no device on the cpu backend",
                    .remedies = {"compaction=host"}},
                   {.values = "device",
                    .clash = "engine=hybrid",
                    .why = "engine=hybrid scatters on the CPU, which keeps the list",
                    .remedies = {"compaction=host"}}}},
        {.id = "ray_order",
         .label = "Ray order",
         .help = "Before each depth but the first the live paths are sorted by where their rays "
                 "begin and where they go, so that the rays of a warp visit the same parts of "
                 "the hierarchy.",
         .story = "triangles",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return runsWavefront(s) && s.variant.accel != Accel::brute;
                       },
                       "engine=wavefront and a hierarchy or a grid"},
         .member = kMember<&Variant::rayOrder>,
         .values = {{"none", "not sorted", "Paths stay where they are: no time for sorting."},
                    {"origin", "by origin, then octant",
                     "Sorted by where rays begin: wins in large scenes whose nodes do not fit into "
                     "caches."},
                    {"octant", "by octant, then origin",
                     "Sorted by direction first: wins where rays start close together."}},
         .rules = {{.values = "origin|octant",
                    .clash = "compaction=host",
                    .reason = listOfHost,
                    .remedies = {"compaction=device", "ray_order=none"}}}},
        {.id = "material_order",
         .label = "Material order",
         .help = "Before hits scatter they are sorted by the kind of their material, so that the "
                 "lanes of a warp take one branch.",
         .story = "weekend",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kWavefront,
         .member = kMember<&Variant::materialOrder>,
         .values = {{"none", "not sorted", "Hits scatter in the order in which they were found."},
                    {"sorted", "sorted",
                     "Hits of one kind of material stand together: wins where materials are "
                     "expensive and differ."}},
         .rules = {{.values = "sorted",
                    .clash = "kernels=fused",
                    .why = "a kernel that finds a hit scatters there at once",
                    .remedies = {"kernels=separate", "material_order=none"}},
                   {.values = "sorted",
                    .clash = "compaction=host",
                    .reason = listOfHost,
                    .remedies = {"compaction=device", "material_order=none"}}}},
        {.id = "state_layout",
         .label = "Rays and hits",
         .help = "Rays and hits between the stages as arrays of structs or as one array a "
                 "component.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kWavefront,
         .member = kMember<&Variant::stateLayout>,
         .values = {{"aos", "array of structs",
                     "A ray's or hit's members side by side: one place for each, but lanes read "
                     "with gaps."},
                    {"soa", "struct of arrays",
                     "An array for each component: lanes of a warp read neighbouring bytes."}}},
        {.id = "record",
         .label = "Records",
         .help = "Wide: a hit carries its position and normal. Compact: only distance "
                 "and sphere, the rest is computed again.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kStages,
         .member = kMember<&Variant::record>,
         .values = {{"wide", "wide (28 + 32 B)",
                     "A hit brings its position and normal: more bytes, less arithmetic."},
                    {"compact", "compact (24 + 8 B)",
                     "Only distance and sphere; the rest is computed again: fewer bytes, mostly "
                     "faster."}}},
        {.id = "sample_layout",
         .label = "Samples",
         .help = "Radiance and throughput of a path as one struct, as two arrays of three floats "
                 "or as six arrays.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kWavefront,
         .member = kMember<&Variant::sampleLayout>,
         .values = {{"aos", "one struct", "Radiance and throughput as one struct."},
                    {"float3", "2 x float3",
                     "Two arrays of three floats: what is not needed is not read."},
                    {"split", "6 x float",
                     "Six arrays of floats: lanes read neighbouring bytes."}}},
        {.id = "access",
         .label = "Access",
         .help = "Stages use rays, hits and samples through references into global memory, copy "
                 "them into local variables, or copy the material too.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = kWavefront,
         .member = kMember<&Variant::access>,
         .values = {{"reference", "references",
                     "Stages work in global memory: every use is a load, as in the story's first "
                     "version."},
                    {"copy_state", "state copied",
                     "Rays, hits and samples are copied to registers first: fewer loads."},
                    {"copy_all", "all copied",
                     "The material, too, is copied: no load is repeated."}},
         .rules = {{.values = "reference",
                    .clash = "state_layout=soa",
                    .why = "references need structs",
                    .remedies = {"state_layout=aos", "access=copy_state"}},
                   {.values = "reference",
                    .clash = "sample_layout=float3|split",
                    .why = "references need structs",
                    .remedies = {"sample_layout=aos", "access=copy_state"}},
                   {.values = "reference|copy_state",
                    .clash = "scene_layout=soa",
                    .why = "it refers to the material, which needs structs",
                    .remedies = {"scene_layout=aos", "access=copy_all"}},
                   {.values = "reference|copy_state",
                    .reasonInScene = texturedMaterials,
                    .remedies = {"access=copy_all"}}}},
        {.id = "accumulate",
         .label = "Accumulate",
         .help =
             "Where samples are summed: on the device, or on the CPU, to which whole samples or "
             "only their colours (in one array or three) are copied after every launch.",
         .story = "voxel-tracer",
         .onCuda = true,
         .otherLacks = "a CPU adds samples up where they are",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kWavefront,
         .member = kMember<&Variant::accumulate>,
         .values = {{"host_samples", "CPU, whole samples",
                     "Whole samples are copied to the CPU, which adds them: the most bytes."},
                    {"host_colour", "CPU, colour", "Only colours are copied: half the bytes."},
                    {"host_split", "CPU, 3 arrays",
                     "Colours as three arrays: for samples that lie so."},
                    {"device", "device", "Summed where they are: nothing is copied."}},
         .rules = accumulateRules()},
        {.id = "host_memory",
         .label = "Host memory",
         .help = "Whether what is copied to and from the device lies in ordinary "
                 "(pageable) or in page-locked (pinned) memory.",
         .story = "voxel-tracer",
         .onCuda = true,
         .otherLacks = "nothing is copied to a CPU, or from it",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kCopies,
         .member = kMember<&Settings::hostMemory>,
         .values = {{"pageable", "pageable",
                     "Ordinary memory: the driver copies it once more on the way."},
                    {"pinned", "pinned",
                     "Page-locked memory: copies run at the bus's full speed."}}},
    };
}

}  // namespace rayscope
