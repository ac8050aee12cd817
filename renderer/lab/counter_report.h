#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/lab/limit.h"
#include "renderer/profile/counters.h"

namespace rayscope {

/// A figure of a kernel: measured, the compiler's, counted, or computed from these.
struct Fact {
    std::string id;     ///< in JSON
    std::string group;  ///< "Kernel"
    std::string label, unit;
    Better better = Better::neither;
    double value = 0;  ///< not finite: not known
};

/// In the order and with the names of every other list of facts: time, kernel, a ray, counters.
std::vector<Fact> factsOf(const CountedWork& work);

/// "12.3 G", "0.456", "56.7 %"; a dash where it is not known.
std::string factText(const Fact& fact, double value);
/// "+12.3 %", "x 4.56" where it is more than twofold, "=" below a thousandth; empty where a side is
/// not known.
std::string changeText(double before, double after);

// Of one or two sides: A, and B against it.
std::string tableOf(const State& state, const std::vector<CountedWork>& sides);
nlohmann::json reportOf(const State& state, const std::vector<CountedWork>& sides);
std::string csvOf(const std::vector<CountedWork>& sides);

}  // namespace rayscope
