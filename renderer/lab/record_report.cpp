// The comparison of two recorded runs in words and as JSON.

#include <fmt/ranges.h>

#include <algorithm>

#include "renderer/base/text.h"
#include "renderer/base/version.h"
#include "renderer/lab/ladder.h"
#include "renderer/lab/record_comparison.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

std::string headOf(int number, const RunRecord& r) {
    std::string text = fmt::format("{}  {}:", number, r.file);
    for (const std::string& part : {r.kind, r.device, r.date}) {
        if (!part.empty()) text += fmt::format("{} {}", text.ends_with(':') ? "" : ",", part);
    }
    return text + "\n";
}

/// "29.41 M rays/s", "12.3 ms"
std::string valueOf(const RecordRow& row) {
    if (!row.problem.empty()) return "\u2014";
    const Unit& unit = *findUnit(row.rate ? "Mrays/s" : "ms");
    return fmt::format("{} {}", inUnit(row.value, unit), unit.id);
}

std::string ratioOf(const RecordedPair& pair) {
    if (!pair.ratio) return "";
    const int digits = *pair.ratio >= 100 ? 1 : *pair.ratio >= 10 ? 2 : 3;
    const std::string ratio = fmt::format("{:.{}f}", *pair.ratio, digits);
    if (!pair.spread) return ratio;
    return fmt::format("{} \u00b1 {:.{}f}", ratio, *pair.ratio * *pair.spread, digits);
}

std::string remarkOf(const RecordedPair& pair) {
    for (const RecordRow* row : {&pair.first, &pair.second}) {
        if (!row->problem.empty()) return row->problem;
    }
    if (pair.first.rate != pair.second.rate) return "a rate and a time";
    return pair.otherWork.empty() ? "" : "! " + pair.otherWork;
}

std::string tableOf(const std::vector<RecordedPair>& pairs) {
    size_t width = 3;
    for (const RecordedPair& pair : pairs) width = std::max(width, pair.first.name.size());
    std::string text =
        fmt::format("{}  {:>17} {:>17} {:>16}\n", padded("row", width), "1", "2", "2 over 1");
    for (const RecordedPair& pair : pairs) {
        std::string line =
            fmt::format("{}  {:>17} {:>17} {:>16}  {}", padded(pair.first.name, width),
                        valueOf(pair.first), valueOf(pair.second), ratioOf(pair), remarkOf(pair));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string onlyIn(int number, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    return fmt::format("only in {}: {}\n", number, fmt::join(names, ", "));
}

json toJson(const RecordRow& row) {
    json object = {{"scene", row.scene}, {"settings", row.settings}};
    if (!row.problem.empty()) {
        object["problem"] = row.problem;
        return object;
    }
    const char* key = row.rate ? "rays_per_second" : "seconds";
    object[key] = row.value;
    if (row.spread) object["spread"] = toJson(*row.spread);
    if (row.raysPerSample) object["rays_per_sample"] = *row.raysPerSample;
    if (row.brightness) object["brightness"] = *row.brightness;
    return object;
}

json toJson(const RunRecord& r) {
    json object = {{"file", r.file}};
    for (const RecordText& t : kRecordTexts) {
        if (!(r.*t.text).empty()) object[t.key] = r.*t.text;
    }
    return object;
}

}  // namespace

std::string textOf(const RunRecord& first, const RunRecord& second, const RecordComparison& c) {
    std::string text = headOf(1, first) + headOf(2, second) + "\n";
    if (!c.pairs.empty()) {
        text += tableOf(c.pairs);
        text +=
            "\n2 over 1: times as fast. \u00b1 is the spread of the passes within the runs, which "
            "were not interleaved:\nwhat changed between them, clocks or load, is in the ratio.\n";
    } else {
        text += "no row is in both\n";
    }
    const bool marked = std::any_of(c.pairs.begin(), c.pairs.end(),
                                    [](const RecordedPair& p) { return !p.otherWork.empty(); });
    if (marked) text += "! other work: 2 against 1\n";
    text += onlyIn(1, c.onlyFirst) + onlyIn(2, c.onlySecond);
    if (c.changes.empty()) return text + "\nNothing else differed, as far as the files tell.\n";
    text += "\nWhat else differed\n";
    size_t width = 0;
    for (const RecordedChange& change : c.changes) width = std::max(width, change.what.size());
    for (const RecordedChange& change : c.changes) {
        text += fmt::format("  {}  {}{}{}\n", padded(change.what, width), change.first,
                            change.second.empty() ? "" : " -> ", change.second);
    }
    return text;
}

json reportOf(const RunRecord& first, const RunRecord& second, const RecordComparison& c) {
    json report = {{"kind", "records"},           {"version", kVersion},
                   {"first", toJson(first)},      {"second", toJson(second)},
                   {"rows", json::array()},       {"only_first", c.onlyFirst},
                   {"only_second", c.onlySecond}, {"changes", json::array()}};
    for (const RecordedPair& pair : c.pairs) {
        json row = {{"name", pair.first.name},
                    {"first", toJson(pair.first)},
                    {"second", toJson(pair.second)},
                    {"ratio", pair.ratio ? json(*pair.ratio) : json()},
                    {"relative_spread", pair.spread ? json(*pair.spread) : json()}};
        if (!pair.otherWork.empty()) row["other_work"] = pair.otherWork;
        report["rows"].push_back(row);
    }
    for (const RecordedChange& change : c.changes) {
        report["changes"].push_back(
            {{"what", change.what}, {"first", change.first}, {"second", change.second}});
    }
    return report;
}

}  // namespace rayscope
