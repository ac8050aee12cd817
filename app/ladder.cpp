#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "app/commands.h"
#include "app/progress.h"
#include "renderer/lab/ladder_report.h"

namespace rayscope {

namespace {

std::atomic<bool> interrupted{false};

/// Ctrl-C ends the climb and keeps what was measured; a second one ends the program.
void watchForInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

int list() {
    for (const std::string& name : ladderNames()) {
        const auto ladder = findLadder(name);
        if (const auto* reason = std::get_if<std::string>(&ladder)) return refuse({1, *reason});
        const Ladder& l = std::get<Ladder>(ladder);
        fmt::print("{:<18} {:>2} rungs  {}\n", name, l.rungs.size(), l.title);
    }
    return 0;
}

/// Measures, printing rows as they come where `table`. False where it was interrupted.
bool climb(const Ladder& ladder, Machine& machine, const ClimbWish& wish, bool table,
           std::vector<RungResult>& results) {
    std::unique_ptr<Progress> progress = std::make_unique<Progress>(ladder.name);
    const double count = static_cast<double>(ladder.rungs.size());
    const auto goOn = [&](int rung, double share) {
        progress->label(ladder.rungs[rung].name);
        progress->show((rung + share) / count);
        return !interrupted;
    };
    return runLadder(ladder, machine, wish, goOn, [&](const RungResult& result) {
        results.push_back(result);
        if (!table) return;
        progress->hide();
        fmt::print("{}", tableRow(ladder, results, results.size() - 1));
        std::fflush(stdout);
    });
}

std::string writeResults(const LadderOptions& options, const Ladder& ladder, const Machine& machine,
                         const ClimbWish& wish, const std::vector<RungResult>& results) {
    std::string problem;
    if (!options.json.empty()) {
        problem = writeText(options.json, reportOf(ladder, machine, wish, results).dump(2) + "\n");
    }
    if (options.csv.empty()) return problem;
    const std::string csv = writeText(options.csv, csvOf(ladder, results));
    return problem.empty() ? csv : problem;
}

}  // namespace

int runLadderCommand(const LadderOptions& options) {
    if (options.list) return list();
    if (options.name.empty())
        return refuse({2, "ladder: name one, or a file that ends in .json (--list shows them)"});
    ClimbWish wish;
    wish.seconds = options.seconds;
    if (!options.size.empty() && !parseSize(options.size, wish.width, wish.height)) {
        return refuse({2, fmt::format("--size {} is not WIDTHxHEIGHT with sides from 1 to 16384",
                                      options.size)});
    }
    const auto found = findLadder(options.name);
    if (const auto* reason = std::get_if<std::string>(&found)) return refuse({1, *reason});
    const Ladder& ladder = std::get<Ladder>(found);
    Machine machine = openMachine();
    wish.preferred = machine.best();
    if (options.backend != "auto") {
        wish.only = options.backend == "cpu" ? Backend::cpu : Backend::cuda;
        wish.preferred = *wish.only;
    }
    if (wish.only == Backend::cuda && !machine.cuda) return refuse({1, machine.noCuda});

    watchForInterrupt();
    const bool table = options.json != "-" && options.csv != "-";
    if (table) fmt::print("{}", tableHead(ladder, machine, wish));
    std::vector<RungResult> results;
    const bool complete = climb(ladder, machine, wish, table, results);
    if (table) fmt::print("{}", tableFoot(ladder, results));
    const std::string problem = writeResults(options, ladder, machine, wish, results);
    if (!problem.empty()) return refuse({1, problem});
    if (complete) return 0;
    return refuse(
        {1, fmt::format("interrupted after {} of {} rungs", results.size(), ladder.rungs.size())});
}

}  // namespace rayscope
