#include "app/commands.h"
#include "renderer/base/say.h"
#include "renderer/lab/benchmark.h"

namespace rayscope {

int runBench(const ClimbOptions& options) {
    auto wished = wishOf(options);
    if (const auto* refusal = std::get_if<Refusal>(&wished)) return refuse(*refusal);
    ClimbWish& wish = std::get<ClimbWish>(wished);
    Machine machine = openMachine(devicesOf(options.device));
    if (const auto refusal = chooseBackend(options, machine, wish)) return refuse(*refusal);
    const auto found = findBenchmark(wish.preferred);
    if (!found) return refuse({1, found.reason()});
    const Ladder& benchmark = *found;
    const Renderer& renderer = wish.preferred == Backend::cuda ? *machine.cuda : *machine.cpu;

    RowText row;
    if (options.table()) {
        say("{}", benchmarkHead(benchmark, renderer.device(), wish));
        row = [&](const auto& results) {
            return benchmarkRow(benchmark, results, results.size() - 1);
        };
    }
    const Climbed climbed = climb(benchmark, machine, wish, row);
    const std::vector<RungResult>& results = climbed.results;
    if (row) say("{}", benchmarkFoot(benchmark, wish, results));
    return finishClimb(options, benchmark, benchmarkReport(benchmark, machine, wish, results),
                       climbed);
}

}  // namespace rayscope
