#include "app/tracing.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <variant>

#include "app/commands.h"
#include "app/config.h"
#include "renderer/base/files.h"
#include "renderer/base/timeline.h"
#include "renderer/base/tracy_sink.h"
#include "renderer/profile/chrome_trace.h"
#include "renderer/team/team.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// In a trace that is written at the end; 40 bytes each in memory, about 120 in the file.
constexpr std::size_t kTraceEvents = std::size_t{1} << 20;

/// rayscope.json in the folder of configurations; empty if that is unknown.
fs::path defaultConfig() {
    if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && *folder == '/')
        return fs::path(folder) / "rayscope" / "rayscope.json";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return fs::path(home) / ".config" / "rayscope" / "rayscope.json";
    return {};
}

Result<Config> configOf(const TracingOptions& options) {
    if (!options.config.empty()) return readConfig(options.config);
    const fs::path path = defaultConfig();
    std::error_code error;
    return fs::exists(path, error) ? readConfig(path.string()) : Config{};
}

}  // namespace

int traced(const TracingOptions& options, const std::function<int()>& command) {
    Result<Config> read = configOf(options);
    if (!read) return refuse({1, read.reason()});
    Config& config = *read;
    if (!options.trace.empty()) config.trace = options.trace;
    setZoneSink(kToNvtx, config.nvtx);
    setZoneSink(kToTracy, config.tracy);
    nameThread("main");
    if (config.trace.empty() || !team().leads()) return command();
    if (const auto can = canBeWritten(config.trace); !can) return refuse({1, can.reason()});
    startTimeline(kTraceEvents);
    const int code = command();
    stopTimeline();
    const Result<void> written = writeChromeTrace(config.trace, copyTimeline());
    if (written) return code;
    refuse({1, written.reason()});
    return code != 0 ? code : 1;
}

}  // namespace rayscope
