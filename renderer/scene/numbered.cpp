#include "renderer/scene/numbered.h"

#include <charconv>

namespace rayscope {

std::optional<int> numberIn(std::string_view name, const Numbered& scenes) {
    if (!name.starts_with(scenes.prefix)) return {};
    name.remove_prefix(scenes.prefix.size());
    int count = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), count);
    if (error != std::errc() || end != name.data() + name.size()) return {};
    if (count < scenes.fewest || count > scenes.most) return {};
    return count;
}

}  // namespace rayscope
