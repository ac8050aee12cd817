// The axes of scenes that move.

#include <fmt/format.h>

#include <array>

#include "renderer/choices/axis_rows.h"

namespace rayscope {

namespace {

constexpr std::array kBodyTiles{32, 64, 128, 256, 512};

std::vector<AxisValue> bodyTileValues() {
    std::vector<AxisValue> values;
    for (int tile : kBodyTiles)
        values.push_back({std::to_string(tile), fmt::format("{} bodies", tile),
                          fmt::format("A block loads {} at a time: large tiles wait less often, "
                                      "small ones leave memory for more blocks.",
                                      tile)});
    return values;
}

constexpr Belonging kMoving{[](const Settings& s) { return s.moves; }, "a scene that moves"};

}  // namespace

std::vector<Axis> simulationAxes() {
    return {
        {.id = "forces",
         .label = "Forces",
         .help = "How the attraction of all bodies is summed: each thread reads every body, with "
                 "a root and a division; or blocks share tiles of bodies; or several blocks also "
                 "share a body's sum; or a thread has several bodies, too.",
         .story = "codeplay-tracy",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::simulation,
         .effect = Effect::nothing,
         .belongsTo = kMoving,
         .member = kMember<&Settings::forces>,
         .values = {{"untiled", "untiled",
                     "Each thread reads every body from memory: simple, caches do the work."},
                    {"tiled", "tiled",
                     "Blocks share tiles of bodies in shared memory: a fraction of the reads."},
                    {"slices", "tiles in slices",
                     "Several blocks share a body's sum: fills a GPU with few bodies."},
                    {"registers", "several bodies a thread",
                     "A thread sums for several bodies at once: the fewest reads a body."}},
         .rules = {{.values = "tiled|slices",
                    .clash = "backend=cpu",
                    .why = "tiles are for the shared memory of a GPU",
                    .remedies = {"backend=cuda", "forces=registers"}}}},
        {.id = "body_tile",
         .label = "Bodies / tile",
         .help = "Bodies that a block copies to shared memory at a time, and threads of the "
                 "block.",
         .story = "codeplay-tracy",
         .onCuda = true,
         .otherLacks = "a CPU has no shared memory",
         .reader = Reader::simulation,
         .effect = Effect::nothing,
         .belongsTo = {[](const Settings& s) { return s.moves && s.forces != Forces::untiled; },
                       "a scene that moves and forces=tiled, slices or registers"},
         .member = kListed<&Settings::bodyTile, kBodyTiles>,
         .values = bodyTileValues()},
        {.id = "body_layout",
         .label = "Body layout",
         .help = "Position and mass of a body side by side, or an array of each component.",
         .story = "codeplay-tracy",
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::simulation,
         .effect = Effect::nothing,
         .belongsTo = kMoving,
         .member = kMember<&Settings::bodyLayout>,
         .values = {{"aos", "array of structs",
                     "Position and mass side by side: one 16-byte load."},
                    {"soa", "struct of arrays", "An array a component: vector loads on a CPU."}}},
        {.id = "steps",
         .label = "Steps / present",
         .help = "Steps of the simulation between two presented frames.",
         .story = "codeplay-tracy",
         .kind = AxisKind::number,
         .onCpu = true,
         .onCuda = true,
         .reader = Reader::host,
         .effect = Effect::nothing,
         .belongsTo = kMoving,
         .member = kMember<&Settings::steps>,
         .minimum = 1,
         .maximum = 10},
    };
}

}  // namespace rayscope
