#pragma once

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/lab/measure.h"

// What all reports of the laboratory write alike.

namespace rayscope {

nlohmann::json toJson(const Spread& spread, double scale = 1);
nlohmann::json toJson(const KernelInfo& kernel);
nlohmann::json toJson(const DeviceInfo& device);
/// The time, as "2026-01-31T12:00:00Z".
std::string utcNow();
/// A digest of the kernels' sources for each value of `source` that has a folder, by name.
nlohmann::json sourceDigests();
/// What every report begins with: its kind, the program's version and commit, the date (UTC), the
/// device and its driver, whether it is complete (else it was interrupted), the size of the
/// pictures, a width of 0 meaning that there are none, the command, and the
/// sourceDigests(), if there are any.
nlohmann::json reportHead(std::string_view kind, const DeviceInfo& device, bool complete,
                          int width = 0, int height = 0);
/// Rays, times, rates and the kernel.
nlohmann::json toJson(const Measurement& measurement);

/// The width of a column of texts, at least `least`.
template <class Rows, class Text>
size_t widthOf(size_t least, const Rows& rows, Text text) {
    for (const auto& row : rows) least = std::max(least, std::invoke(text, row).size());
    return least;
}

/// Six digits.
std::string csvNumber(double value);

/// A line of comma-separated values, at least one, which are quoted where they must be.
std::string csvLine(const std::vector<std::string>& fields);

}  // namespace rayscope
