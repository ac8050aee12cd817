#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rayscope {

/// Reads hardware metrics of some work, which is repeated in several passes because a GPU counts
/// only a few things at a time.
class CounterReader {
public:
    virtual ~CounterReader() = default;
    /// Counts while `work` runs, which must return when the GPU is idle again. Returns true after
    /// the last pass. Throws std::runtime_error.
    virtual bool pass(const std::function<void()>& work) = 0;
    /// By metric, after the last pass; NaN for those that the GPU lacks.
    virtual std::vector<double> values() = 0;
};

/// The tool attached to a process that keeps the GPU's counters to itself ("Nsight Compute"), from
/// the text of /proc/PID/maps; empty if there is none.
std::string profilerIn(const std::string& maps);

}  // namespace rayscope
