#pragma once

#include <string>
#include <string_view>
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

}  // namespace rayscope
