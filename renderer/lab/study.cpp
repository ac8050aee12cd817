#include "renderer/lab/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"
#include "renderer/lab/wire.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// Of the work's comparison: fewer than where one pair is all that is asked for, and where the CPU
/// works smaller pictures too, as it would take longer than the times.
constexpr int kBatches = 8, kCpuSamples = 8, kCpuDivisor = 2, kCpuReferenceSamples = 128;

/// What an item's work usually takes to compare.
constexpr double kWorkSeconds = 1.5;

constexpr size_t kWidestName = 56;

size_t nameWidth(const Study& study) {
    return std::min(widthOf(8, study.items, &StudyItem::name), kWidestName);
}

std::string workOf(const StudyItem& item) {
    if (!item.result || !item.result->work) return {};
    std::string text(nameOf(item.result->work->verdict));
    if (item.result->work->lessWork) text += ", less work";
    return text;
}

/// Of many efficiencies hardly any is to differ from 1 by chance: 99 %, as of speeds, where the
/// interval that is shown has 95 %.
constexpr double kStricter = 2.576 / 1.960;

bool surelyNotOne(const Interval& ratio) {
    const double below = ratio.value * std::pow(ratio.lower / ratio.value, kStricter);
    const double above = ratio.value * std::pow(ratio.upper / ratio.value, kStricter);
    return above < 1 || below > 1;
}

/// A table of the grid whose cells are `cell(item)`.
template <class Cell>
std::string tableOf(const Study& study, const std::string& corner, const Cell& cell) {
    const StudyGrid& grid = *study.grid;
    const size_t first = widthOf(corner.size(), grid.rows, std::identity());
    std::string text = fmt::format("{:<{}}", corner, first);
    for (const std::string& column : grid.columns) text += fmt::format(" {:>10}", column);
    text += "\n";
    const size_t rows = std::max<size_t>(grid.rows.size(), 1);
    for (size_t r = 0; r < rows; ++r) {
        text += fmt::format("{:<{}}", grid.rows.empty() ? "" : grid.rows[r], first);
        for (size_t c = 0; c < grid.columns.size(); ++c) {
            const StudyItem& item = study.items[r * grid.columns.size() + c];
            text += fmt::format(" {:>10}", item.result ? cell(item) : "-");
        }
        text += "\n";
    }
    return text;
}

/// Of the side that is asked about.
DeviceInfo deviceOf(const Study& study) {
    for (const StudyItem& item : study.items) {
        if (item.result) return item.result->speed.sides[1].device;
    }
    return {};
}

}  // namespace

StudyJob::StudyJob(Machine& machine, Study study, const StudyWish& wish)
    : machine_(machine),
      study_(std::move(study)),
      wish_(wish),
      parts_(partsOf()),
      workbench_(machine) {
    for (size_t i = 0; i < study_.items.size(); ++i) {
        if (!study_.items[i].problem.empty()) parts_.settle(static_cast<int>(i));
    }
}

Parts StudyJob::partsOf() {
    return {wish_.helpers,
            {static_cast<int>(study_.items.size()),
             [this](int part) {
                 const StudyItem& item = study_.items[static_cast<size_t>(part)];
                 return textOf({item.a, item.b, item.scene, wish_.seconds, wish_.work});
             },
             [this](int part, const std::string& reply) {
                 return fromBytes(reply, study_.items[static_cast<size_t>(part)]);
             }}};
}

/// Items that cannot be had take no time.
double StudyJob::share() const {
    double all = 0, done = job_ ? job_->share() : 0;
    for (size_t i = 0; i < study_.items.size(); ++i) {
        const StudyItem& item = study_.items[i];
        if (!item.result && !item.problem.empty()) continue;
        all += 1;
        done += parts_.isDone(static_cast<int>(i));
    }
    return all > 0 ? done / all : 1;
}

double StudyJob::expectedSeconds() const {
    const auto items = std::count_if(study_.items.begin(), study_.items.end(),
                                     [](const StudyItem& item) { return item.problem.empty(); });
    return static_cast<double>(items) *
           (wish_.seconds + kItemWarmUpSeconds + (wish_.work ? kWorkSeconds : 0));
}

std::string StudyJob::label() const {
    if (ahead_) return ahead_->label();
    return current_ < study_.items.size() ? study_.items[current_].name : std::string();
}

PairWish StudyJob::wishFor(const StudyItem& item) const {
    const Scene& scene = study_.scenes[item.scene];
    PairWish wish;
    wish.speed = wish_;
    wish.speed.camera = wish_.view.value_or(scene.camera);
    if (wish_.clock == PassClock::kernel && (alternates(item.a) || alternates(item.b)))
        wish.speed.clock = PassClock::loop;
    if (!wish_.work) return wish;
    wish.work = equalWorkWish(item.a, item.b, scene);
    wish.work->camera = wish.speed.camera;
    wish.work->batches = kBatches;
    if (!worksOnHost(item.a) && !worksOnHost(item.b)) return wish;
    wish.work->samples = kCpuSamples;
    wish.work->width = std::max(wish.work->width / kCpuDivisor, 1);
    wish.work->height = std::max(wish.work->height / kCpuDivisor, 1);
    wish.work->referenceSamples = kCpuReferenceSamples;
    return wish;
}

/// There is a job then, or the item's problem.
void StudyJob::begin() {
    StudyItem& item = study_.items[current_];
    for (const Settings* s : {&item.a, &item.b}) {
        if (!item.problem.empty()) return;
        const auto entered = workbench_.enter(*s, study_.scenes[item.scene]);
        if (!entered) item.problem = entered.reason();
    }
    if (!item.problem.empty()) return;
    job_ = std::make_unique<PairJob>(Contestant{machine_.of(item.a.backend), item.a},
                                     Contestant{machine_.of(item.b.backend), item.b}, wishFor(item),
                                     watches_);
}

/// Of the sides that a GPU renders; with the work, those of each film that is compared.
std::vector<CodeWish> StudyJob::kernels() const {
    const Renderer* const gpu = machine_.of(Backend::cuda);
    std::vector<CodeWish> all;
    for (const StudyItem& item : study_.items) {
        const SharedScene& scene = study_.scenes[item.scene];
        for (Settings s : {item.a, item.b}) {
            if (gpu == nullptr || !item.problem.empty() || s.backend != Backend::cuda) continue;
            s.variant.countDepths = false;
            all.push_back({s, scene, gpu->device().architecture});
            if (!wish_.work) continue;
            s.variant.countDepths = true;
            all.push_back({s, scene, gpu->device().architecture});
        }
    }
    return all;
}

Steps StudyJob::run() {
    ahead_ = std::make_unique<CompileAhead>(kernels());
    co_await play(*ahead_);
    ahead_.reset();
    while (!parts_.over()) {
        const auto part = parts_.next();
        if (!part) {
            std::this_thread::sleep_for(kHelpersWait);
            co_await kPause;
            continue;
        }
        current_ = static_cast<size_t>(*part);
        StudyItem& item = study_.items[current_];
        const SharedScene& scene = study_.scenes[item.scene];
        try {
            begin();
            co_await kPause;
            // the reference that work is compared with walks the hierarchy, too
            const bool walks = job_ && (wish_.work || walksSahTree(item.a) || walksSahTree(item.b));
            while (walks && !workbench_.hierarchyReady(scene, leftMs())) co_await kPause;
            for (; job_ && !job_->step(leftMs()); parts_.serve()) co_await kPause;
            if (job_) take(item, scene);
        } catch (const std::exception& error) {
            const bool cuda = item.a.backend == Backend::cuda || item.b.backend == Backend::cuda;
            job_.reset();
            item.problem = workbench_.failed(error, cuda, item.name);
            if (workbench_.leavesTheRest(wish_.helpers, cuda)) {
                problem_ = std::exchange(item.problem, {});
                parts_.collect();
                co_return;
            }
        }
        job_.reset();
        parts_.finish(*part, [&] { return bytesOf(item); });
    }
    current_ = study_.items.size();
}

/// What the job, which has ended, says of the item.
void StudyJob::take(StudyItem& item, const SharedScene& scene) {
    item.problem = job_->problem();
    if (!item.problem.empty()) return;
    item.result = job_->result();
    item.result->code =
        compareCode(item.a, item.b, scene, machine_.of(item.b.backend)->device().architecture,
                    Compiling::never);
}

void StudyJob::cancel() {
    SteppedJob::cancel();
    if (ahead_) ahead_->cancel();
    job_.reset();
    parts_.collect();
}

std::optional<Worth> worthOf(const StudyItem& item) {
    if (!item.result || item.result->different()) return {};
    const PairResult& r = *item.result;
    const bool sameWork =
        r.work ? r.work->verdict != Verdict::sameExpectation : !changesPaths(item.a, item.b);
    if (sameWork) return Worth{r.speed.samples, false, r.speed.speed()};
    const std::optional<Interval> e = efficiencyOf(r);
    if (!e) return {};
    return Worth{*e, true, verdictOf(*e, surelyNotOne(*e))};
}

std::string efficiencyText(const StudyItem& item) {
    const std::optional<Worth> worth = worthOf(item);
    return worth && worth->efficiency ? "efficiency " + timesText(worth->ratio) : std::string();
}

std::string shortText(const StudyItem& item) {
    if (!item.problem.empty()) return item.problem;
    if (!item.result) return {};
    const CompareResult& speed = item.result->speed;
    const Interval& r = speed.samples;
    if (speed.measurable) return timesText(r);
    if (!r.contains(1))
        return fmt::format("probably {:.2f}x [{:.3f}, {:.3f}]", r.value, r.lower, r.upper);
    return fmt::format("{} [{:.3f}, {:.3f}]", nameOf(speed.speed()), r.lower, r.upper);
}

std::string rowOf(const Study& study, const StudyItem& item) {
    std::string name = item.name;
    if (name.size() > kWidestName) {
        name.resize(kWidestName - 3);
        name += "...";
    }
    std::string verdict = workOf(item);
    if (item.result && item.result->code.relation == CodeRelation::noise)
        verdict += fmt::format("{}identical code", verdict.empty() ? "" : ", ");
    if (const std::string efficiency = efficiencyText(item); !efficiency.empty())
        verdict += ", " + efficiency;
    std::string line =
        fmt::format("{:<{}}  {:<30}  {}", name, nameWidth(study), shortText(item), verdict);
    while (line.back() == ' ') line.pop_back();
    return line + "\n";
}

std::string gridOf(const Study& study) {
    const StudyGrid& grid = *study.grid;
    const std::string corner = grid.y.empty() ? grid.x : grid.y + " \\ " + grid.x;
    std::string text = "M rays/s\n";
    text += tableOf(study, corner, [](const StudyItem& item) {
        return fmt::format("{:.1f}", item.result->speed.rates[1].median / 1e6);
    });
    text += "\nsamples a second, times the first of its scene\n";
    text += tableOf(study, corner, [](const StudyItem& item) {
        return fmt::format("{:.3f}", item.result->speed.samples.value);
    });
    std::string reasons;
    for (const StudyItem& item : study.items) {
        if (!item.problem.empty())
            reasons += fmt::format("- {}: {}\n", item.name, item.problem);
        else if (!item.fitted.empty())
            reasons += fmt::format("- {}: with {}\n", item.name, item.fitted);
    }
    return reasons.empty() ? text : text + "\n" + reasons;
}

json reportOf(const Study& study, const StudyWish& wish, const State& state) {
    json items = json::array();
    for (const StudyItem& item : study.items) {
        json entry = {{"name", item.name},
                      {"group", item.group},
                      {"scene", study.scenes[item.scene]->name},
                      {"settings_a", toJson(item.a)},
                      {"settings_b", toJson(item.b)}};
        if (!item.fitted.empty()) entry["fitted"] = item.fitted;
        if (!item.problem.empty())
            entry["problem"] = item.problem;
        else if (item.result)
            entry["result"] = toJson(*item.result, item.a, item.b);
        items.push_back(std::move(entry));
    }
    const bool complete =
        std::all_of(study.items.begin(), study.items.end(),
                    [](const StudyItem& item) { return item.result || !item.problem.empty(); });
    json report = reportHead(study.kind, deviceOf(study), complete, wish.width, wish.height);
    report.update({{"title", study.title},
                   {"state", toJson(state)},
                   {"seconds", wish.seconds},
                   {"clock", nameOf(wish.clock)},
                   {"items", std::move(items)}});
    if (study.grid) {
        report["grid"] = {{"x", study.grid->x},
                          {"y", study.grid->y},
                          {"columns", study.grid->columns},
                          {"rows", study.grid->rows}};
    }
    return report;
}

std::string csvOf(const Study& study) {
    std::string text =
        "name,group,scene,ratio,lower,upper,measurable,rays_per_second,rays_per_sample,verdict,"
        "problem\n";
    for (const StudyItem& item : study.items) {
        const CompareResult s = item.result ? item.result->speed : CompareResult{};
        const auto number = [&](double v) { return item.result ? csvNumber(v) : ""; };
        text += csvLine({item.name, item.group, study.scenes[item.scene]->name,
                         number(s.samples.value), number(s.samples.lower), number(s.samples.upper),
                         item.result ? fmt::format("{}", s.measurable) : "",
                         number(s.rates[1].median), number(s.sides[1].raysPerSample),
                         workOf(item), item.problem});
    }
    return text;
}

}  // namespace rayscope
