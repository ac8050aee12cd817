#include "app/climb.h"
#include "app/commands.h"
#include "renderer/base/say.h"
#include "renderer/lab/run_ladder.h"
#include "renderer/lab/studies.h"

namespace rayscope {

namespace {

int list() {
    for (const std::string& name : ladderNames()) {
        const auto ladder = findLadder(name);
        if (!ladder) return refuse({1, ladder.reason()});
        say("{:<18} {:>2} rungs  {}\n", name, ladder->rungs.size(), ladder->title);
    }
    return 0;
}

/// Compares pairs of rungs instead of measuring rungs.
int study(const LadderOptions& options, const Ladder& ladder, Machine& machine,
          const ClimbWish& climbWish) {
    const LadderStudy kind = options.study == "steps"     ? LadderStudy::steps
                             : options.study == "add-one" ? LadderStudy::addOne
                                                          : LadderStudy::leaveOneOut;
    const auto made = ladderStudy(ladder, kind, climbWish.preferred);
    if (!made) return refuse({1, made.reason()});
    const Study& study = *made;
    if (study.items.empty()) {
        return refuse({1, fmt::format("{}: there is nothing to compare: no rung changes a setting",
                                      ladder.title)});
    }
    StudyOptions play;
    play.json = options.climb.json;
    play.csv = options.climb.csv;
    StudyWish wish;
    wish.seconds = climbWish.seconds;
    wish.width = climbWish.widthFor(ladder);
    wish.height = climbWish.heightFor(ladder);
    const Scene& scene = study.scenes.front();
    const State state{scene, scene.camera, study.items.front().a, {}};
    return playStudy(play, machine, study, wish, state);
}

}  // namespace

int runLadderCommand(const LadderOptions& options) {
    if (options.list) return list();
    if (options.name.empty())
        return refuse({2, "ladder: name one, or a file that ends in .json (--list shows them)"});
    auto wished = wishOf(options.climb);
    if (const auto* refusal = std::get_if<Refusal>(&wished)) return refuse(*refusal);
    ClimbWish& wish = std::get<ClimbWish>(wished);
    const auto kernels = useKernels(options.kernels);
    if (const auto* refusal = std::get_if<Refusal>(&kernels)) return refuse(*refusal);
    const auto found = findLadder(options.name);
    if (!found) return refuse(notFound(options.name, found.reason()));
    const Ladder& ladder = *found;
    Machine machine = openMachine(gpuOf(options.climb.device));
    if (const auto refusal = chooseBackend(options.climb, machine, wish)) return refuse(*refusal);
    if (!options.study.empty()) return study(options, ladder, machine, wish);

    RowText row;
    if (options.climb.table()) {
        say("{}", tableHead(ladder, machine, wish));
        row = [&](const auto& results) { return tableRow(ladder, results, results.size() - 1); };
    }
    const std::vector<RungResult> results = climb(ladder, machine, wish, row);
    if (row) say("{}", tableFoot(ladder, results));
    return finishClimb(options.climb, ladder, reportOf(ladder, machine, wish, results), results);
}

}  // namespace rayscope
