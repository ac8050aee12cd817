#include "ui/stored_figures.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "renderer/scene/json.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace {

/// Read once; null where the file cannot be read.
const nlohmann::json& stored() {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    static const nlohmann::json figures = [] {
        const auto assets = findAssets();
        if (!assets) return nlohmann::json();
        auto json = readJson((*assets / "figures" / "h200.json").string(), kMostBytes);
        return json && json->is_object() ? *std::move(json) : nlohmann::json();
    }();
    return figures;
}

/// A member of a member; nullptr where there is none.
const nlohmann::json* memberAt(const char* part, const std::string& group,
                               const std::string& name) {
    const nlohmann::json* at = &stored();
    for (const std::string& key : {std::string(part), group, name}) {
        if (!at->is_object()) return nullptr;
        const auto found = at->find(key);
        if (found == at->end()) return nullptr;
        at = &*found;
    }
    return at;
}

std::string textAt(const char* key) {
    const auto found = stored().find(key);
    return found != stored().end() && found->is_string() ? found->get<std::string>()
                                                         : std::string();
}

}  // namespace

std::string storedFigure(const Axis& axis, int value) {
    if (value < 0 || value >= static_cast<int>(axis.values.size())) return {};
    const std::string spelled =
        fmt::format("{}={}", axis.id, axis.values[static_cast<std::size_t>(value)].id);
    for (const char* base : {"", "engine=regeneration", "engine=wavefront", "engine=hybrid"}) {
        const nlohmann::json* const ratio = memberAt("values", base, spelled);
        if (ratio == nullptr || !ratio->is_number()) continue;
        return fmt::format("{}, {}: {:.2f}x of {}", textAt("device"), textAt("scene"),
                           ratio->get<double>(), base[0] == 0 ? "the defaults" : base);
    }
    return {};
}

std::string storedFigure(const std::string& ladder, const std::string& rung) {
    const nlohmann::json* const figure = memberAt("rungs", ladder, rung);
    if (figure == nullptr || !figure->is_string()) return {};
    return fmt::format("{}: {}", textAt("device"), figure->get<std::string>());
}

}  // namespace rayscope
