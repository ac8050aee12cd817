#include "ui/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/choices/axes.h"
#include "renderer/lab/autotune.h"
#include "renderer/lab/report.h"
#include "renderer/lab/studies.h"
#include "renderer/lab/study.h"

namespace rayscope {

namespace {

/// An item's time; in the window some of it goes to the picture.
constexpr double kRunSeconds = .6;
/// Records that are kept, and the spheres of all their scenes: some 110 MB.
constexpr std::size_t kMostRecords = 64, kMostRecordedSpheres = 1000000;
/// On the CPU passes over a large picture take long, so its pictures are a quarter each way.
constexpr int kCpuDivisor = 4;

std::variant<Study, std::string> studyFor(const LabChoice& choice, const State& state) {
    switch (choice.experiment) {
        case Experiment::sweep: {
            const auto x = sweepAxisFrom(choice.x);
            if (const auto* reason = std::get_if<std::string>(&x)) return *reason;
            std::optional<SweepAxis> y;
            if (choice.y != "none") {
                const auto axis = sweepAxisFrom(choice.y);
                if (const auto* reason = std::get_if<std::string>(&axis)) return *reason;
                y = std::get<SweepAxis>(axis);
            }
            return sweepStudy(std::get<SweepAxis>(x), y, state.settings, state.scene);
        }
        case Experiment::steps:
        case Experiment::addOne:
        case Experiment::leaveOneOut: {
            const auto ladder = findLadder(choice.ladder);
            if (!ladder) return ladder.reason();
            const LadderStudy kind = choice.experiment == Experiment::steps ? LadderStudy::steps
                                     : choice.experiment == Experiment::addOne
                                         ? LadderStudy::addOne
                                         : LadderStudy::leaveOneOut;
            return ladderStudy(*ladder, kind, state.settings.backend);
        }
        default:
            return switchStudy(state.settings, state.scene);
    }
}

std::size_t spheresOf(const LabHistory& history) {
    std::size_t count = 0;
    for (const auto& record : history) {
        count += record->state.scene->spheres.size();
        for (const Scene& scene : record->study.scenes) count += scene.spheres.size();
    }
    return count;
}

/// What the window decides for itself is no part of a setting.
Settings asRecorded(Settings s) {
    s = canonical(s);
    s.display = Display::host;
    s.seed = 1;
    return s;
}

}  // namespace

const char* labelOf(Experiment experiment) {
    constexpr std::array<const char*, kExperiments> kLabels{
        "All switches",          "Ladder: steps", "Ladder: add one",
        "Ladder: leave one out", "Sweep",         "Autotune"};
    return kLabels[static_cast<size_t>(experiment)];
}

std::vector<std::string> sweepAxes(const Settings& settings) {
    std::vector<std::string> names;
    for (const Axis& axis : axes()) {
        if (axis.id == "backend" || !axis.matters(settings)) continue;
        if (!alternatives(axis, settings).empty()) names.emplace_back(axis.id);
    }
    names.emplace_back("spheres");
    names.emplace_back("scene");
    return names;
}

nlohmann::json LabRecord::json() const {
    nlohmann::json report =
        tuned ? reportOf(*tuned, tuneWish, state) : reportOf(study, wish, state);
    report["date"] = date;
    return report;
}

std::string LabRecord::csv() const {
    return tuned ? csvOf(*tuned) : csvOf(study);
}

std::string Laboratory::start(const LabChoice& choice, const State& state, int width, int height) {
    if (running()) return "an experiment is under way";
    try {
        if (!machine_) machine_ = open_();
        return begin(choice, state, width, height);
    } catch (const std::runtime_error& error) {
        machine_.reset();
        return error.what();
    }
}

std::string Laboratory::begin(const LabChoice& choice, const State& state, int width, int height) {
    record_ = {};
    record_.state = state;
    record_.date = utcNow();
    const int divisor = state.settings.backend == Backend::cpu ? kCpuDivisor : 1;
    width = std::max(width / divisor, 1);
    height = std::max(height / divisor, 1);
    if (choice.experiment == Experiment::autotune) {
        record_.title = fmt::format("Autotune {}", state.scene->name);
        record_.tuneWish.view = state.camera;
        record_.tuneWish.width = width;
        record_.tuneWish.height = height;
        for (Renderer* renderer : {machine_->cpu.get(), machine_->cuda.get()}) {
            if (renderer != nullptr) renderer->setScene(state.scene);
        }
        search_ =
            std::make_shared<Autotune>(*machine_, state.settings, state.scene, record_.tuneWish);
        record_.tuned = search_;
        return {};
    }
    auto study = studyFor(choice, state);
    if (const auto* reason = std::get_if<std::string>(&study)) return *reason;
    StudyWish& wish = record_.wish;
    wish.seconds = kRunSeconds;
    wish.width = width;
    wish.height = height;
    record_.study = std::get<Study>(std::move(study));
    record_.title = record_.study.title;
    const std::vector<SharedScene>& scenes = record_.study.scenes;
    if (scenes.size() == 1 && scenes[0] == state.scene) wish.view = state.camera;
    wish.work = choice.experiment != Experiment::sweep;
    study_ = std::make_unique<StudyJob>(*machine_, record_.study, wish);
    return {};
}

std::string Laboratory::step(double budgetMs) {
    if (!running()) return {};
    try {
        if (!job()->step(budgetMs)) return {};
    } catch (const std::runtime_error& error) {
        const std::string message = fmt::format("{}: given up ({})", record_.title, error.what());
        reopen();
        return message;
    }
    const std::string message = fmt::format("{}: done", record_.title);
    keep();
    return message;
}

void Laboratory::cancel() {
    if (running()) keep();
}

void Laboratory::reopen() {
    cancel();
    machine_.reset();
}

/// The experiment ends; its record joins the history where anything was found out.
void Laboratory::keep() {
    if (study_) record_.study = study_->study();
    const bool any =
        search_ || std::any_of(record_.study.items.begin(), record_.study.items.end(),
                               [](const StudyItem& i) { return i.result.has_value(); });
    job()->cancel();
    study_.reset();
    search_.reset();
    if (!any) return;
    history_.push_back(std::make_shared<const LabRecord>(std::move(record_)));
    while (history_.size() > 1 &&
           (history_.size() > kMostRecords || spheresOf(history_) > kMostRecordedSpheres))
        history_.erase(history_.begin());
    record_ = {};
    shown_ = static_cast<int>(history_.size()) - 1;
}

const LabRecord* Laboratory::shown() const {
    if (running()) return &record_;
    return shown_ >= 0 ? history_[static_cast<size_t>(shown_)].get() : nullptr;
}

const Study& Laboratory::study() const {
    if (study_) return study_->study();
    static const Study kNone;
    return shown() != nullptr ? shown()->study : kNone;
}

const Study* Laboratory::switchesOf(const State& state) const {
    const auto fits = [&](const LabRecord& record, const Study& study) {
        return study.kind == "switches" &&
               asRecorded(record.state.settings) == asRecorded(state.settings) &&
               study.scenes[0] == state.scene;
    };
    if (study_ && fits(record_, study_->study())) return &study_->study();
    for (auto record = history_.rbegin(); record != history_.rend(); ++record) {
        if (fits(**record, (*record)->study)) return &(*record)->study;
    }
    return nullptr;
}

const StudyItem* worth(const Study* switches, const Axis& axis, int value) {
    if (switches == nullptr) return nullptr;
    for (const StudyItem& item : switches->items) {
        if (item.group == axis.id && axis.get(item.b) == value) return &item;
    }
    return nullptr;
}

const StudyItem* bestOf(const Study* switches, const Axis& axis) {
    if (switches == nullptr) return nullptr;
    const StudyItem* best = nullptr;
    for (const StudyItem& item : switches->items) {
        if (item.group != axis.id || !item.result) continue;
        if (best == nullptr || item.result->speed.samples.value > best->result->speed.samples.value)
            best = &item;
    }
    return best;
}

}  // namespace rayscope
