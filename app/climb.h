#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "renderer/lab/run_ladder.h"

// What the commands that climb a ladder have in common.

namespace rayscope {

struct ClimbOptions {
    std::string backend = "auto";
    std::string size;
    double seconds = .5;  ///< a rung
    std::string json;     ///< "-" is stdout
    std::string csv;      ///< "-" is stdout
    int device = 0;       ///< the GPU, by CUDA's number

    /// Whether standard output is for people.
    bool table() const { return json != "-" && csv != "-"; }
};

/// What the options say about size and time.
std::variant<ClimbWish, Refusal> wishOf(const ClimbOptions& options);

/// Puts the backend that the options ask for into the wish; the refusal where it is not there.
std::optional<Refusal> chooseBackend(const ClimbOptions& options, const Machine& machine,
                                     ClimbWish& wish);

/// The text of the last of the results.
using RowText = std::function<std::string(const std::vector<RungResult>&)>;

/// Measures with a progress bar until the end or Ctrl-C, which keeps what is done; a second one
/// ends the program. Prints rows as they come where there is `row`. Returns what was measured.
std::vector<RungResult> climb(const Ladder& ladder, Machine& machine, const ClimbWish& wish,
                              const RowText& row);

/// Writes the files that were asked for, then says how it ended: the exit code.
int finishClimb(const ClimbOptions& options, const Ladder& ladder, const nlohmann::json& report,
                const std::vector<RungResult>& results);

}  // namespace rayscope
