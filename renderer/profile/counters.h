#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Hardware counters of a GPU: which ones are read, and how. Named as Nsight Compute names them, so
// that its figures can be put beside ours.

namespace rayscope {

/// Which change of a figure is for the better.
enum class Better { more, less, neither };

/// A figure that is made of one or several of the GPU's metrics.
struct Counter {
    const char* id;     ///< in JSON, "issued_warps"
    const char* group;  ///< "Warps"
    const char* label;
    const char* unit;  ///< "%", "B", "" for plain numbers
    Better better;
    std::vector<std::string_view> metrics;  ///< CUPTI's names
    double (*of)(const double* metrics);    ///< their values, in that order
};

const std::vector<Counter>& counterTable();

/// The metrics of all counters, each once.
std::vector<std::string> counterMetrics();

/// The counters, by counterTable(), from the values of counterMetrics(); a value that is not known
/// is not a number, and so is what is made of it.
std::vector<double> countersFrom(const std::vector<double>& metrics);

/// The counter of a table's row; not a number where it is unknown, or `counters` empty.
double counter(const std::vector<double>& counters, std::string_view id);

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
