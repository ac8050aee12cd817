#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace rayscope {

/// Scenes whose names end in a number, such as "field-1000".
struct Numbered {
    std::string_view prefix;
    int fewest, most;
    std::string_view what;  ///< that there are so many of
};

/// The number in the name of such a scene; nothing if the name has another form or the number is
/// too small or too large.
std::optional<int> numberIn(std::string_view name, const Numbered& scenes);

std::span<const Numbered> numberedFields();
std::span<const Numbered> numberedMeshes();

}  // namespace rayscope
