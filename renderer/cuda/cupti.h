#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "renderer/backend/counter_reader.h"

namespace rayscope {

/// What a chip is to count, and in how many passes: no GPU is needed to plan it.
class CounterPlan {
public:
    virtual ~CounterPlan() = default;
    virtual int passes() const = 0;
    /// Metrics asked for that the chip has, in the order in which values are evaluated.
    virtual const std::vector<std::string>& metrics() const = 0;
};

/// A plan for a chip as CUPTI names it ("GH100"), or one sentence that says why there is none:
/// CUPTI is not installed, or does not know the chip.
std::variant<std::unique_ptr<CounterPlan>, std::string> planCounters(
    const std::string& chip, const std::vector<std::string>& metrics);

/// Reads metrics of the kernels launched in the current device's context, by anybody, while a pass
/// runs. CUPTI's range profiler, user ranges with user replay (CUPTI documentation, "Range
/// Profiling API").
CounterReaderOr openCounterReader(int device, const std::vector<std::string>& metrics);

}  // namespace rayscope
