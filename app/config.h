#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "renderer/base/tracy_sink.h"

namespace rayscope {

/// The contents of rayscope.json.
struct Config {
    std::string trace;  ///< file for the Chrome trace; empty: none
    bool nvtx = true, tracy = hasTracy();
};

/// The configuration, or one sentence that names the file and the key.
std::variant<Config, std::string> configFrom(std::string_view text, const std::string& file);

/// The same of a file of at most 64 KiB.
std::variant<Config, std::string> readConfig(const std::string& path);

}  // namespace rayscope
