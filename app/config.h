#pragma once

#include <string>
#include <string_view>

#include "renderer/base/result.h"
#include "renderer/base/tracy_sink.h"

namespace rayscope {

/// The contents of rayscope.json.
struct Config {
    std::string trace;  ///< file for the Chrome trace; empty: none
    bool nvtx = true, tracy = hasTracy();
};

/// Reads a configuration. The reason of a failure names the file and the key.
Result<Config> configFrom(std::string_view text, const std::string& file);

/// The same for a file of at most 64 KiB.
Result<Config> readConfig(const std::string& path);

}  // namespace rayscope
