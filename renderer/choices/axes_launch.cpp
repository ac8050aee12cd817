// The axes of the launch.

#include <fmt/format.h>

#include <array>

#include "renderer/choices/axis_rows.h"
#include "renderer/core/footprint.h"

namespace rayscope {

namespace {

/// Register caps that change how many blocks fit on a multiprocessor; 0 is no cap.
constexpr std::array kRegisterCaps{0, 32, 40, 48, 64, 80, 96, 128, 168};

struct Block {
    int x, y;
    bool operator==(const Block&) const = default;
};

/// From one warp to 1024 threads, square, wide and flat: the shapes of the stories.
constexpr std::array kBlocks{Block{8, 4},   Block{8, 8},   Block{16, 8},  Block{16, 16},
                             Block{32, 2},  Block{32, 4},  Block{32, 8},  Block{32, 16},
                             Block{64, 1},  Block{128, 1}, Block{160, 1}, Block{256, 1},
                             Block{1024, 1}};

/// Registers of a multiprocessor, on every CUDA device so far; allocated to whole blocks.
constexpr int kRegisters = 65536;
constexpr int kWarp = 32, kMostWarps = 64;  ///< threads; of a multiprocessor, since Pascal at most

std::vector<AxisValue> registerValues() {
    std::vector<AxisValue> values;
    for (int cap : kRegisterCaps) {
        const int warps = std::min(kRegisters / (kWarp * std::max(cap, 1)), kMostWarps);
        values.push_back(
            {std::to_string(cap), std::to_string(cap),
             fmt::format("Registers for {} warps at once on a multiprocessor.", warps)});
    }
    values.front() = {"none", "no cap", "The compiler takes as many as it likes, and spills none."};
    return values;
}

std::vector<AxisValue> blockValues() {
    std::vector<AxisValue> values;
    for (const Block& b : kBlocks) {
        const int width = std::min(b.x, kWarp), warps = b.x * b.y / kWarp;
        values.push_back(
            {fmt::format("{}x{}", b.x, b.y), fmt::format("{} x {}  ({})", b.x, b.y, b.x * b.y),
             fmt::format("{} warp{} of {} x {} threads. Small blocks end sooner, so that the next "
                         "may begin; large ones share more.",
                         warps, warps == 1 ? "" : "s", width, kWarp / width)});
    }
    return values;
}

constexpr AxisMember kBlock{
    [](const Settings& s) {
        const Block block{s.variant.blockX, s.variant.blockY};
        const auto found = std::find(kBlocks.begin(), kBlocks.end(), block);
        return found == kBlocks.end() ? 0 : static_cast<int>(found - kBlocks.begin());
    },
    [](Settings& s, int value) {
        s.variant.blockX = kBlocks[value].x;
        s.variant.blockY = kBlocks[value].y;
    }};

std::string tooManyRegisters(const Settings& s) {
    const Variant& v = s.variant;
    const int threads = v.blockX * v.blockY;
    if (v.maxRegisters * threads <= kRegisters) return {};
    return fmt::format("a block of {} threads has more than the {} registers of a multiprocessor",
                       threads, kRegisters);
}

}  // namespace

std::vector<Axis> launchAxes() {
    return {
        {.id = "block",
         .label = "Block",
         .help = "Threads of a block, width x height.",
         .story = "voxel-tracer, smallpt",
         .onCuda = true,
         .otherLacks = "a CPU has no blocks of threads",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kBlock,
         .values = blockValues()},
        {.id = "max_registers",
         .label = "Register cap",
         .help = "The most registers a thread may use: fewer let more warps "
                 "run at once, too few spill to memory.",
         .story = "smallpt",
         .onCuda = true,
         .otherLacks = "a CPU's thread always has all registers",
         .reader = Reader::compiler,
         .effect = Effect::nothing,
         .member = kListed<&Variant::maxRegisters, kRegisterCaps>,
         .values = registerValues(),
         .rules = {{.reason = tooManyRegisters, .remedies = {"max_registers=none", "block=32x4"}}}},
        {.id = "samples_as",
         .label = "Samples as",
         .help = "A thread takes the samples of its pixel one after the other, or each "
                 "sample has a thread and a warp the samples of one pixel.",
         .story = "voxel-tracer",
         .onCuda = true,
         .otherLacks = "a CPU has too few threads for one each sample",
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {followsWholePaths, "engine=megakernel or regeneration"},
         .member = kMember<&Variant::samplesAs>,
         .values =
             {{"loop", "loop in a thread",
               "A thread takes all samples of its pixel: neighbouring lanes are neighbouring "
               "pixels."},
              {"threads", "a thread each",
               "A thread for each sample: fills the GPU in small pictures; sums need atomics."}}},
        {.id = "film",
         .label = "Film sums",
         .help =
             "What GPU threads add to a pixel that they share: floats, in an order that varies, "
             "and the last bits with it; or integers, multiples of 2^-24, whose sum is the same "
             "in any order, so that a launch repeats to the bit.",
         .story = "beyond",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::numbers,
         .belongsTo = {[](const Settings& s) { return sharesPixels(s.variant); },
                       "samples_from=warp, samples_from=queue or samples_as=threads"},
         .member = kMember<&Variant::film>,
         .values = {{"atomic", "floats",
                     "Floats in any order: fast, the last bits vary from run to run."},
                    {"fixed", "fixed point",
                     "Multiples of 2^-24: repeats to the bit, one conversion a sample."}}},
        {.id = "order",
         .label = "Pixel order",
         .help = "Whether the 32 lanes of a warp (on the CPU: a thread's piece of "
                 "work) cover a row of pixels, a column or a compact tile.",
         .story = "voxel-tracer, business card",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) {
                           return s.backend == Backend::cpu ||
                                  (followsWholePaths(s) && s.variant.samplesAs == SamplesAs::loop);
                       },
                       "samples_as=loop"},
         .member = kMember<&Variant::order>,
         .values =
             {{"rows", "rows", "A warp covers a row: simple, rays differ along it."},
              {"columns", "columns",
               "A warp covers a column: as the first published program did; writes are scattered."},
              {"tiles", "tiles",
               "A warp covers a compact tile: rays go the same way. The best for caches and "
               "divergence."}}},
        {.id = "samples",
         .label = "Samples / launch",
         .help = "Samples a pixel that one launch traces; the window takes fewer where they "
                 "would not fit into a frame.",
         .story = "voxel-tracer",
         .kind = AxisKind::number,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::launch,
         .effect = Effect::nothing,
         .member = kMember<&Settings::samples>,
         .minimum = 1,
         .maximum = 1024},
        {.id = "pace",
         .label = "Frame",
         .help = "A frame of the window has as many launches as its time allows, or the same "
                 "number of them in every frame.",
         .story = "codeplay-tracy",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::host,
         .effect = Effect::nothing,
         .member = kMember<&Settings::pace>,
         .values = {{"fill", "filled",
                     "As many launches as the frame's time allows: the GPU never waits."},
                    {"fixed", "launches as set",
                     "A fixed number a frame, as in the published programs: gaps show in the "
                     "timeline."}}},
        {.id = "launches",
         .label = "Launches / present",
         .help = "Launches between two presented frames, as far as the "
                 "frame budget allows.",
         .story = "codeplay-tracy",
         .kind = AxisKind::number,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::host,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) { return s.pace == Pace::fixed; }, "pace=fixed"},
         .member = kMember<&Settings::launches>,
         .minimum = 1,
         .maximum = 64},
    };
}

}  // namespace rayscope
