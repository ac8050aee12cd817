// Reports of one question from several machines.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "renderer/page/sections.h"
#include "renderer/page/svg.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// Rays a sample that differ by more are other work: paths differ between machines by rounding.
constexpr double kSameWork = .005;

/// Reports of equal keys asked the same.
std::string keyOf(const json& report) {
    const json size = report.value("size", json());
    return fmt::format("{}|{}|{}|{}", textAt(report, "/kind"), titleOf(report), size.dump(),
                       textAt(report, "/ladder"));
}

std::string machineOf(const json& report) {
    return fmt::format("{}<br><small>{}</small>", escaped(textAt(report, "/device")),
                       escaped(textAt(report, "/date")));
}

/// A median with the quartiles of so many passes, which may be missing.
struct Rate {
    PageFigure middle;
    std::optional<PageFigure> lower, upper;
    double passes = 0;
    /// Half of the median's 95 % interval, relative to it: 1.96 times the standard error, which is
    /// 1.25 standard deviations over the root of the number, of which the quartiles are 1.35 apart
    /// (McGill, Tukey and Larsen 1978, "Variations of Box Plots").
    double relative() const {
        if (!lower || !upper || !(passes > 1)) return 0;
        return 1.96 * 1.25 / 1.35 * (upper->value - lower->value) / std::sqrt(passes) /
               middle.value;
    }
};

std::optional<Rate> rateAt(const json& reports, const std::string& at, const char* middle,
                           const std::string& passes) {
    const auto value = figureAt(reports, at + middle);
    if (!value || !(value->value > 0)) return {};
    const auto count = figureAt(reports, passes);
    return Rate{*value, figureAt(reports, at + "/lower"), figureAt(reports, at + "/upper"),
                count ? count->value : 0};
}

/// The factor between two machines with an interval: relative half widths of independent rates add
/// as squares.
std::string factorOf(const Rate& rate, const Rate& first) {
    const double factor = rate.middle.value / first.middle.value;
    const double half = std::hypot(rate.relative(), first.relative());
    std::string html = quotientOf(rate.middle, first.middle);
    if (half > 0)
        html += fmt::format(" <small>[{:.3f}, {:.3f}]</small>", factor * std::exp(-half),
                            factor * std::exp(half));
    return html;
}

/// A row of a question: what is asked of all machines.
struct Question {
    std::string name;
    std::string rate;       ///< pointer within a report
    const char* middle;     ///< within the rate
    std::string perSample;  ///< rays a sample, which say whether the work is the same
    std::string passes;     ///< how many the quartiles are of
};

std::vector<Question> questionsOf(const json& report) {
    const std::string kind = textAt(report, "/kind");
    if (kind == "comparison")
        return {{"A", "/rates/0", "/median", "/a/rays_per_sample", "/rounds"},
                {"B", "/rates/1", "/median", "/b/rays_per_sample", "/rounds"}};
    if (kind == "render" || kind == "screenshot") return {{"", "", "/rays_per_second", "", ""}};
    std::vector<Question> questions;
    for (const char* list : {"rungs", "items"}) {
        if (!report.contains(list) || !report[list].is_array()) continue;
        for (std::size_t k = 0; k < report[list].size(); ++k) {
            const std::string at = fmt::format("/{}/{}", list, k),
                              name = textAt(report, at + "/name");
            if (std::string_view(list) == "rungs")
                questions.push_back(
                    {name, at + "/measured", "/median", at + "/rays_per_sample", at + "/passes"});
            else
                questions.push_back({name, at + "/result/rates/1", "/median",
                                     at + "/result/b/rays_per_sample", at + "/result/rounds"});
        }
    }
    return questions;
}

/// "the same" or by how much rays a sample differ from those of the first machine.
std::string workOf(const json& reports, const std::string& at, const std::string& first) {
    const auto here = figureAt(reports, at), there = figureAt(reports, first);
    if (!here || !there || !(there->value > 0)) return "not known";
    const double difference = std::abs(here->value / there->value - 1);
    return difference <= kSameWork ? "the same" : fmt::format("{:.1f} % other", 100 * difference);
}

std::string tableOfMachines(const json& reports, const std::vector<std::size_t>& group) {
    std::vector<std::vector<std::string>> rows;
    for (const Question& question : questionsOf(reports[group[0]])) {
        const auto at = [&](std::size_t i, const std::string& there) {
            return fmt::format("/{}{}", i, there);
        };
        const auto rateOf = [&](std::size_t i) {
            return rateAt(reports, at(i, question.rate), question.middle, at(i, question.passes));
        };
        const auto first = rateOf(group[0]);
        double largest = 0;
        for (const std::size_t i : group)
            if (const auto rate = rateOf(i))
                largest = std::max(largest, rate->upper ? rate->upper->value : rate->middle.value);
        // rungs are reported in the unit of their ladder, all else in rays a second
        const std::string unit = textAt(reports[group[0]], question.rate + "/unit");
        const Format format = unit.empty() ? formatFor(largest, "rays/s") : Format{1, 2, unit};
        for (const std::size_t i : group) {
            const auto rate = rateOf(i);
            if (!rate) {
                rows.push_back(
                    {escaped(question.name), machineOf(reports[i]), "", "\u2014", "", ""});
                continue;
            }
            Marks marks;
            marks.bar = rate->middle;
            marks.lower = rate->lower;
            marks.upper = rate->upper;
            marks.label = question.name;
            rows.push_back({escaped(question.name), machineOf(reports[i]),
                            svgOf(marks, {0, largest}),
                            htmlOf(rate->middle, format) + " " + escaped(format.unit),
                            first && i != group[0] ? factorOf(*rate, *first) : "1",
                            question.perSample.empty() ? "not known"
                                                       : workOf(reports, at(i, question.perSample),
                                                                at(group[0], question.perSample))});
        }
    }
    return tableOf({"", "machine", "", "rate", "factor", "work"}, rows);
}

}  // namespace

std::string machinesOf(const json& reports) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < reports.size(); ++i) groups[keyOf(reports[i])].push_back(i);
    std::string html;
    for (const auto& [key, group] : groups) {
        if (group.size() < 2 || questionsOf(reports[group[0]]).empty()) continue;
        html += "<section>\n" + heading(2, titleOf(reports[group[0]])) +
                paragraph(fmt::format("{} machines. Bars show medians over the passes, lines the "
                                      "interquartile range. Factors are relative to the first "
                                      "machine, with 95 % intervals. Work is compared by rays per "
                                      "sample.",
                                      group.size()),
                          "note") +
                tableOfMachines(reports, group) + "</section>\n";
    }
    return html;
}

}  // namespace rayscope
