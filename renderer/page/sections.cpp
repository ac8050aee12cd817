#include "renderer/page/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "renderer/page/svg.h"

namespace rayscope {

using nlohmann::json;

std::string textAt(const json& value, const std::string& pointer) {
    const json::json_pointer at(pointer);
    return value.contains(at) && value.at(at).is_string() ? value.at(at).get<std::string>()
                                                          : std::string();
}

std::string settingsText(const json& settings) {
    std::string text;
    if (!settings.is_object()) return text;
    for (const auto& [name, value] : settings.items()) {
        const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, word);
    }
    return text;
}

std::string differencesOf(const json& of, const json& from) {
    json changed = json::object(), added = json::object();
    if (!of.is_object() || !from.is_object()) return settingsText(of);
    for (const auto& [name, value] : of.items()) {
        if (!from.contains(name))
            added[name] = value;
        else if (from[name] != value)
            changed[name] = value;
    }
    return settingsText(changed.empty() ? added : changed);
}

namespace {

constexpr std::size_t kMostRows = 60;
constexpr const char* kBars =
    "Bars show medians over the passes, lines and brackets the interquartile range.";
constexpr const char* kSteps =
    "Each bar goes from the previous rung's median over the passes to its own; lines and brackets "
    "show the interquartile range.";

json objectAt(const json& value, const std::string& pointer) {
    const json::json_pointer at(pointer);
    return value.contains(at) && value.at(at).is_object() ? value.at(at) : json::object();
}

json sideSettings(const json& report, const char* side) {
    return objectAt(report, fmt::format("/{}/settings", side));
}

std::string sceneOf(const json& report) {
    for (const char* at : {"/scene", "/state/scene/name", "/scene/name"})
        if (std::string name = textAt(report, at); !name.empty()) return name;
    return {};
}

/// "4.59 [4.57, 4.61]"
std::string withInterval(const json& reports, const std::string& at, const char* middle,
                         const Format& format) {
    const auto value = figureAt(reports, at + middle), lower = figureAt(reports, at + "/lower"),
               upper = figureAt(reports, at + "/upper");
    if (!value) return "\u2014";
    std::string html = htmlOf(*value, format);
    if (lower && upper)
        html +=
            fmt::format(" <small>[{}, {}]</small>", htmlOf(*lower, format), htmlOf(*upper, format));
    return html;
}

Marks intervalMarks(const json& reports, const std::string& at, const char* middle) {
    Marks marks;
    marks.point = figureAt(reports, at + middle);
    marks.lower = figureAt(reports, at + "/lower");
    marks.upper = figureAt(reports, at + "/upper");
    return marks;
}

/// A scale of ratios around 1, the same to both sides, that holds all intervals.
Scale ratioScale(const std::vector<Marks>& rows) {
    double reach = std::log(1.05);
    for (const Marks& row : rows) {
        for (const auto& figure : {row.point, row.lower, row.upper}) {
            if (figure && figure->value > 0 && std::isfinite(figure->value))
                reach = std::max(reach, std::min(std::abs(std::log(figure->value)), std::log(64.)));
        }
    }
    return {std::exp(-1.05 * reach), std::exp(1.05 * reach), true};
}

std::string ratioAxis(const Scale& scale) {
    return fmt::format(
        "<small class=axis><span>{:.2f}</span><span>slower \u2190 1 \u2192 faster</span>"
        "<span>{:.2f}</span></small>",
        scale.low, scale.high);
}

// --- a comparison -------------------------------------------------------------------------------

std::string comparisonFigures(const json& reports, std::size_t i) {
    const json& report = reports[i];
    const std::string at = fmt::format("/{}", i);
    const json a = sideSettings(report, "a"), b = sideSettings(report, "b");
    std::string html = paragraph(textAt(report, "/sentence"), "verdict");

    double largest = 0;
    for (const char* side : {"/rates/0/upper", "/rates/1/upper"})
        if (const auto rate = figureAt(reports, at + side))
            largest = std::max(largest, rate->value);
    const Format format = formatFor(largest, "rays/s");
    std::vector<std::vector<std::string>> rows;
    for (int side = 0; side < 2; ++side) {
        const std::string rate = fmt::format("{}/rates/{}", at, side);
        Marks marks = intervalMarks(reports, rate, "/median");
        marks.bar = std::exchange(marks.point, {});
        const std::string says = side == 0 ? differencesOf(a, b) : differencesOf(b, a);
        marks.label = fmt::format("rate of {}", side == 0 ? "A" : "B");
        const auto perSample =
            figureAt(reports, fmt::format("{}/{}/rays_per_sample", at, side == 0 ? "a" : "b"));
        rows.push_back({fmt::format("<b>{}</b> {}", side == 0 ? "A" : "B",
                                    escaped(says.empty() ? "the same settings" : says)),
                        svgOf(marks, {0, largest}), withInterval(reports, rate, "/median", format),
                        perSample ? htmlOf(*perSample, {1, 3}) : "\u2014"});
    }
    html += tableOf({"", "", format.unit, "rays a sample"}, rows) + paragraph(kBars, "note");

    Marks ratio = intervalMarks(reports, at + "/samples_ratio", "/value");
    ratio.reference = 1;
    ratio.label = "B over A";
    const Scale scale = ratioScale({ratio});
    html += tableOf({"", ratioAxis(scale), "B / A"},
                    {{"samples a second", svgOf(ratio, scale),
                      withInterval(reports, at + "/samples_ratio", "/value", {1, 3})}});
    if (report.contains("work"))
        html += paragraph(fmt::format("Work: {}. {}.", textAt(report, "/work/verdict"),
                                      textAt(report, "/work/sentence")));
    else if (const std::string why = textAt(report, "/no_work"); !why.empty())
        html += paragraph(fmt::format("The work was not compared: {}.", why));
    if (const std::string code = textAt(report, "/code/sentence"); !code.empty())
        html += paragraph(fmt::format("Code: {}.", code));
    if (const std::string fill = textAt(report, "/fill"); !fill.empty()) html += paragraph(fill);
    return html;
}

// --- studies: many pairs ------------------------------------------------------------------------

std::string itemRows(const json& reports, std::size_t i) {
    const json& items = reports[i]["items"];
    std::vector<Marks> marks;
    for (std::size_t k = 0; k < items.size(); ++k) {
        Marks row = intervalMarks(reports, fmt::format("/{}/items/{}/result/samples_ratio", i, k),
                                  "/value");
        row.reference = 1;
        const std::string speed = textAt(items[k], "/result/speed");
        row.good = speed == "faster";
        row.bad = speed == "slower";
        row.label = textAt(items[k], "/name");
        marks.push_back(std::move(row));
    }
    const Scale scale = ratioScale(marks);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < items.size(); ++k) {
        const json& item = items[k];
        std::string name = escaped(textAt(item, "/name"));
        if (const std::string fitted = textAt(item, "/fitted"); !fitted.empty())
            name += fmt::format(" <small>with {}</small>", escaped(fitted));
        if (const std::string problem = textAt(item, "/problem"); !problem.empty()) {
            rows.push_back({name, fmt::format("<small>{}</small>", escaped(problem)), "", ""});
            continue;
        }
        const std::string verdict = textAt(item, "/result/work/verdict");
        rows.push_back(
            {name, svgOf(marks[k], scale),
             withInterval(reports, fmt::format("/{}/items/{}/result/samples_ratio", i, k), "/value",
                          {1, 3}),
             escaped(textAt(item, "/result/speed") + (verdict.empty() ? "" : ", " + verdict))});
    }
    return tableOf({"", ratioAxis(scale), "factor", ""}, rows);
}

std::vector<std::string> wordsAt(const json& report, const char* pointer) {
    std::vector<std::string> words;
    const json::json_pointer at(pointer);
    if (!report.contains(at) || !report.at(at).is_array()) return words;
    for (const json& word : report.at(at))
        words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
    return words;
}

std::string sweepMap(const json& reports, std::size_t i) {
    const json& report = reports[i];
    std::vector<std::string> columns = wordsAt(report, "/grid/columns"),
                             lines = wordsAt(report, "/grid/rows");
    if (lines.empty()) lines = {""};
    double lowest = INFINITY, highest = 0;
    const std::size_t cells = columns.size() * lines.size();
    const auto rateOf = [&](std::size_t k) {
        return figureAt(reports, fmt::format("/{}/items/{}/result/rates/1/median", i, k));
    };
    for (std::size_t k = 0; k < cells; ++k) {
        if (const auto rate = rateOf(k)) {
            lowest = std::min(lowest, rate->value);
            highest = std::max(highest, rate->value);
        }
    }
    const Format format = formatFor(highest, "rays/s");
    std::string html = fmt::format(
        "<table class=map><thead><tr><th>{}</th>",
        escaped(fmt::format("{} \\ {}", textAt(report, "/grid/y"), textAt(report, "/grid/x"))));
    for (const std::string& column : columns) html += fmt::format("<th>{}</th>", escaped(column));
    html += "</tr></thead><tbody>\n";
    for (std::size_t line = 0; line < lines.size(); ++line) {
        html += fmt::format("<tr><th>{}</th>", escaped(lines[line]));
        for (std::size_t column = 0; column < columns.size(); ++column) {
            const std::size_t k = line * columns.size() + column;
            const auto rate = rateOf(k);
            html += rate
                        ? fmt::format(
                              "<td class={}>{}</td>",
                              heatClass(std::log(rate->value), std::log(lowest), std::log(highest)),
                              htmlOf(*rate, format))
                        : fmt::format("<td title=\"{}\">\u2014</td>",
                                      escaped(textAt(report, fmt::format("/items/{}/problem", k))));
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table>\n" +
           paragraph(
               fmt::format("{}. The darker a cell, the higher the rate, on a logarithmic scale.",
                           format.unit),
               "note");
}

std::string studyFigures(const json& reports, std::size_t i) {
    const json& report = reports[i];
    std::string html;
    if (report.contains("grid")) html += sweepMap(reports, i);
    if (report.contains("items") && report["items"].is_array()) html += itemRows(reports, i);
    return html;
}

// --- ladders ------------------------------------------------------------------------------------

/// Each bar goes from the rung before to its own, as in a waterfall.
std::string ladderFigures(const json& reports, std::size_t i) {
    const json& report = reports[i];
    std::string html;
    if (const auto score = figureAt(reports, fmt::format("/{}/score/rays_per_second", i))) {
        const Format format = formatFor(score->value, "rays/s");
        html += fmt::format("<p class=verdict>{} {}</p>\n", htmlOf(*score, format),
                            escaped(format.unit));
        html += paragraph(textAt(report, "/score/share"));
    }
    if (!report.contains("rungs") || !report["rungs"].is_array()) return html;
    const json& rungs = report["rungs"];
    const bool waterfall = textAt(report, "/kind") == "ladder";
    std::map<std::string, double> largest;
    for (const json& rung : rungs) {
        const json::json_pointer at("/measured/upper");
        if (rung.contains(at) && rung.at(at).is_number()) {
            double& most = largest[textAt(rung, "/measured/unit")];
            most = std::max(most, rung.at(at).get<double>());
        }
    }
    std::vector<std::vector<std::string>> rows;
    std::optional<PageFigure> before;
    for (std::size_t k = 0; k < rungs.size(); ++k) {
        const json& rung = rungs[k];
        const std::string at = fmt::format("/{}/rungs/{}", i, k),
                          unit = textAt(rung, "/measured/unit");
        std::string name = escaped(textAt(rung, "/name"));
        if (const std::string change = settingsText(objectAt(rung, "/changes")); !change.empty())
            name += fmt::format("<br><small>{}</small>", escaped(change));
        if (const std::string why = textAt(rung, "/why"); !why.empty())
            name += fmt::format("<br><small>{}</small>", escaped(why));
        if (const std::string problem = textAt(rung, "/problem"); !problem.empty()) {
            rows.push_back(
                {name, fmt::format("<small>{}</small>", escaped(problem)), "", "", "", ""});
            continue;
        }
        Marks marks;
        marks.bar = figureAt(reports, at + "/measured/median");
        marks.lower = figureAt(reports, at + "/measured/lower");
        marks.upper = figureAt(reports, at + "/measured/upper");
        marks.label = textAt(rung, "/name");
        const auto gain = figureAt(reports, at + "/x_before");
        if (waterfall && before && gain) marks.from = before;
        if (gain) (gain->value >= 1 ? marks.good : marks.bad) = true;
        before = marks.bar;
        const auto first = figureAt(reports, at + "/x_first"),
                   published = figureAt(reports, at + "/published/value");
        rows.push_back(
            {name, svgOf(marks, {0, largest[unit]}),
             withInterval(reports, at + "/measured", "/median", {1, 2}) + " " + escaped(unit),
             gain ? htmlOf(*gain, {1, 2}) : "", first ? htmlOf(*first, {1, 2}) : "",
             published
                 ? htmlOf(*published, {1, 2}) + " " + escaped(textAt(rung, "/published/unit")) +
                       "<br><small>" + escaped(textAt(rung, "/published/device")) + "</small>"
                 : ""});
    }
    html += tableOf({"", "", "measured", "\u00d7 before", "\u00d7 first", "published"}, rows) +
            paragraph(waterfall ? kSteps : kBars, "note");
    return html;
}

// --- pictures -----------------------------------------------------------------------------------

/// A and B of a window that shows both.
std::string sidesOf(const json& reports, const std::string& at) {
    std::vector<std::vector<std::string>> rows;
    double most = 0;
    for (const char* side : {"a", "b"})
        if (const auto rate =
                figureAt(reports, fmt::format("{}/versus/{}/rays_per_second", at, side)))
            most = std::max(most, rate->value);
    const Format format = formatFor(most, "rays/s");
    const json b = objectAt(reports, at + "/state/settings"),
               a = objectAt(reports, at + "/versus/settings");
    for (const std::string side : {"a", "b"}) {
        const std::string there = fmt::format("{}/versus/{}", at, side);
        Marks marks;
        marks.bar = figureAt(reports, there + "/rays_per_second");
        const auto samples = figureAt(reports, there + "/samples"),
                   error = figureAt(reports, there + "/error");
        if (!marks.bar || !samples || !error) continue;
        marks.label = side;
        rows.push_back(
            {fmt::format("<b>{}</b> {}", side == "a" ? "A" : "B",
                         escaped(side == "a" ? differencesOf(a, b) : differencesOf(b, a))),
             svgOf(marks, {0, most}), htmlOf(*marks.bar, format), htmlOf(*samples, {1, 1}),
             htmlOf(*error, {.01, 2})});
    }
    return rows.empty() ? std::string()
                        : tableOf({"", "", format.unit, "samples a pixel", "error, %"}, rows);
}

/// "39.7 M"
std::string countText(const PageFigure& figure) {
    const Format format = formatFor(figure.value, "");
    return htmlOf(figure, figure.value < 1000 ? Format{1, 0} : format) + " " + format.unit;
}

std::string renderFigures(const json& reports, std::size_t i) {
    const std::string at = fmt::format("/{}", i);
    std::string html;
    if (const auto rate = figureAt(reports, at + "/rays_per_second")) {
        const Format format = formatFor(rate->value, "rays/s");
        html += fmt::format("<p class=verdict>{} {}</p>\n", htmlOf(*rate, format),
                            escaped(format.unit));
    }
    if (const auto ratio = figureAt(reports, at + "/ratio/ratio"))
        html += fmt::format("<p>{} \u00d7 since the switch to {}</p>\n", htmlOf(*ratio, {1, 3}),
                            escaped(textAt(reports[i], "/ratio/switch")));
    const auto total = figureAt(reports, at + "/rays/total");
    double most = 0;
    std::vector<std::vector<std::string>> rows;
    for (const char* kind : {"camera", "bounce", "shadow"})
        if (const auto rays = figureAt(reports, fmt::format("{}/rays/{}", at, kind)))
            most = std::max(most, rays->value);
    for (const char* kind : {"camera", "bounce", "shadow"}) {
        const auto rays = figureAt(reports, fmt::format("{}/rays/{}", at, kind));
        if (!rays) continue;
        Marks marks;
        marks.bar = rays;
        marks.label = fmt::format("{} rays", kind);
        rows.push_back({fmt::format("{} rays", kind), svgOf(marks, {0, most}), countText(*rays)});
    }
    if (total) rows.push_back({"all rays", "", countText(*total)});
    return html + tableOf({}, rows) + sidesOf(reports, at);
}

// --- where the time goes ------------------------------------------------------------------------

std::string shareRows(const json& reports, const std::string& list,
                      const std::vector<std::string>& keys,
                      const std::function<std::string(const json&, const std::string&)>& name) {
    std::vector<std::vector<std::string>> rows;
    double most = 0;
    for (const std::string& key : keys)
        if (const auto share = figureAt(reports, fmt::format("{}/{}/share", list, key)))
            most = std::max(most, share->value);
    for (const std::string& key : keys) {
        if (rows.size() == kMostRows) break;
        const std::string at = fmt::format("{}/{}", list, key);
        const auto share = figureAt(reports, at + "/share"),
                   error = figureAt(reports, at + "/error");
        if (!share) continue;
        Marks marks;
        marks.bar = share;
        marks.label = key;
        std::string number = htmlOf(*share, {.01, 1});
        if (error) number += " \u00b1 " + htmlOf(*error, {.01, 1});
        rows.push_back(
            {name(reports.at(json::json_pointer(at)), key), svgOf(marks, {0, most}), number});
    }
    return rows.empty() ? std::string() : tableOf({"", "", "% of the time"}, rows);
}

std::string hotFigures(const json& reports, std::size_t i) {
    const json& report = reports[i];
    std::vector<std::string> lines, parts;
    if (report.contains("lines") && report["lines"].is_array())
        for (std::size_t k = 0; k < report["lines"].size(); ++k) lines.push_back(std::to_string(k));
    if (report.contains("parts") && report["parts"].is_object())
        for (const auto& [name, part] : report["parts"].items()) parts.push_back(name);
    const std::string html =
        shareRows(reports, fmt::format("/{}/parts", i), parts,
                  [](const json&, const std::string& key) { return escaped(key); }) +
        shareRows(
            reports, fmt::format("/{}/lines", i), lines, [](const json& line, const std::string&) {
                const auto number = figureAt(line, "/line");
                return fmt::format("<code>{}</code><br><small>{}{}</small>",
                                   escaped(textAt(line, "/text")), escaped(textAt(line, "/file")),
                                   number ? fmt::format(":{:.0f}", number->value) : "");
            });
    return html.empty() ? allValuesOf(reports, i) : html;
}

}  // namespace

std::string titleOf(const json& report) {
    const std::string kind = textAt(report, "/kind"), scene = sceneOf(report);
    if (kind == "comparison") {
        const json a = sideSettings(report, "a"), b = sideSettings(report, "b");
        const std::string ofA = differencesOf(a, b), ofB = differencesOf(b, a);
        return fmt::format("{}: {} against {}", scene, ofB.empty() ? "B" : ofB,
                           ofA.empty() ? "the same settings" : ofA);
    }
    if (const std::string title = textAt(report, "/title"); !title.empty()) return title;
    return scene.empty() ? kind : fmt::format("{}: {}", scene, kind);
}

std::string figuresOf(const json& reports, std::size_t index) {
    const std::string kind = textAt(reports[index], "/kind");
    if (kind == "comparison") return comparisonFigures(reports, index);
    if (kind == "ladder" || kind == "bench") return ladderFigures(reports, index);
    if (kind == "render" || kind == "screenshot") return renderFigures(reports, index);
    if (kind == "hot") return hotFigures(reports, index);
    if (reports[index].contains("items") || reports[index].contains("grid"))
        return studyFigures(reports, index);
    return allValuesOf(reports, index);
}

}  // namespace rayscope
