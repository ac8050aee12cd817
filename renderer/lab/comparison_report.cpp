#include "renderer/lab/comparison_report.h"

#include <fmt/format.h>

#include <cmath>

#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

std::string sideRow(char name, const Measurement& m, const std::string& settings) {
    const Spread& rate = m.kernelRate;
    return fmt::format("{}  {:>12.2f} {:>8.2f} % {:>8.3f} {:>8} x {:<6} {}\n", name,
                       rate.median / 1e6, 50 * (rate.upper - rate.lower) / rate.median,
                       m.raysPerSample, m.passes, m.passSamples, settings);
}

json numberOf(double v) {
    return std::isfinite(v) ? json(v) : json();
}

/// What is missing of the conditions stays missing.
std::string conditionsLine(const ConditionsSummary& c) {
    if (!c.clockMhz) return c.warning;
    std::string text = fmt::format("{:.0f} to {:.0f} MHz", c.clockMhz->lowest, c.clockMhz->highest);
    if (c.celsius) text += fmt::format(", at most {:.0f} \u00b0C", c.celsius->highest);
    if (c.watts) text += fmt::format(", at most {:.0f} W", c.watts->highest);
    if (!c.warning.empty()) text += "; " + c.warning;
    return text;
}

std::string workLines(const EqualWorkResult& w, bool colour) {
    const bool red = colour && w.verdict == Verdict::different;
    std::string text = fmt::format("work        {}{}{}: {}\n", red ? "\033[31m" : "",
                                   nameOf(w.verdict), red ? "\033[0m" : "", w.sentence);
    text +=
        fmt::format("            rays a sample {:.4f} and {:.4f}, brightness {:.5f} and {:.5f}\n",
                    w.a.raysPerSample, w.b.raysPerSample, w.a.brightness.mean, w.b.brightness.mean);
    if (w.verdict == Verdict::identical) return text;
    text += fmt::format("            pixels differ at most {:.3g}, 99.9 % of them at most {:.3g}\n",
                        w.pixels.largest, w.pixels.all999);
    if (w.referenceSamples == 0 || w.verdict == Verdict::sameRays) return text;
    return text + fmt::format("            relMSE of a sample {:.4g} and {:.4g}\n", w.a.relMse.mean,
                              w.b.relMse.mean);
}

json toJson(const Estimate& e) {
    return {{"mean", numberOf(e.mean)}, {"standard_error", numberOf(e.error)}};
}

json toJson(const SideWork& side) {
    return {{"rays_per_sample", side.raysPerSample},
            {"shadow_rays_per_sample", side.shadowRays},
            {"rays_per_depth", side.depthRays},
            {"brightness", toJson(side.brightness)},
            {"mse", toJson(side.mse)},
            {"rel_mse", toJson(side.relMse)},
            {"empty_pixels", side.emptyPixels}};
}

}  // namespace

json toJson(const Interval& interval) {
    return {{"value", numberOf(interval.value)},
            {"lower", numberOf(interval.lower)},
            {"upper", numberOf(interval.upper)},
            {"confidence", .95}};
}

json toJson(const EqualWorkResult& work) {
    return {{"verdict", nameOf(work.verdict)},
            {"sentence", work.sentence},
            {"less_work", work.lessWork},
            {"a", toJson(work.a)},
            {"b", toJson(work.b)},
            {"largest_pixel_difference", work.pixels.largest},
            {"pixel_difference_99_9_percentile", work.pixels.all999},
            {"pixels_beyond_rounding", work.pixels.share},
            {"size", {work.width, work.height}},
            {"batches", work.batches},
            {"samples_per_batch", work.samples},
            {"reference_samples", work.referenceSamples}};
}

std::string timesText(const Interval& ratio) {
    return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", ratio.value, ratio.lower, ratio.upper);
}

std::string sentenceOf(const CompareResult& result) {
    const Interval& r = result.samples;
    if (!result.measurable)
        return fmt::format("no measurable difference [{:.3f}, {:.3f}]", r.lower, r.upper);
    const int digits = r.halfWidth() < .005 ? 3 : 2;
    return fmt::format("B is {0:.{3}f}x A [{1:.{3}f}, {2:.{3}f}]", r.value, r.lower, r.upper,
                       digits);
}

std::string sentenceOf(const PairResult& result) {
    std::string sentence = sentenceOf(result.speed);
    if (!result.work) return sentence;
    sentence += fmt::format(", {}", nameOf(result.work->verdict));
    if (result.work->lessWork) sentence += ", less work";
    return sentence;
}

std::string tableOf(const ComparedPair& pair, const PairResult& pairResult, bool colour) {
    const CompareResult& result = pairResult.speed;
    const Settings &a = pair.state.settings, &b = pair.b;
    const std::string same = a.backend == b.backend ? difference(b, a) : describe(a);
    const std::string other = a.backend == b.backend ? difference(a, b) : describe(b);
    std::string text = fmt::format("   {:>12} {:>10} {:>8} {:>17} {}\n", "M rays/s", "spread",
                                   "rays/spl", "passes x samples", "settings");
    const char* alike = "(the same settings)";
    text += sideRow('A', result.sides[0], same.empty() ? alike : same);
    text += sideRow('B', result.sides[1], other.empty() ? alike : other);
    text += "\n" + sentenceOf(pairResult) + "\n";
    const Interval &r = result.rays, &s = result.samples;
    if (!s.contains(r.value) && result.measurable) {
        text += fmt::format("in rays a second {}: samples differ in work\n", timesText(r));
    }
    if (const std::optional<Interval> e = efficiencyOf(pairResult)) {
        text += fmt::format(
            "efficiency, 1 / (MSE x time): B is {:.3f}x A [{:.3f}, {:.3f}] at {}x{}\n", e->value,
            e->lower, e->upper, pairResult.work->width, pairResult.work->height);
    }
    if (!result.narrow) {
        text += fmt::format("the time was up after {} rounds: more narrows the interval (--time)\n",
                            result.rounds);
    }
    text += pairResult.work ? "\n" + workLines(*pairResult.work, colour)
                            : fmt::format("\nwork        not compared: {}\n", pairResult.noWork);
    const CodeVerdict& code = pairResult.code;
    if (!code.sentence.empty()) text += fmt::format("code        {}\n", code.sentence);
    const std::string conditions = conditionsLine(pairResult.conditions);
    if (!conditions.empty()) text += fmt::format("conditions  {}\n", conditions);
    if (!pairResult.oneProcessor)
        text += fmt::format("      of A  {}\n", conditionsLine(pairResult.conditionsA));
    return text;
}

json toJson(const PairResult& pair, const Settings& a, const Settings& b) {
    const CompareResult& result = pair.speed;
    json report = {{"a", toJson(result.sides[0])},      {"b", toJson(result.sides[1])},
                   {"rays_ratio", toJson(result.rays)}, {"samples_ratio", toJson(result.samples)},
                   {"measurable", result.measurable},   {"narrow", result.narrow},
                   {"rounds", result.rounds},           {"conditions", toJson(pair.conditions)},
                   {"sentence", sentenceOf(pair)}};
    report["a"]["settings"] = toJson(a);
    report["b"]["settings"] = toJson(b);
    if (!pair.oneProcessor) report["conditions_a"] = toJson(pair.conditionsA);
    if (!pair.code.sentence.empty())
        report["code"] = {{"relation", nameOf(pair.code.relation)},
                          {"sentence", pair.code.sentence}};
    if (pair.work)
        report["work"] = toJson(*pair.work);
    else
        report["no_work"] = pair.noWork;
    if (const std::optional<Interval> e = efficiencyOf(pair))
        report["efficiency_ratio"] = toJson(*e);
    return report;
}

json reportOf(const ComparedPair& pair, const PairResult& result) {
    json report = reportHead("comparison", result.speed.sides[1].device);
    report.update(toJson(result, pair.state.settings, pair.b));
    report["state"] = toJson(pair.state);
    report["size"] = {pair.width, pair.height};
    return report;
}

}  // namespace rayscope
