#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "ui/timeline_view.h"

namespace rayscope {

namespace {

/// Of how a zone stands out from the panel; texts are legible on it.
constexpr float kZoneStrength = .5f;

}  // namespace

ZoneKind kindOf(const TimelineEvent& zone) {
    using enum ZoneKind;
    static constexpr std::pair<std::string_view, ZoneKind> kKnown[] = {
        {"trace", tracing},        {"launch", tracing},
        {"map", tracing},          {"unmap", tracing},
        {"keep busy", tracing},    {"work", tracing},
        {"panels", drawing},       {"present", drawing},
        {"upload", drawing},       {"compile", compiling},
        {"load", compiling},       {"load kernel", compiling},
        {"lab step", measuring},   {"pass", measuring},
        {"advance", measuring},    {"explain", measuring},
        {"poll", waiting},         {"swap", waiting},
        {"wait", waiting},         {"finish", waiting},
        {"step", simulating},      {"force", simulating},
        {"integrate", simulating}, {"simulate", simulating},
        {"energy", simulating},    {"sort", building},
        {"build", building},       {"build hierarchy", building}};
    const std::string_view name = zone.name;
    if (zone.track == kGlTrack) return ZoneKind::drawing;
    if (name.starts_with("copy")) return ZoneKind::copying;
    const auto known =
        std::ranges::find(kKnown, name, &std::pair<std::string_view, ZoneKind>::first);
    if (known != std::end(kKnown)) return known->second;
    // kernels that trace have names of their own
    return zone.track == kGpuTrack ? ZoneKind::tracing : ZoneKind::other;
}

ImVec4 colorOf(ZoneKind kind) {
    const ImVec4& panel = colors::panel;
    const ImVec4 hues[] = {colors::accent,        {.90f, .42f, .62f, 1}, {.58f, .74f, .24f, 1},
                           {.30f, .55f, .95f, 1}, {.80f, .70f, .20f, 1}, colors::warning,
                           {.70f, .48f, .92f, 1}, {.50f, .50f, .50f, 1}, {.35f, .35f, .35f, 1}};
    const ImVec4& hue = hues[static_cast<std::size_t>(kind)];
    const auto mixed = [](float a, float b) { return b + kZoneStrength * (a - b); };
    return {mixed(hue.x, panel.x), mixed(hue.y, panel.y), mixed(hue.z, panel.z), 1};
}

}  // namespace rayscope
