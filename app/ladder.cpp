#include "app/climb.h"
#include "app/commands.h"
#include "app/keep.h"
#include "renderer/base/hash.h"
#include "renderer/base/say.h"
#include "renderer/lab/run_ladder.h"
#include "renderer/lab/studies.h"
#include "renderer/lab/wire.h"

namespace rayscope {

namespace {

int list() {
    const std::vector<std::string> all = ladderNames();
    if (all.empty()) return refuse({1, "there are no ladders beside the program's scenes"});
    for (const std::string& name : all) {
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
    play.keep = options.keep;
    StudyWish wish;
    wish.seconds = climbWish.seconds;
    wish.width = climbWish.widthFor(ladder);
    wish.height = climbWish.heightFor(ladder);
    const Scene& scene = study.scenes.front();
    const State state{scene, scene.camera, study.items.front().a, {}};
    return playStudy(play, machine, study, wish, state);
}

/// What has to be equal for a climb to go on from a checkpoint, but for the devices.
nlohmann::json whatOf(const Ladder& ladder, const ClimbWish& wish) {
    std::string rungs;
    for (const Rung& rung : ladder.rungs) {
        rungs += fmt::format("{} {} {} {}", rung.name, rung.from, rung.scene, rung.spp);
        rungs += fmt::format(" {} {}\n", nameOf(rung.clock), nameOf(rung.measures));
        for (const std::string& word : wordsOf(rung.changes)) rungs += word + "\n";
    }
    return {{"ladder", ladder.name},
            {"rungs", fmt::format("{:016x}", fnv1a(rungs))},
            {"size", {wish.widthFor(ladder), wish.heightFor(ladder)}},
            {"spp", ladder.spp},
            {"seconds", wish.seconds},
            {"backend", wish.only ? static_cast<int>(*wish.only) : -1}};
}

/// Measures rungs that rank 0 asks for.
int help(const Ladder& ladder, Machine& machine, const ClimbWish& wish) {
    std::string problem;
    serveErrands(
        team(),
        [&](const std::string& errand) -> std::optional<std::string> {
            ClimbWish mine = wish;
            mine.rung = std::atoi(errand.c_str());
            LadderRun run(ladder, machine, mine);
            if (!playWhile(run, helping)) return {};
            problem = lostDevice(machine);  // rank 0 gives the rung to another
            if (!problem.empty()) return {};
            return bytesOf(run.results().front());
        },
        goOn);
    return problem.empty() ? 0 : refuse({1, problem});
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
    Machine machine = openMachine(devicesOf(options.climb.device));
    if (const auto refusal = chooseBackend(options.climb, machine, wish)) return refuse(*refusal);
    if (!options.study.empty()) return study(options, ladder, machine, wish);
    std::vector<const Renderer*> devices{machine.cuda.get(), machine.cpu.get()};
    if (wish.only) devices = {machine.of(*wish.only)};
    auto shared = shareWork(Purpose::measure, options.keep, options.climb.json, "ladder",
                            aboutDevices(devices), whatOf(ladder, wish));
    if (const auto* refusal = std::get_if<Refusal>(&shared)) return refuse(*refusal);
    const Sharing& sharing = std::get<Sharing>(shared);
    if (sharing.role == Sharing::Role::nothing) return 0;
    if (sharing.role == Sharing::Role::help) return help(ladder, machine, wish);
    wish.helpers = sharing.helpers.get();

    RowText row;
    if (options.climb.table()) {
        say("{}", tableHead(ladder, machine, wish));
        row = [&](const auto& results) { return tableRow(ladder, results, results.size() - 1); };
    }
    const Climbed climbed = climb(ladder, machine, wish, row);
    if (row) say("{}", tableFoot(ladder, climbed.results));
    nlohmann::json report = reportOf(ladder, machine, wish, climbed.results);
    return finishSharing(sharing, finishClimb(options.climb, ladder, std::move(report), climbed));
}

}  // namespace rayscope
