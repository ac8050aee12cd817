#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "renderer/backend/counter_reader.h"
#include "renderer/backend/instruction_counts.h"
#include "renderer/base/result.h"

namespace rayscope {

/// A plan of what a chip is to count, and in how many passes. Planning needs no GPU.
class CounterPlan {
public:
    virtual ~CounterPlan() = default;
    virtual int passes() const = 0;
    /// Those of the metrics asked for that the chip has, in the order of their values.
    virtual const std::vector<std::string>& metrics() const = 0;
};

/// A plan for a chip by CUPTI's name ("GH100"). Fails if CUPTI is not installed or does not know
/// the chip.
Result<std::unique_ptr<CounterPlan>> planCounters(const std::string& chip,
                                                  const std::vector<std::string>& metrics);

/// A reader of metrics of all kernels launched in the current device's context while a pass runs.
/// It uses CUPTI's range profiler with user ranges and user replay (CUPTI documentation, "Range
/// Profiling API").
Result<std::unique_ptr<CounterReader>> openCounterReader(int device,
                                                         const std::vector<std::string>& metrics);

/// Counts the instructions of the kernel of this symbol, or of the first one where it is empty,
/// that `work` launches on this thread in the current device's context; it must return when the
/// GPU is idle again. Nothing is counted where there is no such launch.
Result<std::vector<KernelCounts>> countInstructions(int device, const std::string& symbol,
                                                    const std::function<void()>& work);
/// Samples what warps wait for in the kernels that `work` launches in the current device's context.
/// It takes about so many cycles of the multiprocessors, and must return when the GPU is idle again
/// (CUPTI documentation, "PC Sampling API"). Fails after any other use of CUPTI in the process.
Result<StallSamples> sampleStalls(double cycles, const std::function<void()>& work);
/// Each kernel with a symbol is launched after this: counting may begin with it.
void beforeLaunch(const std::string& symbol);

}  // namespace rayscope
