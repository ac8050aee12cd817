#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace rayscope {

/// Reads metrics of the same work, done once for each pass, because a GPU counts only some things
/// at a time.
class CounterReader {
public:
    virtual ~CounterReader() = default;
    /// Counts while `work` runs, which returns when the GPU is idle again. True when the last pass
    /// is done. Throws std::runtime_error.
    virtual bool pass(const std::function<void()>& work) = 0;
    /// After the last pass, by metric; not a number for those that the GPU does not have.
    virtual std::vector<double> values() = 0;
};

/// A reader, or one sentence that says why there is none.
using CounterReaderOr = std::variant<std::unique_ptr<CounterReader>, std::string>;

/// The tool attached to a process that needs the GPU's counters for itself ("Nsight Compute"), from
/// the text of /proc/PID/maps; empty where there is none.
std::string profilerIn(const std::string& maps);

}  // namespace rayscope
