#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ui/laboratory.h"

// What the laboratory has found out, in files.

namespace rayscope {

/// "rayscope-sweep-2026-01-31T12-00-00Z"
std::string stemOf(const LabRecord& record);

/// Writes STEM.json and STEM.csv. Why not, or an empty string. Takes its time with large scenes.
std::string save(const LabRecord& record, const std::string& stem);

/// What was found out, newest first, for a screenshot's info: reports whose scene is the state's
/// are without it. At most 24 MiB of text, which the largest state leaves of what a PNG is read
/// for; reports that do not fit are left out.
nlohmann::json resultsOf(const LabHistory& history, const State& state);

}  // namespace rayscope
