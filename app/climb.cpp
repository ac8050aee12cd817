#include "app/climb.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/lab/run_ladder.h"

namespace rayscope {

std::variant<ClimbWish, Refusal> wishOf(const ClimbOptions& options) {
    ClimbWish wish;
    wish.seconds = options.seconds;
    if (!options.size.empty() && !parseSize(options.size, wish.width, wish.height)) {
        return Refusal{2, wrongSize(options.size)};
    }
    return wish;
}

std::optional<Refusal> chooseBackend(const ClimbOptions& options, const Machine& machine,
                                     ClimbWish& wish) {
    wish.preferred = machine.best();
    if (options.backend != "auto") {
        wish.only = options.backend == "cpu" ? Backend::cpu : Backend::cuda;
        wish.preferred = *wish.only;
    }
    if (wish.only == Backend::cuda && !machine.cuda) return Refusal{1, machine.noCuda};
    return checkDevice(options.device, options.backend, machine.noCuda);
}

Climbed climb(const Ladder& ladder, Machine& machine, const ClimbWish& wish, const RowText& row) {
    LadderRun run(ladder, machine, wish);
    std::vector<RungResult> shown;
    play(run, ladder.name, [&] {
        std::string text;
        while (shown.size() < run.results().size()) {
            shown.push_back(run.results()[shown.size()]);
            if (row) text += row(shown);
        }
        return text;
    });
    return {std::move(shown), run.problem()};
}

int finishClimb(const ClimbOptions& options, const Ladder& ladder, nlohmann::json report,
                const Climbed& climbed) {
    const std::vector<RungResult>& results = climbed.results;
    Outcome outcome;
    outcome.problem = climbed.problem;
    outcome.measured = std::any_of(results.begin(), results.end(),
                                   [](const RungResult& r) { return r.problem.empty(); });
    for (const RungResult& result : results) {
        if (outcome.why.empty()) outcome.why = result.problem;
    }
    if (results.size() < ladder.rungs.size())
        outcome.interrupted =
            fmt::format("after {} of {} rungs", results.size(), ladder.rungs.size());
    outcome.report = std::move(report);
    outcome.csv = csvOf(ladder, results);
    return finish(options.json, options.csv, outcome);
}

}  // namespace rayscope
