#include "renderer/lab/autotune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "renderer/choices/axes.h"
#include "renderer/lab/comparison_report.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// "--set axis=value ..." that leads from `before` to `after`.
std::string optionsText(const Settings& before, const Settings& after) {
    std::istringstream words(difference(before, after));
    std::string text;
    for (std::string word; words >> word;) text += (text.empty() ? "--set " : " --set ") + word;
    return text;
}

}  // namespace

std::string roundText(const Autotune& job, size_t index) {
    const AutotuneRound& round = job.rounds()[index];
    const std::vector<const Candidate*> order = ranking(round);
    std::string text = fmt::format("{}, {:.2g} s each\n", round.name, round.seconds);
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
            if (c.problem.empty())
                entry["samples_ratio"] = toJson(c.ratio);
            else
                entry["problem"] = c.problem;
            candidates.push_back(std::move(entry));
        }
        rounds.push_back({{"name", round.name},
                          {"seconds", round.seconds},
                          {"candidates", std::move(candidates)}});
    }
    json report =
        reportHead("autotune", job.proof() ? job.proof()->speed.sides[1].device : DeviceInfo{});
    report.update({{"state", toJson(state)},
                   {"size", {wish.width, wish.height}},
                   {"seed", wish.seed},
                   {"rounds", std::move(rounds)},
                   {"rejected", job.rejected()},
                   {"winner", toJson(job.winner())},
                   {"changes", difference(job.start(), job.winner())}});
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
