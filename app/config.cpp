#include "app/config.h"

#include <fmt/format.h>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace {

constexpr std::size_t kMaxBytes = 64 * 1024;
constexpr std::size_t kShownBytes = 40;

/// Reads the value of one key.
Result<void> read(const std::string& key, const nlohmann::json& value, Config& config) {
    if (key == "trace") {
        if (!value.is_string()) return Failure{"\"trace\" is not the name of a file"};
        config.trace = value.get<std::string>();
        return {};
    }
    if (key != "nvtx" && key != "tracy") {
        return Failure{fmt::format("\"{}\" is none of trace, nvtx, tracy",
                                   printable(shortened(key, kShownBytes)))};
    }
    if (!value.is_boolean()) return Failure{fmt::format("\"{}\" is neither true nor false", key)};
    const bool on = value.get<bool>();
    if (key == "tracy" && on && !hasTracy()) {
        return Failure{
            "this program was built without Tracy: configure it with -DRAYSCOPE_TRACY=ON, or "
            "leave \"tracy\" out"};
    }
    (key == "nvtx" ? config.nvtx : config.tracy) = on;
    return {};
}

}  // namespace

Result<Config> configFrom(std::string_view text, const std::string& file) {
    const auto json = parseJson(text, file);
    if (!json) return json.failure();
    if (!json->is_object()) {
        return Failure{fmt::format("{} is no JSON object: it may say {}", file,
                                   R"({"trace": "file.json", "nvtx": true, "tracy": true})")};
    }
    Config config;
    for (const auto& [key, value] : json->items()) {
        if (const auto done = read(key, value, config); !done)
            return Failure{fmt::format("{}: {}", file, done.reason())};
    }
    return config;
}

Result<Config> readConfig(const std::string& path) {
    const auto file = readFile(path, kMaxBytes);
    if (!file) return file.failure();
    return configFrom(*file, path);
}

}  // namespace rayscope
