#include "renderer/lab/comparison_report.h"

#include <fmt/format.h>

#include <cmath>

#include "renderer/axes.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

json toJson(const Interval& interval) {
    const auto number = [](double v) { return std::isfinite(v) ? json(v) : json(); };
    return {{"value", number(interval.value)},
            {"lower", number(interval.lower)},
            {"upper", number(interval.upper)},
            {"confidence", .95}};
}

std::string sideRow(char name, const Measurement& m, const std::string& settings) {
    const Spread& rate = m.kernelRate;
    return fmt::format("{}  {:>12.2f} {:>8.2f} % {:>8.3f} {:>8} x {:<6} {}\n", name,
                       rate.median / 1e6, 50 * (rate.upper - rate.lower) / rate.median,
                       m.raysPerSample, m.passes, m.passSamples, settings);
}

}  // namespace

std::string sentenceOf(const CompareResult& result) {
    const Interval& r = result.samples;
    if (!result.measurable)
        return fmt::format("no measurable difference [{:.3f}, {:.3f}]", r.lower, r.upper);
    const int digits = r.halfWidth() < .005 ? 3 : 2;
    return fmt::format("B is {0:.{3}f}x A [{1:.{3}f}, {2:.{3}f}]", r.value, r.lower, r.upper,
                       digits);
}

std::string tableOf(const ComparedPair& pair, const CompareResult& result) {
    const Settings &a = pair.state.settings, &b = pair.b;
    const std::string same = a.backend == b.backend ? difference(b, a) : describe(a);
    const std::string other = a.backend == b.backend ? difference(a, b) : describe(b);
    std::string text = fmt::format("   {:>12} {:>10} {:>8} {:>17} {}\n", "M rays/s", "spread",
                                   "rays/spl", "passes x samples", "settings");
    text += sideRow('A', result.sides[0], same);
    text += sideRow('B', result.sides[1], other);
    text += "\n" + sentenceOf(result) + "\n";
    const Interval &r = result.rays, &s = result.samples;
    if (!s.contains(r.value) && result.measurable) {
        text += fmt::format("in rays a second {:.3f}x [{:.3f}, {:.3f}]: samples differ in work\n",
                            r.value, r.lower, r.upper);
    }
    if (!result.narrow) {
        text += fmt::format("the time was up after {} rounds: more narrows the interval (--time)\n",
                            result.rounds);
    }
    return text;
}

json reportOf(const ComparedPair& pair, const CompareResult& result) {
    json sides = json::array();
    for (int i = 0; i < 2; ++i) {
        json side = rayscope::toJson(result.sides[i]);
        side["settings"] = toJson(i == 0 ? pair.state.settings : pair.b);
        sides.push_back(side);
    }
    State state = pair.state;
    return {{"kind", "comparison"},
            {"version", RAYSCOPE_VERSION},
            {"state", toJson(state)},
            {"size", {pair.width, pair.height}},
            {"a", sides[0]},
            {"b", sides[1]},
            {"rays_ratio", toJson(result.rays)},
            {"samples_ratio", toJson(result.samples)},
            {"measurable", result.measurable},
            {"narrow", result.narrow},
            {"rounds", result.rounds},
            {"sentence", sentenceOf(result)}};
}

}  // namespace rayscope
