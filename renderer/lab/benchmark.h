#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/lab/run_ladder.h"

// The fixed benchmark: a ladder for each backend, assets/benchmark/*.json. The first rung of a
// scene has the defaults, the last one the best settings known.

namespace rayscope {

/// The benchmark of a backend.
Result<Ladder> findBenchmark(Backend backend);

/// What machines are compared by: geometric means over the scenes, in rays a second.
struct BenchmarkScore {
    double best = 0, defaults = 0;
    int scenes = 0;
    DeviceInfo device;
    bool throttled = false;
};

/// The score, or the reason why there is none: rows that are missing or show another picture. Where
/// the machine does not have the best settings, the best that it has count.
Result<BenchmarkScore> scoreOf(const Ladder& benchmark, const std::vector<RungResult>& results);

/// One line to be passed on, the same for the same numbers: "Rayscope 0.1.0 bench: NVIDIA H200,
/// driver 580.159.04: score 29.9 G rays/s (geometric mean of 5 scenes, best settings), defaults
/// 19.2". It names the size where that is not the benchmark's.
std::string shareLine(const Ladder& benchmark, const ClimbWish& wish, const BenchmarkScore& score);

/// The lines of the table before its rows: the device and the columns.
std::string benchmarkHead(const Ladder& benchmark, const DeviceInfo& device, const ClimbWish& wish);

/// The row of results[i].
std::string benchmarkRow(const Ladder& benchmark, const std::vector<RungResult>& results, size_t i);

/// Marks, conditions, and the line to be passed on or why there is none.
std::string benchmarkFoot(const Ladder& benchmark, const ClimbWish& wish,
                          const std::vector<RungResult>& results);

/// The report of the ladder with the score.
nlohmann::json benchmarkReport(const Ladder& benchmark, const Machine& machine,
                               const ClimbWish& wish, const std::vector<RungResult>& results);

}  // namespace rayscope
