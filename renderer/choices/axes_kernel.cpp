// The axes of the backend and of the kernel.

#include "renderer/choices/axis_rows.h"
#include "renderer/choices/sources.h"

namespace rayscope {

static std::string missingSource(const Settings& s) {
    if (s.source == kBuiltIn || !sourceFolder(s.source).empty()) return {};
    return s.source == kMine ? "nothing has been edited: Edit in the Code tab or --kernels DIR"
                             : "its folder is not known: --kernels NAME=DIR";
}

static constexpr char kNoTriangles[] =
    "this scene has triangles, which neither engine=hybrid nor packets tests";
static constexpr char kOwnBegin[] =
    "this scene has triangles, which a ray leaves on the side that its direction says";

std::vector<Axis> backendAxes() {
    return {
        {.id = "backend",
         .label = "Backend",
         .help = "Which processor traces the rays.",
         .story = "all",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::machine,
         .member = kMember<&Settings::backend>,
         .values = {{"cpu", "CPU",
                     "All cores trace, with vector instructions. It runs everywhere and waits for "
                     "no copies."},
                    {"cuda", "CUDA",
                     "An NVIDIA GPU traces: hundreds to thousands of times the rays of two cores, "
                     "once a launch fills it."}}},
        {.id = "compiler",
         .label = "Compiler",
         .help = "Which compiler makes the CPU's kernels.",
         .story = "business card",
         .onCpu = true,
         .otherLacks = "NVRTC compiles a GPU's kernels",
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .member = kMember<&Variant::compiler>,
         .values =
             {{"gcc", "g++",
               "GCC, which the prebuilt kernels were made with; mostly the faster for packets."},
              {"clang", "clang++",
               "Clang, which sometimes makes better vector code of loops over spheres."}}},
        {.id = "opt",
         .label = "Optimisation",
         .help = "The optimisation level that the compiler gets for the CPU's kernels; native is "
                 "-O2 without vector copies of records, or -O3 for packets, with this "
                 "processor's own instructions.",
         .story = "business card",
         .onCpu = true,
         .otherLacks = "NVRTC always optimises fully",
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .member = kMember<&Variant::opt>,
         .values = {{"O0", "-O0",
                     "No optimisation: every variable lies in memory. For debugging, and for the "
                     "start of the business card's story."},
                    {"O1", "-O1", "Variables in registers, little inlining: compiles fast."},
                    {"O2", "-O2",
                     "All that costs no code size: inlining and some vectors, without this "
                     "processor's own instructions."},
                    {"O3", "-O3",
                     "Like -O2, with more loops unrolled and made into vectors; seldom much faster "
                     "here."},
                    {"native", "own instructions",
                     "Uses every instruction of this processor, such as AVX2 or AVX-512; the "
                     "fastest nearly always."}}},
        {.id = "vectors",
         .label = "Vectors",
         .help = "How wide the vectors are that the compiler makes of loops, and how many spheres "
                 "are tested side by side: none, or registers of 128, 256 or 512 bits.",
         .story = "business card",
         .onCpu = true,
         .otherLacks = "a GPU's vectors are its warps",
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return !runsPackets(s) && s.variant.opt == Opt::native;
                       },
                       "opt=native and an engine other than packets"},
         .member = kMember<&Variant::vectors>,
         .values = {{"widest", "as wide as there are",
                     "The widest registers of this processor: the most spheres tested at once."},
                    {"scalar", "none", "One sphere at a time: shows what vectors are worth."},
                    {"128", "128 bits", "Four floats at a time, as SSE has."},
                    {"256", "256 bits",
                     "Eight floats at a time, as AVX2 has; can beat 512 bits where those lower the "
                     "clock."},
                    {"512", "512 bits",
                     "Sixteen floats at a time, as AVX-512 has; wins in scenes of many spheres "
                     "without a hierarchy."}}},
        {.id = "threads",
         .label = "Threads",
         .help = "How many CPU threads trace; 0 is one for each core.",
         .story = "business card",
         .kind = AxisKind::number,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::machine,
         .belongsTo = {[](const Settings& s) { return s.backend == Backend::cpu || runsHybrid(s); },
                       "backend=cpu or engine=hybrid"},
         .member = kMember<&Settings::threads>,
         .minimum = 0,
         .maximum = 512,
         .zero = "all"},
        {.id = "display",
         .label = "Display path",
         .help = "How the film reaches the screen: written by CUDA into the "
                 "OpenGL buffer, copied through pinned host memory, or written by the CPU.",
         .story = "codeplay-tracy",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::host,
         .effect = Effect::nothing,
         .member = kMember<&Settings::display>,
         .values =
             {{"interop", "interop",
               "CUDA writes into OpenGL's buffer, and nothing is copied: the fastest where the GPU "
               "also draws the window."},
              {"copy", "copy",
               "Pixels go through pinned host memory: needed where another GPU draws the window."},
              {"host", "host", "The CPU writes the pixels that OpenGL reads."}},
         .rules = {{.values = "interop|copy",
                    .clash = "backend=cpu",
                    .why = "the cpu backend writes host memory",
                    .remedies = {"display=host"}},
                   {.values = "host",
                    .clash = "backend=cuda",
                    .why = "the cuda backend writes device memory",
                    .remedies = {"display=copy"}}}},
        {.id = "code",
         .label = "Code",
         .help = "Whether kernels are loaded as machine code or as PTX, which the driver "
                 "translates first.",
         .story = "business card",
         .onCuda = true,
         .otherLacks = "a CPU's kernels are always machine code",
         .reader = Reader::host,
         .effect = Effect::nothing,
         .member = kMember<&Variant::code>,
         .values = {{"machine", "machine code", "Machine code for this very GPU: loads at once."},
                    {"ptx", "PTX",
                     "The driver translates PTX when the kernel is loaded: slower to load, and as "
                     "fast afterwards."}}},
        {.id = "source",
         .label = "Source",
         .help = "What kernels are compiled from: the sources that the program was built with, or "
                 "the files of a folder in their place.",
         .story = "beyond",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::picture,
         .belongsTo = {[](const Settings& s) { return s.source != kBuiltIn || anySourceFolder(); },
                       "--kernels, or Edit in the Code tab"},
         .member = kMember<&Settings::source>,
         .values = sourceValues(),
         .rules = {{.reason = missingSource, .remedies = {"source=built_in"}}}},
        {.id = "context",
         .label = "Context",
         .help = "Whether the wall clock of a rendering starts before the CUDA context is made "
                 "and stops when the picture is in host memory, or runs only while kernels do. "
                 "The viewer already has a context, so there it changes nothing.",
         .story = "business card",
         .onCuda = true,
         .otherLacks = "a CPU has no context to make",
         .reader = Reader::host,
         .effect = Effect::nothing,
         .member = kMember<&Settings::context>,
         .values = {{"before", "made before the clock",
                     "The clock leaves out what CUDA takes to start."},
                    {"inside", "inside the clock",
                     "The clock includes the start of CUDA, as the story's own figure does."}}},
    };
}

std::vector<Axis> kernelAxes() {
    return {
        {.id = "engine",
         .label = "Engine",
         .help = "How paths are scheduled: a thread follows a path to its end; or starts the next "
                 "sample as soon as one ends; or there is a kernel per stage, with paths in memory "
                 "in between; or the CPU scatters and the GPU finds the hits; or there is a path "
                 "in every lane of a CPU's vector registers.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kMember<&Variant::engine>,
         .values = {{"megakernel", "megakernel",
                     "One kernel follows a path to its end. Simple, with everything in registers; "
                     "lanes whose paths ended wait for the longest."},
                    {"regeneration", "regeneration",
                     "A lane starts its next sample as soon as its path ends. Wins where the "
                     "lengths of paths differ much."},
                    {"wavefront", "wavefront",
                     "A kernel for each stage, with paths in memory in between. Wins where stages "
                     "are large and differ, but moves many bytes."},
                    {"hybrid", "CPU and GPU",
                     "The GPU finds hits and the CPU scatters: how the published story began. "
                     "Copies make it slow."},
                    {"packets", "packets",
                     "8 or 16 paths share vector registers: on a CPU three to five times as fast "
                     "as single paths in scenes of spheres."}},
         .rules = {{.values = "hybrid",
                    .clash = "backend=cpu",
                    .why = "it needs a GPU",
                    .remedies = {"backend=cuda"}},
                   {.values = "packets",
                    .clash = "backend=cuda",
                    .why = "it needs the vector registers of a CPU",
                    .remedies = {"backend=cpu"}},
                   {.values = "packets",
                    .clash = "precision=double",
                    .why = "its lanes have single precision",
                    .remedies = {"precision=float", "engine=megakernel"}},
                   {.values = "packets",
                    .clash = "scene_layout=aos",
                    .why = "lanes look up one component at a time",
                    .remedies = {"scene_layout=soa", "engine=megakernel"}},
                   {.values = "packets",
                    .clash = "accel=bvh4",
                    .why = "a packet walks only a binary hierarchy",
                    .remedies = {"accel=bvh", "engine=megakernel"}},
                   {.values = "hybrid|packets",
                    .reasonInScene = withTriangles<kNoTriangles>,
                    .remedies = {"engine=megakernel"}}}},
        {.id = "path",
         .label = "Path",
         .help = "How a path is followed: a function that calls itself, an explicit stack of "
                 "vertices, or a loop that carries the throughput.",
         .story = "smallpt, business card",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = kMegakernel,
         .member = kMember<&Variant::path>,
         .values = {{"recursive", "recursion",
                     "Each bounce is a call, as in textbooks: a large stack, and much traffic to "
                     "memory on a GPU."},
                    {"stack", "explicit stack",
                     "Vertices are noted on an explicit stack and added up backwards: no calls, "
                     "but still memory."},
                    {"loop", "loop",
                     "Throughput is carried forward and nothing is noted: the least memory, mostly "
                     "the fastest."}}},
        {.id = "regeneration",
         .label = "Regeneration",
         .help = "A thread stops after its quota of samples, or, as published, after a budget of "
                 "rays: the light of the path it leaves unfinished counts, the sample does not, "
                 "and the picture is too bright.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::picture,
         .belongsTo = kRegeneration,
         .member = kMember<&Variant::regeneration>,
         .values = {{"quota", "sample quota",
                     "Each thread traces a fixed number of samples: the picture is right."},
                    {"budget", "ray budget (biased)",
                     "Each thread traces a fixed number of rays and drops the sample under way, as "
                     "was published: all threads end together, but the picture is too bright."}}},
        {.id = "samples_from",
         .label = "Samples from",
         .help = "A lane whose path ends takes the next sample of its own pixel, or of any of its "
                 "warp's 32 pixels, so that no lane waits for a pixel with longer paths; or warps "
                 "take pixels and samples from a queue, so that no warp waits either.",
         .story = "beyond",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kRegeneration,
         .member = kMember<&Variant::samplesFrom>,
         .values =
             {{"pixel", "the lane's pixel",
               "A lane stays with its pixel: no atomics, but it idles when its pixel is done."},
              {"warp", "the warp's pixels",
               "Lanes of a warp share the samples of 32 pixels: wins where neighbouring pixels "
               "differ."},
              {"queue", "a queue of pieces",
               "Warps take pixels from a queue: wins where parts of the picture differ, as sky and "
               "glass do."}},
         .rules = {{.values = "warp",
                    .clash = "backend=cpu",
                    .why = "a thread of backend=cpu shares its samples with no other lanes",
                    .remedies = {"samples_from=queue", "samples_from=pixel"}},
                   {.values = "warp|queue",
                    .clash = "samples_as=threads",
                    .why = "a thread of a single sample takes no other",
                    .remedies = {"samples_as=loop", "samples_from=pixel"}},
                   {.values = "warp|queue",
                    .clash = "regeneration=budget",
                    .why = "a budget of rays belongs to a pixel",
                    .remedies = {"regeneration=quota", "samples_from=pixel"}}}},
        {.id = "begin",
         .label = "Rays begin",
         .help = "Camera rays and scattered rays have separate code, which a warp runs one after "
                 "the other; or both start by one formula.",
         .story = "beyond",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = kRegeneration,
         .member = kMember<&Variant::begin>,
         .values =
             {{"branch", "a branch each",
               "A branch for camera rays and one for scattered rays: each is short, but a warp may "
               "run both."},
              {"merged", "one formula",
               "One formula starts both kinds: a little more arithmetic, and no divergence."}},
         .rules = {{.values = "merged",
                    .clash = "material_dispatch=branch",
                    .why = "the formula is that of all materials",
                    .remedies = {"material_dispatch=single", "begin=branch"}},
                   {.values = "merged",
                    .clash = "sampling=rejection",
                    .why = "the formula takes two random numbers, rejection any number",
                    .remedies = {"sampling=closed_form", "begin=branch"}},
                   {.values = "merged",
                    .clash = "samples_as=threads",
                    .why = "a thread of a single sample makes its camera ray first",
                    .remedies = {"samples_as=loop", "begin=branch"}},
                   {.values = "merged",
                    .clash = "regeneration=budget",
                    .why = "a budget of rays may end between a hit and the next ray",
                    .remedies = {"regeneration=quota", "begin=branch"}},
                   {.values = "merged",
                    .reasonInScene = withTriangles<kOwnBegin>,
                    .remedies = {"begin=branch"}}}},
        {.id = "precision",
         .label = "Precision",
         .help = "The floating-point type of all geometry and light.",
         .story = "smallpt",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::numbers,
         .member = kMember<&Variant::precision>,
         .values = {{"double", "double",
                     "53 bits: exact for huge scenes, but a GPU for games does 1/64 as many "
                     "operations, a CPU half."},
                    {"float", "float",
                     "24 bits: enough for these scenes, and the fastest everywhere."}}},
        {.id = "math",
         .label = "Maths",
         .help = "Exact divisions, roots and library functions; the fast device functions "
                 "called by name; or those and --use_fast_math for the whole kernel. On a CPU fast "
                 "is -ffast-math with contraction: sums in any order, reciprocals for divisions; "
                 "infinities and NaN stay.",
         .story = "business card",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .member = kMember<&Variant::math>,
         .values = {{"precise", "precise", "Divisions and roots as IEEE 754 has them."},
                    {"intrinsics", "intrinsics",
                     "Fast device functions, such as __fdividef, where the code names them: the "
                     "rest stays exact."},
                    {"fast", "fast math",
                     "All of the kernel with fast maths: the fewest instructions, the last bits "
                     "differ."}},
         .rules = {{.values = "intrinsics",
                    .clash = "backend=cpu",
                    .why = "backend=cpu has no device functions",
                    .remedies = {"math=precise"}}}},
        {.id = "sampling",
         .label = "Sampling",
         .help = "Points on spheres and disks are drawn in a loop until one lies inside, "
                 "or by a formula without one.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::paths,
         .member = kMember<&Variant::sampling>,
         .values = {{"rejection", "rejection",
                     "Draws until a point lies inside: cheap on average, but a warp waits for its "
                     "unluckiest lane."},
                    {"closed_form", "closed form",
                     "One formula with sine and cosine: the same work for every lane."}},
         .rules = {{.values = "rejection",
                    .clash = "engine=packets",
                    .why = "in engine=packets all lanes would draw until the last has a point",
                    .remedies = {"sampling=closed_form", "engine=megakernel"}}}},
        {.id = "material_dispatch",
         .label = "Materials",
         .help = "A branch for each material, which the lanes of a warp take one after the other, "
                 "or one formula that fits them all.",
         .story = "voxel-tracer",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) { return !runsPackets(s); },
                       "an engine other than packets"},
         .member = kMember<&Variant::dispatch>,
         .values = {{"branch", "a branch each",
                     "Only the code of the material that was hit; lanes with different materials "
                     "take turns."},
                    {"single", "one formula",
                     "One formula for all materials: more arithmetic, no divergence. Wins where "
                     "materials are mixed."}}},
        {.id = "random",
         .label = "Random state",
         .help = "One per path; one per row, which on the CPU runs on from pixel to pixel and on "
                 "the GPU gives all of the row's pixels the same noise; or one shared by all "
                 "threads, behind a lock on the CPU, racing on the GPU. The latter two give wrong "
                 "pictures on the GPU.",
         .story = "business card",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::paths,
         .belongsTo = kMegakernel,
         .member = kMember<&Variant::random>,
         .values = {{"per_path", "one a path",
                     "Each path has a generator of its own: independent, repeatable, no sharing."},
                    {"per_row", "one a row (GPU: wrong)",
                     "A row shares a generator, as in the business card's first program; on a GPU "
                     "all its pixels get the same noise."},
                    {"shared", "shared (GPU: wrong)",
                     "All threads share one: a lock on the CPU, a race on the GPU. It shows why "
                     "nobody should."}}},
        {.id = "generator",
         .label = "Random numbers",
         .help = "PCG permutes the bits of its linear congruential generator; LCG uses the upper "
                 "bits as they are.",
         .story = "beyond",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::compiler,
         .effect = Effect::paths,
         .belongsTo = {[](const Settings& s) {
                           return !runsMegakernel(s) || s.variant.random == Random::perPath;
                       },
                       "random=per_path"},
         .member = kMember<&Variant::numbers>,
         .values = {{"pcg", "PCG", "PCG: a few more instructions, good numbers in every bit."},
                    {"lcg", "LCG",
                     "The bare linear congruential generator: fewer instructions, weak low bits, "
                     "which are not used."}}},
    };
}

std::vector<Axis> packetAxes() {
    return {
        {.id = "lanes",
         .label = "Lanes",
         .help = "How many paths a vector register holds: 16 with AVX-512, 8 with AVX2.",
         .story = "lanes",
         .onCpu = true,
         .otherLacks = "packets need the vector registers of a CPU",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kPackets,
         .member = kMember<&Variant::lanes>,
         .values = {{"widest", "as many as there are",
                     "As many as this processor's registers hold."},
                    {"8", "8 (AVX2)", "Eight lanes of 256 bits: less waiting within a packet."},
                    {"16", "16 (AVX-512)",
                     "Sixteen lanes of 512 bits: the most rays an instruction."}}},
        {.id = "lane_refill",
         .label = "Refill lanes",
         .help = "A lane whose path ends starts the next sample at once, instead of waiting for "
                 "the longest path of its packet.",
         .story = "lanes",
         .kind = AxisKind::toggle,
         .onCpu = true,
         .otherLacks = "packets need the vector registers of a CPU",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kPackets,
         .member = kMember<&Variant::laneRefill>,
         .values =
             {{"off", "off", "Lanes of ended paths wait for the packet's longest path."},
              {"on", "on",
               "An ended path is replaced at once: wins where the lengths of paths differ."}}},
        {.id = "lanes_take",
         .label = "Lanes take",
         .help = "What a free lane takes: a camera ray, or the hit of one. Camera rays of "
                 "neighbouring pixels go the same way; traced first, a packet at a time, they fill "
                 "their packets, and those that miss never take a lane. Without a sky few miss, "
                 "and a lane whose path ends at a light would be idle for one search.",
         .story = "lanes",
         .onCpu = true,
         .otherLacks = "packets need the vector registers of a CPU",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = kPackets,
         .member = kMember<&Variant::lanesTake>,
         .values = {{"rays", "camera rays",
                     "A free lane starts a camera ray beside scattered ones."},
                    {"hits", "hits of camera rays",
                     "Camera rays are traced a packet at a time first, and lanes take only those "
                     "that hit: wins under a sky."}}},
        {.id = "scan",
         .label = "Scan",
         .help = "A packet tests each sphere to the end, or first lists, without branches, the "
                 "spheres that any of its rays may hit. Spheres in a row, consecutive and with "
                 "equal y and z, share that part of the test.",
         .story = "lanes",
         .onCpu = true,
         .otherLacks = "packets need the vector registers of a CPU",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) { return runsPackets(s) && !walksBvh(s); },
                       "engine=packets and accel=brute"},
         .member = kMember<&Variant::scan>,
         .values = {{"each", "each sphere",
                     "Each sphere is tested to the end: best for few spheres."},
                    {"listed", "list first",
                     "A cheap test lists candidates first: wins where most spheres are missed."},
                    {"rows", "list by rows",
                     "Like list first, and spheres in a row share work: wins in scenes made of "
                     "rows of voxels, as vt9 is."}}},
    };
}

}  // namespace rayscope
