#include "ui/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"
#include "renderer/lab/studies.h"
#include "ui/quote.h"

namespace rayscope {

namespace {

/// An item's time; in the window some of it goes to the picture.
constexpr double kItemSeconds = .6;
/// Records that are kept, and the spheres of all their scenes: some 110 MB.
constexpr std::size_t kMostRecords = 64, kMostSpheres = 1000000;
/// On the CPU passes over a large picture take long, so its pictures are a quarter each way.
constexpr int kCpuDivisor = 4;

Result<Study> studyFor(const LabChoice& choice, const State& state) {
    if (choice.experiment == Experiment::switches) return switchStudy(state.settings, state.scene);
    if (choice.usesLadder()) {
        const auto ladder = findLadder(choice.ladder);
        if (!ladder) return ladder.failure();
        const LadderStudy kind = choice.experiment == Experiment::steps ? LadderStudy::steps
                                 : choice.experiment == Experiment::addOne
                                     ? LadderStudy::addOne
                                     : LadderStudy::leaveOneOut;
        return ladderStudy(*ladder, kind, state.settings.backend);
    }
    std::vector<SweepAxis> axes;
    for (const std::string& name : {choice.x, choice.y}) {
        if (!axes.empty() && name == "none") break;
        auto axis = sweepAxisFrom(name);
        if (!axis) return axis.failure();
        axes.push_back(*std::move(axis));
    }
    const auto y = axes.size() > 1 ? std::optional(axes[1]) : std::nullopt;
    return sweepStudy(axes[0], y, state.settings, state.scene);
}

std::size_t spheresOf(const LabHistory& history) {
    std::size_t count = 0;
    for (const auto& record : history) {
        count += record->state.scene->spheres.size();
        for (const Scene& scene : record->study.scenes) count += scene.spheres.size();
    }
    return count;
}

}  // namespace

Settings comparable(const Settings& settings) {
    Settings result = canonical(settings);
    result.display = Display::host;
    result.seed = 1;
    return result;
}

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

std::string LabRecord::where() const {
    const bool several = study.scenes.size() > 1;
    const Scene& scene = study.scenes.empty() ? state.scene : study.scenes[0];
    const StudyWish& size = tuned ? tuneWish : wish;
    return fmt::format(
        "{}, {}, {}x{}", several ? fmt::format("{} scenes", study.scenes.size()) : scene.name,
        several ? "their own cameras" : viewText(view().value_or(scene.camera), scene), size.width,
        size.height);
}

std::string LabRecord::elsewhere(const State& shown) const {
    const std::vector<SharedScene>& scenes = study.scenes;
    const bool known = scenes.empty() ? state.scene == shown.scene
                                      : std::ranges::find(scenes, shown.scene) != scenes.end();
    if (!known) return "another scene";
    return view().value_or(shown.scene->camera) == shown.camera ? "" : "another view";
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
    experiment_ = choice.experiment;
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
    if (!study) return study.reason();
    StudyWish& wish = record_.wish;
    wish.seconds = kItemSeconds;
    wish.width = width;
    wish.height = height;
    record_.study = *std::move(study);
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
    std::string message = fmt::format("{}: done", record_.title);
    const std::vector<StudyItem>& items = study().items;
    const bool none = std::none_of(items.begin(), items.end(),
                                   [](const StudyItem& i) { return i.result.has_value(); });
    if (none && !items.empty())
        message = fmt::format("{}: given up ({})", record_.title, items.front().problem);
    keep();
    if (!machine_->cuda) machine_.reset();  // it may have failed: the next experiment tries again
    return message;
}

std::string Laboratory::timeLeft() const {
    const std::optional<double> seconds = running() ? job()->secondsLeft() : std::nullopt;
    return seconds ? durationText(*seconds) : std::string();
}

std::string Laboratory::doing() const {
    if (!running()) return {};
    std::string label = labelOf(experiment_);
    label.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(label.front())));
    const std::string left = timeLeft();
    return left.empty() ? label : label + ": " + left;
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
           (history_.size() > kMostRecords || spheresOf(history_) > kMostSpheres))
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

KnownSwitches Laboratory::switchesOf(const State& state) const {
    KnownSwitches known;
    const auto look = [&](const LabRecord& record, const Study& study) {
        const bool otherView = record.wish.view != state.camera;
        if (known.study != nullptr && otherView) return;
        if (study.kind != "switches" ||
            comparable(record.state.settings) != comparable(state.settings) ||
            study.scenes[0] != state.scene)
            return;
        known = {&study, otherView};
    };
    if (study_) look(record_, study_->study());
    for (auto record = history_.rbegin(); record != history_.rend(); ++record) {
        if (known.study != nullptr && !known.otherView) break;
        look(**record, (*record)->study);
    }
    return known;
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
    double most = 0;
    for (const StudyItem& item : switches->items) {
        const std::optional<Worth> worth = worthOf(item);
        if (item.group != axis.id || !worth || worth->ratio.value <= most) continue;
        best = &item;
        most = worth->ratio.value;
    }
    return best;
}

static constexpr std::size_t kMostResults = std::size_t{24} << 20;

std::string stemOf(const std::string& kind, std::string date) {
    std::replace(date.begin(), date.end(), ':', '-');
    return fmt::format("rayscope-{}-{}", kind, date);
}

std::string stemOf(const LabRecord& record) {
    return stemOf(record.tuned ? "autotune" : record.study.kind, record.date);
}

nlohmann::json pageReport(const LabRecord& record) {
    nlohmann::json report = record.json();
    std::string again = fmt::format("{} ", report.value("kind", ""));
    if (!record.tuned && !record.study.grid && record.study.kind != "switches") return report;
    if (const auto& grid = record.study.grid; grid && !record.tuned) {
        again += fmt::format("--x {}={} ", grid->x, fmt::join(grid->columns, ","));
        if (!grid->y.empty())
            again += fmt::format("--y {}={} ", grid->y, fmt::join(grid->rows, ","));
    }
    report["again"] = again;
    return report;
}

std::string save(const LabRecord& record, const std::string& stem) {
    auto saved = writeTextFile(stem + ".json", record.json().dump(2) + "\n", Existing::kept);
    if (saved) saved = writeTextFile(stem + ".csv", record.csv(), Existing::kept);
    return saved.reason();
}

nlohmann::json resultsOf(const LabHistory& history, const State& state) {
    nlohmann::json results = nlohmann::json::array();
    std::size_t bytes = 0;
    for (auto record = history.rbegin(); record != history.rend(); ++record) {
        nlohmann::json report = (*record)->json();
        if ((*record)->state.scene == state.scene) report["state"].erase("scene");
        const std::size_t more = report.dump().size();
        if (bytes + more > kMostResults) continue;
        bytes += more;
        results.push_back(std::move(report));
    }
    return results;
}

}  // namespace rayscope
