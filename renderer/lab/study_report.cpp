#include "renderer/lab/study_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/choices/axes.h"
#include "renderer/lab/comparison_report.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr size_t kWidestName = 56;

size_t nameWidth(const Study& study) {
    size_t width = 8;
    for (const StudyItem& item : study.items) width = std::max(width, item.name.size());
    return std::min(width, kWidestName);
}

double raysPerSecond(const StudyItem& item) {
    return item.result->speed.sides[1].kernelRate.median;
}

std::string verdictOf(const StudyItem& item) {
    if (!item.result || !item.result->work) return {};
    std::string text(nameOf(item.result->work->verdict));
    if (item.result->work->lessWork) text += ", less work";
    return text;
}

/// A table of the grid whose cells are `cell(item)`.
template <class Cell>
std::string tableOf(const Study& study, const std::string& corner, const Cell& cell) {
    const StudyGrid& grid = *study.grid;
    size_t first = corner.size();
    for (const std::string& row : grid.rows) first = std::max(first, row.size());
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

std::string shortText(const StudyItem& item) {
    if (!item.problem.empty()) return item.problem;
    if (!item.result) return {};
    const CompareResult& speed = item.result->speed;
    const Interval& r = speed.samples;
    if (!speed.measurable) return fmt::format("no difference [{:.3f}, {:.3f}]", r.lower, r.upper);
    return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", r.value, r.lower, r.upper);
}

std::string rowOf(const Study& study, const StudyItem& item) {
    std::string name = item.name;
    if (name.size() > kWidestName) {
        name.resize(kWidestName - 3);
        name += "...";
    }
    std::string verdict = verdictOf(item);
    if (item.result && item.result->code.relation == CodeRelation::noise)
        verdict += fmt::format("{}identical code", verdict.empty() ? "" : ", ");
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
        return fmt::format("{:.1f}", raysPerSecond(item) / 1e6);
    });
    text += "\nsamples a second, times the first of its scene\n";
    text += tableOf(study, corner, [](const StudyItem& item) {
        return fmt::format("{:.3f}", item.result->speed.samples.value);
    });
    std::string reasons;
    for (const StudyItem& item : study.items) {
        if (!item.problem.empty()) reasons += fmt::format("- {}: {}\n", item.name, item.problem);
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
        if (!item.problem.empty())
            entry["problem"] = item.problem;
        else if (item.result) {
            entry["result"] = toJson(*item.result);
            entry["result"]["a"]["settings"] = toJson(item.a);
            entry["result"]["b"]["settings"] = toJson(item.b);
        }
        items.push_back(std::move(entry));
    }
    json report = reportHead(study.kind, deviceOf(study));
    report.update({{"title", study.title},
                   {"state", toJson(state)},
                   {"size", {wish.width, wish.height}},
                   {"seconds", wish.seconds},
                   {"clock", wish.clock == PassClock::loop ? "loop" : "kernel"},
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
        std::string numbers = ",,,,,";
        if (item.result) {
            const CompareResult& s = item.result->speed;
            numbers = fmt::format("{:.6g},{:.6g},{:.6g},{},{:.6g},{:.6g}", s.samples.value,
                                  s.samples.lower, s.samples.upper, s.measurable,
                                  raysPerSecond(item), s.sides[1].raysPerSample);
        }
        text += fmt::format("{},{},{},{},{},{}\n", csvField(item.name), csvField(item.group),
                            csvField(study.scenes[item.scene]->name), numbers,
                            csvField(verdictOf(item)), csvField(item.problem));
    }
    return text;
}

}  // namespace rayscope
