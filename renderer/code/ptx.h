#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rayscope {

/// The lines of one kernel in the text of a program's PTX: without those of the `others`, which are
/// kernels too, and without what is there for debuggers. Functions and variables that kernels share
/// stay.
std::vector<std::string> ptxOf(std::string_view ptx, const std::vector<std::string>& others);

/// What counts of a line when two are compared: registers lose their numbers, labels too, and every
/// name of `names` (of kernels, whose names differ from variant to variant) becomes one.
std::string ptxKey(std::string_view line, const std::vector<std::string>& names);

}  // namespace rayscope
