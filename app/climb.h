#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "renderer/lab/run_ladder.h"

// What commands that climb a ladder have in common.

namespace rayscope {

struct ClimbOptions {
    std::string backend = "auto";
    std::string size;
    double seconds = .5;  ///< per rung
    std::string json;     ///< file; "-": stdout, empty: none
    std::string csv;      ///< likewise
    DeviceList device;
    /// Whether a table is printed: if neither file is stdout.
    bool table() const { return json != "-" && csv != "-"; }
};

/// The size and time that the options ask for.
std::variant<ClimbWish, Refusal> wishOf(const ClimbOptions& options);

/// Sets the wish's backend to the one that the options ask for; a refusal if it is missing.
std::optional<Refusal> chooseBackend(const ClimbOptions& options, const Machine& machine,
                                     ClimbWish& wish);

/// The text of the last of the results.
using RowText = std::function<std::string(const std::vector<RungResult>&)>;

/// What was measured, and why that is not all, but for Ctrl-C.
struct Climbed {
    std::vector<RungResult> results;
    std::string problem;
};

/// Measures with a progress bar until the end or Ctrl-C, which keeps what is done; a second one
/// ends the program. Prints each row as it comes, if `row` is given.
Climbed climb(const Ladder& ladder, Machine& machine, const ClimbWish& wish, const RowText& row);

/// Writes the files that were asked for and says how it ended. Returns the exit code.
int finishClimb(const ClimbOptions& options, const Ladder& ladder, nlohmann::json report,
                const Climbed& climbed);

}  // namespace rayscope
