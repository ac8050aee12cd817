#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/lab/run_ladder.h"

namespace rayscope {

/// The lines of the table before its rows: the ladder, the devices, the columns.
std::string tableHead(const Ladder& ladder, const Machine& machine, const ClimbWish& wish);

/// The row of results[i]; comparisons are with what is in `results`.
std::string tableRow(const Ladder& ladder, const std::vector<RungResult>& results, size_t i);

/// What is to be said of the conditions under which the rungs were measured: a line, or nothing.
std::string conditionsLine(const Ladder& ladder, const std::vector<RungResult>& results);

/// What the marks in the table mean, and the conditions.
std::string tableFoot(const Ladder& ladder, const std::vector<RungResult>& results);

/// Everything: the ladder, devices, and for each rung its settings, what was measured, published
/// and compared, or its "problem".
nlohmann::json reportOf(const Ladder& ladder, const Machine& machine, const ClimbWish& wish,
                        const std::vector<RungResult>& results);

/// One line a rung under a line of names.
std::string csvOf(const Ladder& ladder, const std::vector<RungResult>& results);

/// The unit that a rung's value is shown in: that of its published figure, else the ladder's, else
/// ms or Mrays/s.
const Unit& unitOf(const Ladder& ladder, const Rung& rung);

}  // namespace rayscope
