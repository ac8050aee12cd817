#include "renderer/lab/selfcheck_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/lab/comparison_report.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// What DESIGN promises and the rest is held to.
constexpr double kFalseAlarms = .05, kConfidence = .95, kCounting = .005;
/// Half the comparisons reach further: what is wanted from them is finer.
constexpr double kTooWide = .02;
/// Fewer comparisons say nothing about one in twenty.
constexpr int kEnough = 20;
/// Standard deviations of 99 %: of many machines that are fine hardly one is called wrong.
constexpr double kCertain = 2.576;
/// Twice the work may take so much more or less than twice the time: launches cost something.
constexpr double kTwice = .02;
/// The step of the clock over the shortest launch; what is compared are many launches.
constexpr double kStep = .001;

constexpr std::array<std::string_view, 3> kFindings{"ok", "unclear", "FAILED"};

std::string_view nameOf(Finding finding) {
    return kFindings[static_cast<size_t>(finding)];
}

std::string percent(double share, int digits) {
    return fmt::format("{:.{}f} %", 100 * share, digits);
}

/// "0.2 % [0.1, 0.3]"
std::string percent(const Interval& share) {
    const int digits = share.halfWidth() < .001 ? 2 : 1;
    return fmt::format("{0:.{3}f} % [{1:.{3}f}, {2:.{3}f}]", 100 * share.value, 100 * share.lower,
                       100 * share.upper, digits);
}

/// "512 ns", "4.1 us", "10.2 ms"
std::string duration(double ms) {
    if (ms < 1e-3) return fmt::format("{:.0f} ns", ms * 1e6);
    if (ms < 1) return fmt::format("{:.1f} us", ms * 1e3);
    return fmt::format("{:.1f} ms", ms);
}

Check falseAlarms(const SelfcheckResult& r) {
    const SameWithSame& s = r.same;
    Check check{"false alarms", Finding::unclear, "not measured"};
    if (s.comparisons == 0) return check;
    check.sentence = fmt::format("{} of {} comparisons of a setting with itself found a difference",
                                 s.measurable, s.comparisons);
    if (s.comparisons < kEnough) return check;
    const bool few = s.measurable <= kFalseAlarms * s.comparisons;
    check.finding = few ? Finding::ok : Finding::failed;
    return check;
}

Check intervals(const SelfcheckResult& r) {
    const SameWithSame& s = r.same;
    Check check{"intervals", Finding::unclear, "not measured"};
    if (s.comparisons == 0) return check;
    const Interval seen = probabilityOf(s.containing, s.comparisons);
    check.sentence = fmt::format(
        "95 % contained 1 in {} of {} ({:.0f} to {:.0f} % of all; 95 are expected); half of them "
        "within {:.2f} %, the ratio furthest from 1 was {:.3f}",
        s.containing, s.comparisons, 100 * seen.lower, 100 * seen.upper, 100 * s.halfWidth,
        s.largest);
    if (s.comparisons < kEnough) return check;
    const bool often = probabilityOf(s.containing, s.comparisons, kCertain).upper >= kConfidence;
    check.finding = !often                   ? Finding::failed
                    : s.halfWidth > kTooWide ? Finding::unclear
                                             : Finding::ok;
    return check;
}

Check twice(const SelfcheckResult& r) {
    Check check{"twice the work", Finding::unclear, "not measured"};
    if (!r.twice) return check;
    const Interval& t = *r.twice;
    check.sentence = fmt::format("twice the samples took {} the time", timesText(t));
    const double least = 2 * (1 - kTwice), most = 2 * (1 + kTwice);
    if (least <= t.lower && t.upper <= most) check.finding = Finding::ok;
    if (t.upper < least || most < t.lower) check.finding = Finding::failed;
    return check;
}

Check counting(const SelfcheckResult& r) {
    Check check{"counting rays", Finding::unclear, "not measured"};
    if (r.counting.empty()) return check;
    check.finding = r.counting.size() == r.scenes.size() ? Finding::ok : Finding::unclear;
    check.sentence = "it takes";
    for (const CountingCost& c : r.counting) {
        const bool first = &c == &r.counting.front();
        check.sentence += fmt::format("{} {} of {}", first ? "" : ",", percent(c.share), c.scene);
        if (c.share.lower > kCounting + r.placement)
            check.finding = Finding::failed;
        else if (c.share.upper > kCounting && check.finding == Finding::ok)
            check.finding = Finding::unclear;
    }
    check.sentence += fmt::format("; at most {} is promised", percent(kCounting, 1));
    if (r.placement > 0) {
        check.sentence +=
            fmt::format(", and chance in the compiled code can make {}", percent(r.placement, 0));
    }
    return check;
}

Check timer(const SelfcheckResult& r) {
    Check check{"clock", Finding::unclear, "not measured"};
    if (!r.timer) return check;
    const TimerFacts& t = *r.timer;
    if (t.stepMs <= 0) return {"clock", Finding::failed, "it says 0 for every launch"};
    const double share = t.stepMs / t.shortestMs;
    check.finding = share <= kStep ? Finding::ok : Finding::failed;
    check.sentence = fmt::format(
        "steps of {}, {} for a launch of almost nothing; the shortest launch timed has {}: a step "
        "is {} of it",
        duration(t.stepMs), duration(t.leastMs), duration(t.shortestMs), percent(share, 5));
    return check;
}

Check conditions(const SelfcheckResult& r) {
    const ConditionsSummary& c = r.conditions;
    if (!c.warning.empty()) return {"conditions", Finding::unclear, c.warning};
    if (!c.missing.empty()) return {"conditions", Finding::unclear, c.missing};
    if (c.samples == 0) return {"conditions", Finding::unclear, "not measured"};
    std::string sentence = "nothing slowed the processor down";
    if (c.clockMhz) {
        sentence += fmt::format(", its clock between {:.0f} and {:.0f} MHz", c.clockMhz->lowest,
                                c.clockMhz->highest);
    }
    if (c.load) sentence += fmt::format(", load {:.1f} at most", c.load->highest);
    return {"conditions", Finding::ok, sentence};
}

std::string verdict(const std::vector<Check>& checks) {
    if (failed(checks)) return "Do not trust ratios from here before what FAILED is mended.";
    const bool all = std::all_of(checks.begin(), checks.end(),
                                 [](const Check& c) { return c.finding == Finding::ok; });
    return all ? "The numbers can be trusted."
               : "Nothing speaks against the numbers, but not all is known (--time, a quiet "
                 "machine).";
}

}  // namespace

std::vector<Check> checksOf(const SelfcheckResult& r) {
    return {falseAlarms(r), intervals(r), twice(r), counting(r), timer(r), conditions(r)};
}

bool failed(const std::vector<Check>& checks) {
    return std::any_of(checks.begin(), checks.end(),
                       [](const Check& c) { return c.finding == Finding::failed; });
}

std::string textOf(const SelfcheckResult& r) {
    std::string text =
        fmt::format("{}  ({})\n{}x{},", r.device.name, r.device.detail, r.width, r.height);
    for (const std::string& scene : r.scenes) text += " " + scene;
    text += "\n\n";
    const std::vector<Check> checks = checksOf(r);
    for (const Check& c : checks)
        text += fmt::format("{:<8} {:<15} {}\n", nameOf(c.finding), c.name, c.sentence);
    return text + "\n" + verdict(checks) + "\n";
}

json reportOf(const SelfcheckResult& r) {
    json report = reportHead("selfcheck", r.device);
    report["conditions"] = toJson(r.conditions);
    report["size"] = {r.width, r.height};
    report["scenes"] = r.scenes;
    report["complete"] = r.complete;
    report["same"] = {{"comparisons", r.same.comparisons},
                      {"measurable", r.same.measurable},
                      {"contain_1", r.same.containing},
                      {"median_half_width", r.same.halfWidth},
                      {"largest_ratio", r.same.largest}};
    if (r.twice) report["twice"] = toJson(*r.twice);
    for (const CountingCost& c : r.counting) report["counting_cost"][c.scene] = toJson(c.share);
    if (r.timer) {
        report["clock"] = {{"step_ms", r.timer->stepMs},
                           {"least_launch_ms", r.timer->leastMs},
                           {"call_ms", r.timer->callMs},
                           {"shortest_launch_ms", r.timer->shortestMs}};
    }
    for (const Check& c : checksOf(r)) {
        report["checks"].push_back(
            {{"name", c.name}, {"finding", nameOf(c.finding)}, {"sentence", c.sentence}});
    }
    report["verdict"] = verdict(checksOf(r));
    return report;
}

}  // namespace rayscope
