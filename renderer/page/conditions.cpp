#include <fmt/format.h>

#include "renderer/page/html.h"
#include "renderer/page/sections.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// "1980 to 1995 MHz" of a pair of numbers.
std::string span(const json& reports, const std::string& at, int digits, const char* unit) {
    const auto low = figureAt(reports, at + "/0"), high = figureAt(reports, at + "/1");
    if (!low || !high) return {};
    const std::string to =
        low->value == high->value ? "" : fmt::format(" to {}", htmlOf(*high, {1, digits}));
    return fmt::format("{}{} {}", htmlOf(*low, {1, digits}), to, unit);
}

void addConditions(const json& reports, const std::string& at, const std::string& of,
                   std::vector<std::vector<std::string>>& rows) {
    const json::json_pointer there(at);
    if (!reports.contains(there)) return;
    const json& conditions = reports.at(there);
    const auto put = [&](const char* name, const std::string& html) {
        if (!html.empty()) rows.push_back({of + name, html});
    };
    put("clock", span(reports, at + "/clock_mhz", 0, "MHz"));
    put("memory clock", span(reports, at + "/memory_mhz", 0, "MHz"));
    put("temperature", span(reports, at + "/celsius", 0, "\u00b0C"));
    put("power", span(reports, at + "/watts", 0, "W"));
    put("load", span(reports, at + "/load", 2, ""));
    if (conditions.contains("throttling") && !conditions["throttling"].empty())
        put("throttled", escaped(conditions["throttling"].dump()));
    put("note", escaped(textAt(conditions, "/warning")));
    put("unknown", escaped(textAt(conditions, "/missing")));
}

/// Of many measurements those of the first that has a warning, or of the first at all.
void addWorst(const json& reports, std::size_t index, std::vector<std::vector<std::string>>& rows) {
    for (const auto& [list, inner] :
         {std::pair{"rungs", "/conditions"}, {"items", "/result/conditions"}}) {
        const json& report = reports[index];
        if (!report.contains(list) || !report[list].is_array() || report[list].empty()) continue;
        std::size_t warned = 0, first = 0;
        for (std::size_t k = report[list].size(); k-- > 0;) {
            if (textAt(report[list][k], std::string(inner) + "/warning").empty()) continue;
            ++warned;
            first = k;
        }
        if (warned > 0)
            rows.push_back(
                {"", fmt::format("{} of {} measurements have a note on their conditions; "
                                 "the first is {}:",
                                 warned, report[list].size(),
                                 escaped(textAt(report[list][first], "/name")))});
        addConditions(reports, fmt::format("/{}/{}/{}{}", index, list, first, inner), "", rows);
    }
}

std::string settingsTable(const std::string& name, const json& settings) {
    if (!settings.is_object() || settings.empty()) return {};
    return fmt::format("<details><summary>{}</summary><p><code>{}</code></p></details>\n",
                       escaped(name), escaped(settingsText(settings)));
}

}  // namespace

std::string conditionsOf(const json& reports, std::size_t index) {
    const json& report = reports[index];
    const std::string at = fmt::format("/{}", index);
    std::vector<std::vector<std::string>> rows;
    const auto put = [&](const char* name, const std::string& text) {
        if (!text.empty()) rows.push_back({name, escaped(text)});
    };
    const std::string detail = textAt(report, "/device_detail");
    put("device", textAt(report, "/device") + (detail.empty() ? "" : " (" + detail + ")"));
    put("driver", textAt(report, "/driver"));
    if (const auto width = figureAt(reports, at + "/size/0"),
        height = figureAt(reports, at + "/size/1");
        width && height)
        rows.push_back({"picture", htmlOf(*width, {1, 0}) + " \u00d7 " + htmlOf(*height, {1, 0})});
    if (const auto rounds = figureAt(reports, at + "/rounds"))
        rows.push_back(
            {"rounds", fmt::format("{}, each with one pass of both sides, by the {} clock",
                                   htmlOf(*rounds, {1, 0}), escaped(textAt(report, "/clock")))});
    addConditions(reports, at + "/conditions", "", rows);
    addConditions(reports, at + "/conditions_a", "A: ", rows);
    if (!report.contains("conditions")) addWorst(reports, index, rows);
    const std::string commit = textAt(report, "/commit");
    const bool changed = report.contains("clean") && report["clean"] == false;
    put("program", fmt::format("Rayscope {}{}{}", textAt(report, "/version"),
                               commit.empty() ? "" : ", commit " + commit,
                               changed ? ", with changes that are not committed" : ""));
    put("date", textAt(report, "/date"));
    if (report.contains("complete") && report["complete"] == false)
        put("complete", "no: it was interrupted");
    std::string html = tableOf({}, rows);
    const json::json_pointer a("/a/settings"), b("/b/settings"), all("/state/settings");
    if (report.contains(a)) html += settingsTable("All settings of A", report.at(a));
    if (report.contains(b)) html += settingsTable("All settings of B", report.at(b));
    if (report.contains("settings"))
        html += settingsTable("All settings", report["settings"]);
    else if (!report.contains(a) && report.contains(all))
        html += settingsTable("All settings", report.at(all));
    const std::string command = textAt(report, "/command");
    html += command.empty()
                ? paragraph("The report does not hold the command that made it.", "note")
                : fmt::format("<p class=note>Made by</p><pre>{}</pre>\n", escaped(command));
    return html;
}

}  // namespace rayscope
