// Clashes between choices, and the changes that resolve them, both from the rules of axes().

#include <fmt/format.h>

#include <algorithm>

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

using AxisSet = std::vector<const Axis*>;

bool contains(const AxisSet& set, const Axis* axis) {
    return std::find(set.begin(), set.end(), axis) != set.end();
}

bool holds(const AxisValues& some, const Settings& settings) {
    if (some.axis == nullptr || some.values.empty()) return true;
    return std::find(some.values.begin(), some.values.end(), some.axis->get(settings)) !=
           some.values.end();
}

/// Why the settings break the rule; empty if they do not, or if one of its axes does not matter and
/// neither was `chosen`. Without a scene, rules about scenes are not broken.
std::string reasonOf(const Rule& rule, const Settings& settings, const Scene* scene,
                     const AxisSet& chosen) {
    if (!holds(rule.own, settings) || !holds(rule.other, settings)) return {};
    const auto matters = [&](const Axis* axis) { return !axis || axis->matters(settings); };
    const bool meant = matters(rule.own.axis) && matters(rule.other.axis);
    if (!meant && !contains(chosen, rule.own.axis) && !contains(chosen, rule.other.axis)) return {};
    if (rule.reasonInScene) return scene ? rule.reasonInScene(settings, *scene) : std::string();
    return rule.reason ? rule.reason(settings) : std::string(rule.why);
}

const Axis& axisOf(std::string_view assignment) {
    return *findAxis(assignment.substr(0, assignment.find('=')));
}

/// Why the settings are changed, and what must stay as it is.
struct Cause {
    AxisSet chosen;      ///< these stay, and count even where they do not matter
    AxisSet kept = {};   ///< these stay too
    const Scene* scene;  ///< nullptr: rules about scenes are left alone
    const Settings* before = nullptr;

    bool stays(const Axis* axis) const { return contains(chosen, axis) || contains(kept, axis); }
};

/// Whether a clash is to be cured: not if it was there before and has nothing to do with the chosen
/// axes, nor if it is with a chosen backend, which brings its own defaults.
bool concerns(const Rule& rule, const Cause& cause) {
    const Axis* const backend = findAxis("backend");
    if (rule.other.axis == backend && contains(cause.chosen, backend)) return false;
    if (contains(cause.chosen, rule.own.axis) || contains(cause.chosen, rule.other.axis))
        return true;
    return cause.before == nullptr || reasonOf(rule, *cause.before, cause.scene, {}).empty();
}

/// Applies the first remedy that changes nothing that stays; false where there is none.
bool cureOne(Settings& settings, Cause& cause) {
    for (const Axis& axis : axes()) {
        for (const Rule& rule : axis.rules) {
            if (reasonOf(rule, settings, cause.scene, cause.chosen).empty()) continue;
            if (!concerns(rule, cause)) continue;
            for (const std::string_view remedy : rule.remedies) {
                const Axis& changed = axisOf(remedy);
                if (changed.id == "backend" || cause.stays(&changed)) continue;
                if (!assign(settings, remedy)) continue;
                cause.kept.push_back(&changed);
                return true;
            }
        }
    }
    return false;
}

/// Terminates, because no axis is changed twice.
void cure(Settings& settings, Cause cause) {
    while (cureOne(settings, cause)) {
    }
}

}  // namespace

std::vector<Clash> clashes(const Settings& settings, const Scene& scene) {
    std::vector<Clash> result;
    for (const Axis& axis : axes()) {
        for (const Rule& rule : axis.rules) {
            const std::string reason = reasonOf(rule, settings, &scene, {});
            if (reason.empty()) continue;
            result.push_back({&axis, &rule,
                              fmt::format("{}={}: {} ({})", axis.id, valueOf(axis, settings),
                                          reason, rule.remedies.front())});
        }
    }
    return result;
}

std::string unsupported(const Settings& settings, const Scene& scene) {
    const std::vector<Clash> all = clashes(settings, scene);
    return all.empty() ? std::string() : all.front().sentence;
}

void choose(Settings& settings, const Axis& axis, int value) {
    const Settings before = settings;
    axis.set(settings, value);
    cure(settings, {.chosen = {&axis}, .scene = nullptr, .before = &before});
}

void assignAll(Settings& settings, const std::vector<std::string>& assignments) {
    const Settings before = settings;
    AxisSet chosen;
    for (const std::string& assignment : assignments) {
        if (assign(settings, assignment)) chosen.push_back(&axisOf(assignment));
    }
    cure(settings, {.chosen = chosen, .scene = nullptr, .before = &before});
}

Settings possible(const Settings& settings, const Scene& scene, std::string* reason) {
    const std::string problem = unsupported(settings, scene);
    if (problem.empty()) return settings;
    *reason = problem;
    Settings fresh = defaultSettings(settings.backend, scene), result = settings;
    fresh.depth = settings.depth;
    Cause cause{.chosen = {}, .scene = &scene};
    for (const Axis& axis : axes()) {
        if (axis.get(settings) == axis.get(fresh)) cause.kept.push_back(&axis);
    }
    cure(result, std::move(cause));
    return unsupported(result, scene).empty() ? result : fresh;
}

}  // namespace rayscope
