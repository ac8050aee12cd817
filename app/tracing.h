#pragma once

#include <functional>
#include <string>

namespace rayscope {

/// The options about where zones (renderer/base/timeline.h) go.
struct TracingOptions {
    std::string trace;   ///< file for the Chrome trace; empty: the configuration's
    std::string config;  ///< configuration file; empty: the usual rayscope.json, if it exists
};

/// Runs a command with the sinks that the options and the configuration file ask for, then writes
/// the trace. Returns the command's exit code, or that of a failure in tracing.
int traced(const TracingOptions& options, const std::function<int()>& command);

}  // namespace rayscope
