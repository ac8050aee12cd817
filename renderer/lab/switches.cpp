#include "renderer/lab/switches.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

StudyItem itemOf(const Settings& a, const Settings& b, const Scene& scene) {
    StudyItem item;
    item.name = difference(a, b);
    item.a = a;
    item.b = b;
    item.problem = unsupported(b, scene);
    return item;
}

/// Settings whose differences can be had one at a time: `to` in place of `from` on one axis.
std::vector<const Axis*> axesThatDiffer(const Settings& from, const Settings& to) {
    std::vector<const Axis*> result;
    for (const Axis& axis : axes()) {
        const bool matters = axis.matters(from) || axis.matters(to);
        if (matters && axis.get(from) != axis.get(to)) result.push_back(&axis);
    }
    return result;
}

/// From `base`, one axis at a time becomes what it is in `other`.
void addChanges(Study& study, const Settings& base, const Settings& other, const Scene& scene) {
    for (const Axis* axis : axesThatDiffer(base, other)) {
        Settings changed = base;
        choose(changed, *axis, axis->get(other));
        if (canonical(changed) == canonical(base)) continue;  // belongs to another axis' change
        StudyItem item = itemOf(base, changed, scene);
        item.group = axis->id;
        study.items.push_back(item);
    }
}

/// What leads from the first rung to the last, in the first rung's scene.
std::string addSingles(Study& study, const Ladder& ladder, bool add, Backend preferred) {
    const std::string& name = ladder.rungs.front().scene;
    auto found = findScene(name);
    if (!found) return found.reason();
    study.scenes.push_back(*std::move(found));
    const Scene& scene = study.scenes[0];
    std::vector<Settings> rungs;
    for (size_t i = 0; i < ladder.rungs.size(); ++i) {
        const Rung& rung = ladder.rungs[i];
        const Settings s = settingsOf(ladder, static_cast<int>(i), scene, preferred);
        const bool possible = rung.scene == name && meaningless(rung, s).empty() &&
                              s.backend == preferred && unsupported(s, scene).empty();
        if (possible) rungs.push_back(s);
    }
    if (rungs.size() < 2)
        return fmt::format("{} has fewer than two rungs of {} that can be had here", ladder.name,
                           name);
    addChanges(study, add ? rungs.front() : rungs.back(), add ? rungs.back() : rungs.front(),
               scene);
    return {};
}

std::string addSteps(Study& study, const Ladder& ladder, Backend preferred) {
    std::map<std::string, int> known;
    for (size_t i = 0; i < ladder.rungs.size(); ++i) {
        const Rung& rung = ladder.rungs[i];
        if (rung.from < 0) continue;
        if (!known.contains(rung.scene)) {
            auto scene = findScene(rung.scene);
            if (!scene) return scene.reason();
            known[rung.scene] = static_cast<int>(study.scenes.size());
            study.scenes.push_back(*std::move(scene));
        }
        const Scene& scene = study.scenes[known[rung.scene]];
        const Settings b = settingsOf(ladder, static_cast<int>(i), scene, preferred);
        const Settings a = settingsOf(ladder, rung.from, scene, preferred);
        StudyItem item = itemOf(a, b, scene);
        item.name = rung.name;
        item.group = difference(a, b);
        item.scene = known[rung.scene];
        const std::string reason = meaningless(rung, b);
        if (!reason.empty()) item.problem = reason;
        if (ladder.rungs[rung.from].scene != rung.scene)
            item.problem = "the rung before has another scene: " + ladder.rungs[rung.from].scene;
        study.items.push_back(item);
    }
    return {};
}

}  // namespace

std::vector<int> alternatives(const Axis& axis, const Settings& settings) {
    std::vector<int> result;
    if (axis.reader == Reader::host) return result;
    const int now = axis.get(settings);
    if (axis.kind != AxisKind::number) {
        for (int value = axis.minimum; value <= axis.maximum; ++value) {
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
        for (const int value : alternatives(axis, settings)) {
            Settings changed = settings;
            choose(changed, axis, value);
            StudyItem item = itemOf(settings, changed, scene);
            item.group = axis.id;
            study.items.push_back(item);
        }
    }
    return study;
}

std::variant<Study, std::string> ladderStudy(const Ladder& ladder, LadderStudy kind,
                                             Backend preferred) {
    Study study;
    const char* title = ": each rung against the one that it changes";
    study.kind = "steps";
    std::string reason;
    if (kind == LadderStudy::steps) {
        reason = addSteps(study, ladder, preferred);
    } else {
        const bool add = kind == LadderStudy::addOne;
        study.kind = add ? "add-one" : "leave-one-out";
        title = add ? ": each change alone, added to the first rung"
                    : ": each change alone, taken back from the last rung";
        reason = addSingles(study, ladder, add, preferred);
    }
    if (!reason.empty()) return reason;
    study.title = ladder.name + title;
    return study;
}

}  // namespace rayscope
