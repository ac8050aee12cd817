#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/lab/hot.h"

// What reports of hot lines say of a CPU.

namespace rayscope {

/// "12.3 ± 0.4 %", of all samples; the error is one standard error.
std::string timeText(std::uint64_t samples, const HotWork& work);

/// How many samples there are and how many are of other code; the hottest lines, the parts and the
/// functions.
std::string hostTable(const HotWork& work);

/// The same with all lines, and where the samples are.
nlohmann::json hostReport(const HotWork& work);

/// The samples of such a report. Throws std::exception where it is none, or of other machine code.
HostSamples samplesFrom(const nlohmann::json& report, const KernelCode& code);

}  // namespace rayscope
