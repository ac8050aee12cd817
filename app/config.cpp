#include "app/config.h"

#include <fmt/format.h>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace {

constexpr std::size_t kMaxBytes = 64 * 1024;
constexpr std::size_t kShownBytes = 40;

/// Takes what one key says; an empty string or what is wrong with it.
std::string take(const std::string& key, const nlohmann::json& value, Config& config) {
    if (key == "trace") {
        if (!value.is_string()) return "\"trace\" is not the name of a file";
        config.trace = value.get<std::string>();
        return {};
    }
    if (key != "nvtx" && key != "tracy") {
        return fmt::format("\"{}\" is none of trace, nvtx, tracy",
                           printable(shortened(key, kShownBytes)));
    }
    if (!value.is_boolean()) return fmt::format("\"{}\" is neither true nor false", key);
    const bool on = value.get<bool>();
    if (key == "tracy" && on && !hasTracy())
        return "this program was built without Tracy: configure it with -DRAYSCOPE_TRACY=ON, or "
               "leave \"tracy\" out";
    (key == "nvtx" ? config.nvtx : config.tracy) = on;
    return {};
}

}  // namespace

std::variant<Config, std::string> configFrom(std::string_view text, const std::string& file) {
    const auto parsed = parseJson(text, file);
    if (const auto* sentence = std::get_if<std::string>(&parsed)) return *sentence;
    const nlohmann::json& json = std::get<nlohmann::json>(parsed);
    if (!json.is_object())
        return fmt::format("{} is no JSON object: it may say {}", file,
                           R"({"trace": "file.json", "nvtx": true, "tracy": true})");
    Config config;
    for (const auto& [key, value] : json.items()) {
        const std::string problem = take(key, value, config);
        if (!problem.empty()) return fmt::format("{}: {}", file, problem);
    }
    return config;
}

std::variant<Config, std::string> readConfig(const std::string& path) {
    const auto file = readFile(path, kMaxBytes);
    if (const auto* sentence = std::get_if<std::string>(&file)) return *sentence;
    return configFrom(std::get<FileBytes>(file).bytes, path);
}

}  // namespace rayscope
