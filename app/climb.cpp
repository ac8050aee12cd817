#include "app/climb.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "app/progress.h"
#include "renderer/lab/run_ladder.h"

namespace rayscope {

std::variant<ClimbWish, Refusal> wishOf(const ClimbOptions& options) {
    ClimbWish wish;
    wish.seconds = options.seconds;
    if (!options.size.empty() && !parseSize(options.size, wish.width, wish.height)) {
        return Refusal{2, fmt::format("--size {} is not WIDTHxHEIGHT with sides from 1 to 16384",
                                      options.size)};
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
    return {};
}

std::vector<RungResult> climb(const Ladder& ladder, Machine& machine, const ClimbWish& wish,
                              const RowText& row) {
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
    return shown;
}

int finishClimb(const ClimbOptions& options, const Ladder& ladder, const nlohmann::json& report,
                const std::vector<RungResult>& results) {
    const Result<void> json = writeJson(options.json, report);
    const Result<void> csv = writeText(options.csv, csvOf(ladder, results));
    for (const auto* written : {&json, &csv}) {
        if (!*written) return refuse({1, written->reason()});
    }
    if (results.size() == ladder.rungs.size()) return 0;
    return refuse(
        {1, fmt::format("interrupted after {} of {} rungs", results.size(), ladder.rungs.size())});
}

}  // namespace rayscope
