#include "renderer/lab/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "renderer/choices/axes.h"
#include "renderer/scene/field.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

std::optional<int> numberFrom(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

/// From low to high by doubling; the last step is what is left of it.
std::vector<std::string> doubling(int low, int high) {
    std::vector<std::string> values;
    for (long value = std::max(low, 1); value < high; value *= 2)
        values.push_back(std::to_string(value));
    values.push_back(std::to_string(high));
    return values;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
        const size_t comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

/// The sentence why it is no value of the axis, or an empty string.
std::string wrongValue(const std::string& id, const std::string& value) {
    if (id == "scene") {
        const auto scene = findScene(value);
        return scene ? "" : scene.reason();
    }
    if (id == "spheres") {
        return fieldCount("field-" + value)
                   ? ""
                   : fmt::format("spheres={}: a number from 2 to {} was expected", value,
                                 kMaxSpheres);
    }
    Settings scratch;
    return assign(scratch, id + "=" + value).reason();
}

std::vector<std::string> allValues(const Axis& axis) {
    if (axis.kind == AxisKind::number) return doubling(axis.minimum, axis.maximum);
    std::vector<std::string> values;
    for (const AxisValue& value : axis.values) values.push_back(value.id);
    return values;
}

/// Puts together the scenes and settings of the cells.
class Grid {
public:
    Grid(Study& study, const Settings& settings, const Scene& scene)
        : study_(study), settings_(settings), scene_(scene) {}

    /// Appends the cell with these assignments; a sentence where its scene cannot be had.
    std::string add(const std::vector<std::string>& assignments);

private:
    std::variant<int, std::string> sceneFor(const std::vector<std::string>& assignments);

    Study& study_;
    const Settings& settings_;
    const Scene& scene_;
    std::map<std::string, int> scenes_;
    std::map<int, Settings> bases_;  ///< the first cell of each scene that can be had
};

std::variant<int, std::string> Grid::sceneFor(const std::vector<std::string>& assignments) {
    std::string name;
    for (const std::string& a : assignments) {
        if (a.starts_with("scene=")) name = a.substr(6);
        if (a.starts_with("spheres=")) name = "field-" + a.substr(8);
    }
    if (const auto known = scenes_.find(name); known != scenes_.end()) return known->second;
    if (name.empty()) {
        study_.scenes.push_back(scene_);
    } else {
        auto scene = findScene(name);
        if (!scene) return scene.reason();
        study_.scenes.push_back(*std::move(scene));
    }
    return scenes_[name] = static_cast<int>(study_.scenes.size()) - 1;
}

std::string Grid::add(const std::vector<std::string>& assignments) {
    const auto index = sceneFor(assignments);
    if (const auto* reason = std::get_if<std::string>(&index)) return *reason;
    StudyItem item;
    item.scene = std::get<int>(index);
    const Scene& scene = study_.scenes[item.scene];
    item.b = settings_;
    std::vector<std::string> axes;
    for (const std::string& a : assignments) {
        item.name += (item.name.empty() ? "" : " ") + a;
        if (!a.starts_with("scene=") && !a.starts_with("spheres=")) axes.push_back(a);
    }
    item.group = assignments.back();
    assignAll(item.b, axes);
    item.problem = unsupported(item.b, scene);
    for (const std::string& a : axes) {
        const Axis& axis = *findAxis(a.substr(0, a.find('=')));
        if (item.problem.empty() && !axis.matters(item.b))
            item.problem = fmt::format("{} means nothing here", axis.id);
    }
    if (item.problem.empty()) bases_.try_emplace(item.scene, item.b);
    const auto base = bases_.find(item.scene);
    item.a = base == bases_.end() ? item.b : base->second;
    study_.items.push_back(std::move(item));
    return {};
}

}  // namespace

std::variant<SweepAxis, std::string> sweepAxisFrom(std::string_view text) {
    const size_t equals = text.find('=');
    SweepAxis sweep{std::string(text.substr(0, equals)), {}};
    const Axis* axis = findAxis(sweep.id);
    const bool pseudo = sweep.id == "scene" || sweep.id == "spheres";
    if (sweep.id == "backend")
        return "a sweep stays on one backend: rayscope compare --a backend=cpu --b backend=cuda";
    if (axis == nullptr && !pseudo)
        return fmt::format(
            "unknown axis '{}': an axis of rayscope info, scene or spheres was "
            "expected",
            sweep.id);
    if (equals == std::string_view::npos) {
        if (sweep.id == "scene") sweep.values = sceneNames();
        if (sweep.id == "spheres") sweep.values = doubling(8, 4096);
        if (axis != nullptr) sweep.values = allValues(*axis);
        return sweep;
    }
    const std::string_view values = text.substr(equals + 1);
    const size_t dots = sweep.id == "scene" ? values.npos : values.find("..");
    if (dots != values.npos) {
        const auto low = numberFrom(values.substr(0, dots));
        const auto high = numberFrom(values.substr(dots + 2));
        if (!low || !high || *low < 1 || *high < *low)
            return fmt::format("'{}': numbers LOW..HIGH were expected, 1 or more", text);
        sweep.values = doubling(*low, *high);
    } else {
        sweep.values = split(values);
    }
    if (sweep.values.size() > kMostSweepValues)
        return fmt::format("{} has {} values: at most {} can be swept", sweep.id,
                           sweep.values.size(), kMostSweepValues);
    for (const std::string& value : sweep.values) {
        std::string reason = wrongValue(sweep.id, value);
        if (!reason.empty()) return reason;
    }
    return sweep;
}

std::variant<Study, std::string> sweepStudy(const SweepAxis& x, const std::optional<SweepAxis>& y,
                                            const Settings& settings, const SharedScene& scene) {
    if (y && y->id == x.id) return fmt::format("both directions are {}", x.id);
    Study study;
    study.kind = "sweep";
    study.title = y ? fmt::format("{} by {}", y->id, x.id) : x.id;
    study.grid =
        StudyGrid{x.id, y ? y->id : "", x.values, y ? y->values : std::vector<std::string>{}};
    Grid grid(study, settings, scene);
    for (size_t row = 0; row < (y ? y->values.size() : 1); ++row) {
        for (const std::string& value : x.values) {
            std::vector<std::string> assignments;
            if (y) assignments.push_back(y->id + "=" + y->values[row]);
            assignments.push_back(x.id + "=" + value);
            std::string reason = grid.add(assignments);
            if (!reason.empty()) return reason;
        }
    }
    const auto possible = [](const StudyItem& item) { return item.problem.empty(); };
    if (std::none_of(study.items.begin(), study.items.end(), possible))
        return fmt::format("nothing can be measured: {}", study.items.front().problem);
    return study;
}

}  // namespace rayscope
