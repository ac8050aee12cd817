#include "renderer/lab/autotune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <sstream>

#include "renderer/lab/comparison.h"
#include "renderer/lab/report.h"
#include "renderer/lab/studies.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// So many are measured twice as long, and of these so many longer still, which are then proved one
/// after the other.
constexpr size_t kSemifinalists = 6, kFinalists = 3;
/// A value is drawn with its speed alone to this power as its weight.
constexpr double kSharpness = 8;
/// Chance that an axis of a combination is left as it was in the beginning.
constexpr double kLeftAlone = .4;
constexpr int kDrawsEach = 40;  ///< for a combination that is new and can be had
/// Of the best: a climb that gains less is the last one; and changes that are tried together.
constexpr double kWorthClimbing = .01;
constexpr size_t kMostTogether = 8;
/// Changes with less than this of the best's speed are left out of later climbs.
constexpr double kWorthAnotherTry = .9;
/// An engine that alone had less than this of the beginning's speed is left out of combinations.
constexpr double kWorthCombining = .1;
/// An engine is climbed with if its best has at least this much of the best's speed, by part.
constexpr double kWorthAClimb[] = {.5, .8, .9};
/// Climbs that a search usually takes, for the estimate of its time.
constexpr double kUsualClimbs = 3;

bool alike(const Settings& a, const Settings& b) {
    return canonical(a) == canonical(b);
}

/// `settingsOf`: where an item has its settings.
template <class Items, class Of = std::identity>
bool contains(const Items& all, const Settings& one, Of settingsOf = {}) {
    return std::ranges::any_of(
        all, [&](const Settings& s) { return alike(s, one); }, settingsOf);
}

/// The fastest of a round.
std::vector<Settings> fastest(const AutotuneRound& round, size_t most) {
    std::vector<Settings> result;
    for (const Candidate* c : ranking(round)) {
        if (result.size() < most) result.push_back(c->settings);
    }
    return result;
}

/// "--set axis=value ..." that leads from `before` to `after`.
std::string optionsText(const Settings& before, const Settings& after) {
    std::istringstream words(difference(before, after));
    std::string text;
    for (std::string word; words >> word;) text += (text.empty() ? "--set " : " --set ") + word;
    return text;
}

}  // namespace

std::vector<const Candidate*> ranking(const AutotuneRound& round) {
    std::vector<const Candidate*> order;
    for (const Candidate& c : round.candidates) {
        if (c.problem.empty() && c.ratio.value > 0) order.push_back(&c);
    }
    std::sort(order.begin(), order.end(), [](const Candidate* a, const Candidate* b) {
        return a->ratio.value > b->ratio.value;
    });
    return order;
}

bool tunable(const Axis& axis) {
    return axis.effect == Effect::nothing;
}

Autotune::Autotune(Machine& machine, const Settings& settings, const SharedScene& scene,
                   const AutotuneWish& wish)
    : machine_(machine),
      start_(settings),
      winner_(start_),
      beginning_{start_, {}, {1, 1, 1}},
      scene_(scene),
      wish_(wish),
      device_(machine.of(settings.backend)->device()),
      random_(wish.seed) {
    climbing_ = singlesOf(start_, Part::code);
    std::ranges::copy(singlesOf(start_, Part::blocks), std::back_inserter(climbing_));
    beginSingles("single changes", beginning_);
}

Autotune::Part Autotune::partOf(const Axis& axis) {
    if (axis.id == "samples") return Part::launches;
    return axis.id == "block" || axis.id == "max_registers" ? Part::blocks : Part::code;
}

std::vector<Autotune::Single> Autotune::singlesOf(const Settings& settings, Part part) const {
    std::vector<Single> result;
    const auto add = [&](const Settings& from, auto wanted) {
        for (const StudyItem& item : switchStudy(from, scene_).items) {
            const Axis* const axis = findAxis(item.group);
            if (!wanted(*axis) || !tunable(*axis)) continue;
            if (!item.problem.empty() || alike(item.b, settings)) continue;
            if (contains(result, item.b, &Single::settings)) continue;
            result.push_back({axis, axis->get(item.b), item.b});
        }
    };
    add(settings, [&](const Axis& axis) { return partOf(axis) == part && axis.id != "block"; });
    if (part == Part::blocks) {
        Settings uncapped = settings;  // a cap on registers suits the block that it was found with
        uncapped.variant.maxRegisters = 0;
        add(uncapped, [](const Axis& axis) { return axis.id == "block"; });
    }
    return result;
}

bool Autotune::climbFrom(const Candidate& best, Part part) {
    Climb& climb = climbs_[{best.settings.variant.engine, part}];
    const Variant& now = best.settings.variant;
    if (now.blockX != climb.best.blockX || now.blockY != climb.best.blockY)
        std::erase_if(climb.losses, [](const auto& loss) { return loss.first == "max_registers"; });
    climb.best = now;
    climb.speed = best.ratio.value;
    climbing_ = singlesOf(best.settings, part);
    std::erase_if(climbing_, [&](const Single& s) {
        return climb.losses.contains({s.axis->id, s.value});
    });
    if (climbing_.empty()) return false;
    std::ranges::stable_sort(climbing_, std::ranges::greater{},
                             [&](const Single& s) { return weightOf(*s.axis, s.value); });
    keepInLast({best.settings});
    beginSingles("changes of the best", best);
    return true;
}

void Autotune::beginSingles(const std::string& name, const Candidate& reference) {
    std::vector<Settings> settings;
    for (const Single& single : climbing_) settings.push_back(single.settings);
    begin(name, settings, wish_.seconds, reference);
}

void Autotune::seeLosses(const Candidate& best, Part part) {
    Climb& climb = climbs_[{best.settings.variant.engine, part}];
    for (size_t i = 0; i < climbing_.size(); ++i) {
        const double speed = rounds_.back().candidates[i].ratio.value;
        if (speed > 0 && speed < kWorthAnotherTry * best.ratio.value)
            climb.losses.insert({climbing_[i].axis->id, climbing_[i].value});
    }
}

/// Engines have axes of their own, so their weight is 1, or 0 where they are far too slow.
void Autotune::weighSingles() {
    for (size_t i = 0; i < climbing_.size(); ++i) {
        const auto& [axis, value, settings] = climbing_[i];
        const double speed = rounds_.back().candidates[i].ratio.value;
        if (!(speed > 0)) continue;
        weights_[{axis->id, value}] = axis->id != "engine"       ? std::pow(speed, kSharpness)
                                      : speed >= kWorthCombining ? 1
                                                                 : 0;
    }
}

double Autotune::weightOf(const Axis& axis, int value) const {
    const auto known = weights_.find({axis.id, value});
    return known == weights_.end() ? 1 : known->second;
}

/// Draws an axis after the other, the faster alone the likelier.
Settings Autotune::combination() {
    Settings s = start_;
    std::uniform_real_distribution<double> uniform;
    for (const Axis& axis : axes()) {
        if (!tunable(axis) || partOf(axis) == Part::launches || !axis.matters(s)) continue;
        if (uniform(random_) < kLeftAlone) continue;
        std::vector<int> values = alternatives(axis, s);
        values.push_back(axis.get(s));
        std::vector<double> weights;
        for (const int value : values) weights.push_back(weightOf(axis, value));
        std::discrete_distribution<size_t> pick(weights.begin(), weights.end());
        choose(s, axis, values[pick(random_)]);
    }
    return s;
}

/// New ones, and the fastest of the single changes.
std::vector<Settings> Autotune::combinations() {
    const size_t wanted = static_cast<size_t>(wish_.candidates);
    std::vector<Settings> result = fastest(rounds_.back(), std::max<size_t>(wanted / 4, 1));
    for (int draw = 0; draw < kDrawsEach * wish_.candidates && result.size() < wanted; ++draw) {
        const Settings s = combination();
        if (alike(s, start_) || contains(result, s)) continue;
        const Renderer* const renderer = machine_.of(s.backend);  // none after it has failed
        if (renderer != nullptr && renderer->unsupported(s).empty()) result.push_back(s);
    }
    return result;
}

/// The changes of the last climb as far as they gain, one for each axis: the best two together, the
/// best three, and so on.
std::vector<Settings> Autotune::together(const Candidate& best) const {
    std::vector<Settings> result;
    std::set<const Axis*> changed;
    Settings all = best.settings;
    for (const Candidate* c : ranking(rounds_.back())) {
        if (c->ratio.value <= best.ratio.value) break;
        const auto index = static_cast<size_t>(c - rounds_.back().candidates.data());
        if (changed.contains(climbing_[index].axis)) continue;
        Settings next = all;
        for (const Axis& axis : axes()) {
            if (axis.get(c->settings) != axis.get(best.settings) && axis.matters(next))
                choose(next, axis, axis.get(c->settings));
        }
        const Renderer* const renderer = machine_.of(next.backend);
        if (renderer == nullptr || !renderer->unsupported(next).empty() || alike(next, all))
            continue;
        all = next;
        changed.insert(climbing_[index].axis);
        if (!contains(rounds_.back().candidates, all, &Candidate::settings)) result.push_back(all);
        if (changed.size() == kMostTogether) break;
    }
    return result;
}

std::vector<Candidate> Autotune::fastestSoFar() const {
    std::vector<Candidate> all;
    for (const AutotuneRound& round : rounds_ | std::views::reverse) {
        for (const Candidate* c : ranking(round)) {  // the latest round measured longest
            if (!contains(all, c->settings, &Candidate::settings)) all.push_back(*c);
        }
    }
    std::ranges::stable_sort(all, std::ranges::greater{},
                             [](const Candidate& c) { return c.ratio.lower; });
    return all;
}

std::optional<Candidate> Autotune::nextStart(Part part) const {
    const std::vector<Candidate> all = fastestSoFar();
    std::set<Engine> seen;
    std::optional<Candidate> next;
    const double worth = kWorthAClimb[static_cast<size_t>(part)];
    for (const Candidate& c : all) {
        if (c.ratio.lower < worth * all.front().ratio.lower) break;
        if (!seen.insert(c.settings.variant.engine).second) continue;
        const auto climb = climbs_.find({c.settings.variant.engine, part});
        if (climb == climbs_.end()) return c;
        const bool gained = c.ratio.lower > (1 + kWorthClimbing) * climb->second.speed;
        if (gained && !next) next = c;
    }
    return next;
}

void Autotune::compare(const Settings& reference, const std::vector<Settings>& candidates,
                       double seconds, bool work) {
    Study study;
    study.scenes.push_back(scene_);
    for (const Settings& candidate : candidates) {
        StudyItem& item = study.items.emplace_back();
        item.a = reference;
        item.b = candidate;
    }
    StudyWish wish = wish_;
    wish.seconds = seconds;
    wish.onlyFaster = !work;
    wish.work = work;
    job_ = std::make_unique<StudyJob>(machine_, std::move(study), wish);
}

void Autotune::begin(const std::string& name, const std::vector<Settings>& settings, double seconds,
                     const Candidate& reference) {
    AutotuneRound& round = rounds_.emplace_back(AutotuneRound{name, seconds, reference});
    roundBegan_ = Clock::now();
    for (const Settings& s : settings) round.candidates.push_back({s});
    compare(reference.settings, settings, seconds, false);
}

void Autotune::take() {
    AutotuneRound& round = rounds_.back();
    round.took = 1e-3 * millisecondsSince(roundBegan_);
    for (size_t i = 0; i < round.candidates.size(); ++i) {
        const StudyItem& item = job_->study().items[i];
        round.candidates[i].problem = item.problem;
        if (!item.result) continue;
        const Interval& beside = item.result->speed.samples;
        const double times = round.reference.ratio.value;
        round.candidates[i].ratio = {times * beside.value, times * beside.lower,
                                     times * beside.upper};
    }
}

/// What goes on of the last round.
void Autotune::keepInLast(const std::vector<Settings>& settings) {
    for (Candidate& c : rounds_.back().candidates) c.kept = contains(settings, c.settings);
}

bool Autotune::step(double budgetMs) {
    if (job_ && climbingSince_ && millisecondsSince(*climbingSince_) > 1e3 * wish_.climb) {
        climbingSince_.reset();
        job_->cancel();
    }
    const bool ended = SteppedJob::step(budgetMs);
    if (job_ && !proving_) take();
    return ended;
}

Steps Autotune::run() {
    co_await play(*job_);
    take();
    weighSingles();
    std::vector<Settings> next = combinations();
    keepInLast(next);
    begin(fmt::format("{} combinations", next.size()), next, wish_.seconds, beginning_);
    co_await play(*job_);
    take();
    climbingSince_ = Clock::now();
    for (const Part part : {Part::code, Part::blocks, Part::launches}) {
        while (const std::optional<Candidate> best = nextStart(part)) {
            if (part == Part::code && !climbingSince_) break;
            if (!climbFrom(*best, part)) continue;
            co_await play(*job_);
            take();
            seeLosses(*best, part);
            next = together(*best);
            keepInLast(next);
            if (next.empty()) continue;
            begin("the best changes together", next, wish_.seconds, *best);
            co_await play(*job_);
            take();
        }
        climbingSince_.reset();
    }
    double seconds = wish_.seconds;
    for (size_t most = kSemifinalists; most >= kFinalists; most /= 2) {
        next.clear();
        for (const Candidate& c : fastestSoFar() | std::views::take(most))
            next.push_back(c.settings);
        keepInLast(next);
        begin(fmt::format("the best {}", next.size()), next, seconds *= 2, beginning_);
        co_await play(*job_);
        take();
    }
    proving_ = true;
    const double proof = std::max(1., 4 * rounds_.back().seconds);
    for (const Candidate* finalist : ranking(rounds_.back())) {
        if (finalist->ratio.value <= 1) break;
        compare(start_, {finalist->settings}, proof, true);
        co_await play(*job_);
        if (accept(job_->study().items.front())) break;
    }
    job_.reset();
    done_ = true;
}

/// Whether a finalist has won; its work was compared, too.
bool Autotune::accept(const StudyItem& item) {
    std::string reason = item.problem;
    if (item.result) {
        const PairResult& r = *item.result;
        if (!r.work)
            reason = r.noWork;
        else if (r.different())
            reason = "DIFFERENT: " + r.work->sentence;
        else if (!r.speed.measurable || r.speed.samples.value <= 1)
            reason = "it is not measurably faster";
    }
    if (!reason.empty()) {
        rejected_.push_back(fmt::format("{}: {}", difference(start_, item.b), reason));
        return false;
    }
    proof_ = item.result;
    winner_ = item.b;
    for (Candidate& c : rounds_.back().candidates) c.kept |= alike(c.settings, winner_);
    return true;
}

void Autotune::cancel() {
    SteppedJob::cancel();
    job_.reset();
}

std::string Autotune::label() const {
    const std::string part = job_ && !proving_ ? job_->label() : std::string();
    return part.empty() ? rounds_.back().name : rounds_.back().name + ": " + part;
}

/// Of a search's usual climbs.
double Autotune::climbsExpected() const {
    return kUsualClimbs * static_cast<double>(rounds_.front().candidates.size() + kMostTogether);
}

double Autotune::itemsExpected() const {
    const double singles = static_cast<double>(rounds_.front().candidates.size());
    return singles + wish_.candidates + climbsExpected() + kSemifinalists + 2 * kFinalists;
}

double Autotune::expectedSeconds() const {
    const double each = wish_.seconds + kItemWarmUpSeconds, climbs = climbsExpected();
    return (itemsExpected() - climbs) * each + std::min(climbs * each, wish_.climb);
}

double Autotune::share() const {
    if (done_) return 1;
    double done = 0;
    for (const AutotuneRound& round : rounds_) done += static_cast<double>(round.candidates.size());
    if (job_ && !proving_)
        done -= (1 - job_->share()) * static_cast<double>(rounds_.back().candidates.size());
    return std::min(.95 * done / itemsExpected(), .99);
}

std::string roundText(const Autotune& job, size_t index) {
    const AutotuneRound& round = job.rounds()[index];
    const std::vector<const Candidate*> order = ranking(round);
    std::string text =
        fmt::format("{}, {:.2g} s each, in {:.0f} s\n", round.name, round.seconds, round.took);
    for (size_t i = 0; i < std::min(order.size(), kShownCandidates); ++i) {
        text += fmt::format("  {}  {}\n", timesText(order[i]->ratio),
                            difference(job.start(), order[i]->settings));
    }
    return text;
}

std::string winnerText(const Autotune& job) {
    std::string text;
    for (const std::string& reason : job.rejected())
        text += fmt::format("turned down  {}\n", reason);
    if (!job.proof())
        return text + "nothing is measurably faster than the settings it began with\n";
    text += fmt::format("winner       {}\n", sentenceOf(*job.proof()));
    return text + fmt::format("             {}\n", optionsText(job.start(), job.winner()));
}

json reportOf(const Autotune& job, const AutotuneWish& wish, const State& state) {
    json rounds = json::array();
    for (const AutotuneRound& round : job.rounds()) {
        json candidates = json::array();
        for (const Candidate& c : round.candidates) {
            json entry = {{"changes", difference(job.start(), c.settings)}, {"kept", c.kept}};
            if (!c.problem.empty()) entry["problem"] = c.problem;
            if (c.ratio.value > 0) entry["samples_ratio"] = toJson(c.ratio);
            candidates.push_back(std::move(entry));
        }
        rounds.push_back({{"name", round.name},
                          {"seconds", round.seconds},
                          {"took", round.took},
                          {"beside", difference(job.start(), round.reference.settings)},
                          {"candidates", std::move(candidates)}});
    }
    const bool complete = job.complete();
    json report = reportHead("autotune", job.device(), complete, wish.width, wish.height);
    report.update({{"state", toJson(state)},
                   {"seed", wish.seed},
                   {"climb", wish.climb},
                   {"rounds", std::move(rounds)},
                   {"rejected", job.rejected()}});
    if (complete) {
        report["winner"] = toJson(job.winner());
        report["changes"] = difference(job.start(), job.winner());
    }
    if (job.proof()) report["proof"] = toJson(*job.proof(), job.start(), job.winner());
    return report;
}

std::string csvOf(const Autotune& job) {
    std::string text = "round,changes,ratio,lower,upper,kept,problem\n";
    for (const AutotuneRound& round : job.rounds()) {
        for (const Candidate& c : round.candidates) {
            const auto number = [&](double v) { return c.problem.empty() ? csvNumber(v) : ""; };
            text += csvLine({round.name, difference(job.start(), c.settings), number(c.ratio.value),
                             number(c.ratio.lower), number(c.ratio.upper),
                             fmt::format("{}", c.kept), c.problem});
        }
    }
    return text;
}

}  // namespace rayscope
