#pragma once

#include <string>
#include <string_view>
#include <vector>

// Which hardware counters of a GPU are read, and what is computed from them. They have Nsight
// Compute's names, so that figures can be compared.

namespace rayscope {

/// Which change of a figure is an improvement.
enum class Better { more, less, neither };

/// A figure computed from one or several of the GPU's metrics.
struct Counter {
    const char* id;     ///< in JSON, "issued_warps"
    const char* group;  ///< "Warps"
    const char* label;
    const char* unit;  ///< "%", "B", "" for plain numbers
    Better better;
    std::vector<std::string_view> metrics;  ///< by CUPTI's names
    double (*of)(const double* metrics);    ///< the figure, from their values in that order
};

const std::vector<Counter>& counterTable();

/// The metrics of all counters, each once.
std::vector<std::string> counterMetrics();

/// A range of CUPTI's begins before the first kernel and ends after the last, with the gaps between
/// them. Makes what is of that time, among the values of counterMetrics(), that of the kernels
/// alone, which took so long.
void leaveOutGaps(std::vector<double>& metrics, double kernelMs);

/// The counters, in the order of counterTable(), from the values of counterMetrics(). NaN if one of
/// its metrics is NaN (unknown).
std::vector<double> countersFrom(const std::vector<double>& metrics);

/// The counter with this id; NaN if it is unknown or `counters` is empty.
double counter(const std::vector<double>& counters, std::string_view id);

}  // namespace rayscope
