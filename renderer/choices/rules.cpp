// Clashes between choices, and the changes that resolve them, both from the rules of axes().

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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
            std::string sentence = fmt::format("{}={}: {} ({})", axis.id, valueOf(axis, settings),
                                               reason, rule.remedies.front());
            result.push_back({&axis, &rule, reason, std::move(sentence)});
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

/// "light sampling turned off", "scene memory is now global".
static std::string changeOf(const Axis& axis, const Settings& after) {
    std::string label(axis.label);
    label.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(label.front())));
    const int value = axis.get(after);
    if (axis.kind == AxisKind::toggle)
        return fmt::format("{} turned {}", label, axis.values[value].label);
    return fmt::format("{} is now {}", label,
                       axis.values.empty() ? std::to_string(value) : axis.values[value].label);
}

/// What gave way to each rule that was broken.
static std::string takenBack(const std::vector<Clash>& broken, const Settings& before,
                             const Settings& after) {
    std::string text;
    AxisSet named;
    for (const Clash& clash : broken) {
        for (const Axis* axis : {clash.axis, clash.rule->other.axis}) {
            if (!axis || axis->get(before) == axis->get(after) || contains(named, axis)) continue;
            named.push_back(axis);
            text += (text.empty() ? "" : "; ") + changeOf(*axis, after) + ": " + clash.why;
            break;
        }
    }
    return text.empty() ? broken.front().sentence : text;
}

Settings possible(const Settings& settings, const Scene& scene, std::string* reason) {
    const std::vector<Clash> broken = clashes(settings, scene);
    if (broken.empty()) return settings;
    Settings fresh = defaultSettings(settings.backend, scene), result = settings;
    fresh.depth = settings.depth;
    Cause cause{.chosen = {}, .scene = &scene};
    for (const Axis& axis : axes()) {
        if (axis.get(settings) == axis.get(fresh)) cause.kept.push_back(&axis);
    }
    cure(result, std::move(cause));
    if (!unsupported(result, scene).empty()) result = fresh;
    *reason = takenBack(broken, settings, result);
    return result;
}

}  // namespace rayscope
