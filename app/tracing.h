#pragma once

#include <functional>
#include <string>

namespace rayscope {

/// Where zones go besides NVTX (renderer/profile): what the command line says.
struct TracingOptions {
    std::string trace;   ///< file for the Chrome trace; empty: what the configuration says
    std::string config;  ///< empty: rayscope.json in the folder of configurations, where it is
};

/// Runs a command with the sinks that the options and the configuration file ask for, and writes
/// the trace when it has ended. Returns the command's exit code, or that of a problem with these.
int traced(const TracingOptions& options, const std::function<int()>& command);

}  // namespace rayscope
