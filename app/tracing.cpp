#include "app/tracing.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>

#include "app/commands.h"
#include "renderer/files.h"
#include "renderer/profile/chrome_trace.h"
#include "renderer/profile/timeline.h"
#include "renderer/profile/tracy_sink.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// Of a trace that is written at the end; 40 bytes each, and some 120 in the file.
constexpr std::size_t kTraceEvents = std::size_t{1} << 20;

constexpr std::size_t kMostConfigBytes = 64 * 1024;

struct Config {
    std::string trace;
    bool nvtx = true, tracy = hasTracy();
};

/// rayscope.json where the system keeps configurations; empty where that is unknown.
fs::path defaultConfig() {
    if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && *folder == '/')
        return fs::path(folder) / "rayscope" / "rayscope.json";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return fs::path(home) / ".config" / "rayscope" / "rayscope.json";
    return {};
}

/// Takes what one key says; an empty string or what is wrong with it.
std::string take(const std::string& key, const nlohmann::json& value, Config& config) {
    if (key == "trace") {
        if (!value.is_string()) return "\"trace\" is not the name of a file";
        config.trace = value.get<std::string>();
        return {};
    }
    if (key != "nvtx" && key != "tracy")
        return fmt::format("\"{}\" is none of trace, nvtx, tracy", key);
    if (!value.is_boolean()) return fmt::format("\"{}\" is neither true nor false", key);
    const bool on = value.get<bool>();
    if (key == "tracy" && on && !hasTracy())
        return "this program was built without Tracy: configure it with -DRAYSCOPE_TRACY=ON, or "
               "leave \"tracy\" out";
    (key == "nvtx" ? config.nvtx : config.tracy) = on;
    return {};
}

std::variant<Config, Refusal> readConfig(const std::string& path) {
    const auto file = readFile(path, kMostConfigBytes);
    if (const auto* sentence = std::get_if<std::string>(&file)) return Refusal{2, *sentence};
    const nlohmann::json json =
        nlohmann::json::parse(std::get<FileBytes>(file).bytes, nullptr, false);
    if (!json.is_object())
        return Refusal{2, fmt::format("{} is no JSON object: it may say {}", path,
                                      R"({"trace": "file.json", "nvtx": true, "tracy": true})")};
    Config config;
    for (const auto& [key, value] : json.items()) {
        const std::string problem = take(key, value, config);
        if (!problem.empty()) return Refusal{2, fmt::format("{}: {}", path, problem)};
    }
    return config;
}

std::variant<Config, Refusal> configOf(const TracingOptions& options) {
    if (!options.config.empty()) return readConfig(options.config);
    const fs::path path = defaultConfig();
    std::error_code error;
    return fs::exists(path, error) ? readConfig(path.string()) : Config{};
}

}  // namespace

void addTracingOptions(CLI::App& command, TracingOptions& options) {
    command.add_option("--trace", options.trace,
                       "Write a timeline for Perfetto, chrome://tracing or Tracy's importer");
    command
        .add_option("--config", options.config,
                    "Where zones go, in place of rayscope/rayscope.json in XDG_CONFIG_HOME")
        ->type_name("FILE");
}

int traced(const TracingOptions& options, const std::function<int()>& command) {
    auto read = configOf(options);
    if (const auto* refusal = std::get_if<Refusal>(&read)) return refuse(*refusal);
    Config& config = std::get<Config>(read);
    if (!options.trace.empty()) config.trace = options.trace;
    setZoneSink(kToNvtx, config.nvtx);
    setZoneSink(kToTracy, config.tracy);
    nameThread("main");
    if (config.trace.empty()) return command();
    startTimeline(kTraceEvents);
    const int code = command();
    stopTimeline();
    const std::string problem = writeChromeTrace(config.trace, copyTimeline());
    if (problem.empty()) return code;
    refuse({1, problem});
    return code != 0 ? code : 1;
}

}  // namespace rayscope
