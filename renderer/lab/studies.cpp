#include "renderer/lab/studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "renderer/scene/field.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

/// Its index in Study::scenes.
int placeOf(Study& study, const SharedScene& scene) {
    const auto known = std::ranges::find(study.scenes, scene);
    const auto place = static_cast<int>(known - study.scenes.begin());
    if (known == study.scenes.end()) study.scenes.push_back(scene);
    return place;
}

StudyItem itemOf(const Settings& a, const Settings& b, const Scene& scene) {
    StudyItem item;
    item.name = difference(a, b);
    item.a = a;
    item.b = b;
    item.problem = unsupported(b, scene);
    return item;
}

/// The settings where one value of an axis is exchanged for that of `base`, with all that the value
/// brought along: only what both have can tell what the value alone is worth. `base` where they
/// cannot be had.
Settings exchanged(const Settings& base, const Settings& changed, const Axis& axis,
                   const Scene& scene) {
    Settings before = changed;
    axis.set(before, axis.get(base));
    const bool differs = canonical(before) != canonical(changed);
    return differs && unsupported(before, scene).empty() ? before : base;
}

/// `base` against the same with another value on one axis, in the first scene. What the value
/// needs, another engine for instance, both sides have.
void addChange(Study& study, const Settings& base, const Axis& axis, int value) {
    Settings changed = base;
    choose(changed, axis, value);
    const Scene& scene = study.scenes[0];
    const Settings before = exchanged(base, changed, axis, scene);
    StudyItem& item = study.items.emplace_back(itemOf(before, changed, scene));
    if (const std::string both = difference(base, before); !both.empty())
        item.name += ", both with " + both;
    item.group = axis.id;
}

/// What leads from the first rung to the last, in the first rung's scene, one axis at a time.
Result<void> addSingles(Study& study, const Ladder& ladder, bool add, Backend preferred) {
    const std::string& name = ladder.rungs.front().scene;
    auto found = findScene(name);
    if (!found) return found.failure();
    const Scene& scene = study.scenes.emplace_back(*std::move(found));
    std::vector<Settings> rungs;
    for (size_t i = 0; i < ladder.rungs.size(); ++i) {
        const Rung& rung = ladder.rungs[i];
        const Settings s = settingsOf(ladder, static_cast<int>(i), scene, preferred);
        const bool possible = rung.scene == name && !ofSimulation(rung.measures) &&
                              meaningless(rung, s).empty() && s.backend == preferred &&
                              unsupported(s, scene).empty();
        if (possible) rungs.push_back(s);
    }
    if (rungs.size() < 2)
        return Failure{fmt::format("{} has fewer than two rungs of {} that can be had here",
                                   ladder.name, name)};
    const Settings &base = add ? rungs.front() : rungs.back(),
                   &other = add ? rungs.back() : rungs.front();
    for (const Axis& axis : axes()) {
        const bool matters = axis.matters(base) || axis.matters(other);
        if (matters && axis.get(base) != axis.get(other))
            addChange(study, base, axis, axis.get(other));
    }
    std::erase_if(study.items, [&](const StudyItem& item) {  // belongs to another axis' change
        return canonical(item.b) == canonical(base);
    });
    return {};
}

Result<void> addSteps(Study& study, const Ladder& ladder, Backend preferred) {
    Scenes scenes;
    for (size_t i = 0; i < ladder.rungs.size(); ++i) {
        const Rung& rung = ladder.rungs[i];
        if (rung.from < 0) continue;
        const auto found = scenes.find(rung.scene);
        if (!found) return found.failure();
        const Scene& scene = *found;
        const Settings b = settingsOf(ladder, static_cast<int>(i), scene, preferred);
        const Settings a = settingsOf(ladder, rung.from, scene, preferred);
        StudyItem& item = study.items.emplace_back(itemOf(a, b, scene));
        item.group = std::exchange(item.name, rung.name);
        item.scene = placeOf(study, *found);
        if (const std::string reason = meaningless(rung, b); !reason.empty()) item.problem = reason;
        if (ofSimulation(rung.measures))
            item.problem =
                "studies compare the rays of pictures, and this rung measures steps of a "
                "simulation: rayscope ladder shows them";
        if (ladder.rungs[rung.from].scene != rung.scene)
            item.problem = "the rung before has another scene: " + ladder.rungs[rung.from].scene;
    }
    return {};
}

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

/// Why it is no value of the axis.
Result<void> checkValue(const std::string& id, const std::string& value) {
    if (id == "scene") {
        const auto scene = findScene(value);
        return scene ? Result<void>() : scene.failure();
    }
    if (id == "spheres" && !fieldCount("field-" + value))
        return Failure{
            fmt::format("spheres={}: a number from 2 to {} was expected", value, kMaxSpheres)};
    Settings scratch;
    return id == "spheres" ? Result<void>() : assign(scratch, id + "=" + value);
}

std::vector<std::string> allValues(const Axis& axis) {
    if (axis.kind == AxisKind::number) return doubling(axis.minimum, axis.maximum);
    std::vector<std::string> values;
    for (const AxisValue& value : axis.values) values.push_back(value.id);
    return values;
}

/// The settings where the scene has them, else those that it starts with, at the same depth.
Settings fittedTo(const Scene& scene, const Settings& settings, const Scene& before) {
    if (unsupported(settings, scene).empty()) return settings;
    std::string reason;
    Settings fitted = forScene(settings, before, scene, &reason);
    fitted.depth = settings.depth;
    return fitted;
}

/// The cell of these values of axes, in `scene` where none of them names another.
Result<void> addCell(Study& study, Scenes& scenes, const Settings& settings,
                     const SharedScene& scene, const Assignments& values) {
    StudyItem item;
    Result<SharedScene> found = scene;
    std::vector<std::string> assignments;
    for (const auto& [id, value] : values) {
        item.group = id + "=" + value;
        item.name += (item.name.empty() ? "" : " ") + item.group;
        if (id == "scene")
            found = scenes.find(value);
        else if (id == "spheres")
            found = scenes.find("field-" + value);
        else
            assignments.push_back(item.group);
    }
    if (!found) return found.failure();
    item.scene = placeOf(study, *found);
    Settings asked = settings;
    assignAll(asked, assignments);
    item.b = fittedTo(**found, settings, *scene);
    assignAll(item.b, assignments);
    item.fitted = difference(asked, item.b);
    item.problem = unsupported(item.b, *found);
    for (const auto& [id, value] : values) {
        const Axis* axis = findAxis(id);
        if (axis != nullptr && item.problem.empty() && !axis->matters(item.b))
            item.problem = fmt::format("{} means nothing here", id);
    }
    study.items.push_back(item);
    const auto base = std::find_if(
        study.items.begin(), study.items.end(),
        [&](const StudyItem& other) { return other.scene == item.scene && other.problem.empty(); });
    study.items.back().a = base == study.items.end() ? item.b : base->b;
    return {};
}

}  // namespace

std::vector<int> alternatives(const Axis& axis, const Settings& settings) {
    std::vector<int> result;
    if (axis.reader == Reader::host || axis.reader == Reader::simulation) return result;
    const int now = axis.get(settings);
    if (axis.kind != AxisKind::number) {
        for (int value = 0; value < static_cast<int>(axis.values.size()); ++value) {
            if (value != now) result.push_back(value);
        }
        return result;
    }
    for (const int value : {now / 2, now == 0 ? 1 : 2 * now}) {
        if (value != now && value >= std::max(axis.minimum, 1) && value <= axis.maximum)
            result.push_back(value);
    }
    return result;
}

Study switchStudy(const Settings& settings, const SharedScene& scene) {
    Study study;
    study.kind = "switches";
    study.title = "What is each switch worth?";
    study.scenes.push_back(scene);
    for (const Axis& axis : axes()) {
        if (!axis.matters(settings) || axis.id == "backend") continue;
        for (const int value : alternatives(axis, settings))
            addChange(study, settings, axis, value);
    }
    return study;
}

Result<Study> ladderStudy(const Ladder& ladder, LadderStudy kind, Backend preferred) {
    struct Words {
        const char *kind, *title;
    };
    constexpr std::array<Words, 3> kWords{
        {{"steps", "each rung against the one that it changes"},
         {"add-one", "each change alone, added to the first rung"},
         {"leave-one-out", "each change alone, taken back from the last rung"}}};
    const Words& words = kWords[static_cast<size_t>(kind)];
    Study study;
    study.kind = words.kind;
    study.title = fmt::format("{}: {}", ladder.name, words.title);
    const auto added = kind == LadderStudy::steps
                           ? addSteps(study, ladder, preferred)
                           : addSingles(study, ladder, kind == LadderStudy::addOne, preferred);
    if (!added) return added.failure();
    return study;
}

Result<SweepAxis> sweepAxisFrom(std::string_view text) {
    const size_t equals = text.find('=');
    SweepAxis sweep{std::string(text.substr(0, equals)), {}};
    const Axis* axis = findAxis(sweep.id);
    const bool pseudo = sweep.id == "scene" || sweep.id == "spheres";
    if (sweep.id == "backend")
        return Failure{
            "a sweep stays on one backend: rayscope compare --a backend=cpu --b backend=cuda"};
    if (axis == nullptr && !pseudo)
        return Failure{fmt::format(
            "unknown axis '{}': an axis of rayscope info, scene or spheres was expected",
            sweep.id)};
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
            return Failure{fmt::format("'{}': numbers LOW..HIGH were expected, 1 or more", text)};
        sweep.values = doubling(*low, *high);
    } else {
        sweep.values = split(values);
    }
    if (sweep.values.size() > kMostSweepValues)
        return Failure{fmt::format("{} has {} values: at most {} can be swept", sweep.id,
                                   sweep.values.size(), kMostSweepValues)};
    for (const std::string& value : sweep.values) {
        if (const auto valid = checkValue(sweep.id, value); !valid) return valid.failure();
    }
    return sweep;
}

Result<Study> sweepStudy(const SweepAxis& x, const std::optional<SweepAxis>& y,
                         const Settings& settings, const SharedScene& scene) {
    if (y && y->id == x.id) return Failure{fmt::format("both directions are {}", x.id)};
    if (y && findAxis(x.id) == nullptr && findAxis(y->id) == nullptr) {
        return Failure{
            fmt::format("{} and {} both choose the scene: sweep one of them", x.id, y->id)};
    }
    Study study;
    study.kind = "sweep";
    study.title = y ? fmt::format("{} by {}", y->id, x.id) : x.id;
    study.grid =
        StudyGrid{x.id, y ? y->id : "", x.values, y ? y->values : std::vector<std::string>{}};
    Scenes scenes;
    for (const std::string& row : y ? y->values : std::vector<std::string>{""}) {
        for (const std::string& value : x.values) {
            Assignments values;
            if (y) values.emplace_back(y->id, row);
            values.emplace_back(x.id, value);
            const auto added = addCell(study, scenes, settings, scene, values);
            if (!added) return added.failure();
        }
    }
    const auto possible = [](const StudyItem& item) { return item.problem.empty(); };
    if (std::none_of(study.items.begin(), study.items.end(), possible))
        return Failure{fmt::format("nothing can be measured: {}", study.items.front().problem)};
    return study;
}

}  // namespace rayscope
