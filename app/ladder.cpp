#include <fmt/format.h>

#include "app/climb.h"
#include "app/commands.h"
#include "renderer/lab/ladder_report.h"

namespace rayscope {

namespace {

int list() {
    for (const std::string& name : ladderNames()) {
        const auto ladder = findLadder(name);
        if (const auto* reason = std::get_if<std::string>(&ladder)) return refuse({1, *reason});
        const Ladder& l = std::get<Ladder>(ladder);
        fmt::print("{:<18} {:>2} rungs  {}\n", name, l.rungs.size(), l.title);
    }
    return 0;
}

}  // namespace

int runLadderCommand(const LadderOptions& options) {
    if (options.list) return list();
    if (options.name.empty())
        return refuse({2, "ladder: name one, or a file that ends in .json (--list shows them)"});
    auto wished = wishOf(options.climb);
    if (const auto* refusal = std::get_if<Refusal>(&wished)) return refuse(*refusal);
    ClimbWish& wish = std::get<ClimbWish>(wished);
    const auto found = findLadder(options.name);
    if (const auto* reason = std::get_if<std::string>(&found)) return refuse({1, *reason});
    const Ladder& ladder = std::get<Ladder>(found);
    Machine machine = openMachine();
    if (const auto refusal = chooseBackend(options.climb, machine, wish)) return refuse(*refusal);

    RowText row;
    if (options.climb.table()) {
        fmt::print("{}", tableHead(ladder, machine, wish));
        row = [&](const auto& results) { return tableRow(ladder, results, results.size() - 1); };
    }
    const std::vector<RungResult> results = climb(ladder, machine, wish, row);
    if (row) fmt::print("{}", tableFoot(ladder, results));
    return finishClimb(options.climb, ladder, reportOf(ladder, machine, wish, results), results);
}

}  // namespace rayscope
