#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "renderer/base/text.h"
#include "renderer/base/version.h"
#include "renderer/lab/ladder.h"
#include "renderer/lab/record.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr const char* kNotRecorded = "not recorded";
constexpr const char* kUnset = "unset";  ///< an axis that means nothing there
/// Brightness and rays a sample that differ by less are noise or rounding, as in ladders.
constexpr double kSameWork = .005;
/// Standard errors; and the noise of a brightness whose error was not recorded.
constexpr double kCertainErrors = 3, kUnknownNoise = .05;
/// A clock that moves further moves rates by more than what can be told apart.
constexpr double kSameClock = .02;
/// So many more cores busy are other conditions.
constexpr double kSameLoad = .5;
/// Rows that are named where a change is of some of them.
constexpr size_t kNamed = 3;
constexpr size_t kMaxName = 100;  ///< bytes of a scene's name that are shown

std::optional<double> relativeSpread(const RecordRow& row) {
    if (!row.spread) return {};
    return (row.spread->upper - row.spread->lower) / 2 / row.spread->median;
}

/// "1.3 % brighter", or nothing where the values are the same or one is unknown.
std::string differenceOf(const std::optional<double>& first, const std::optional<double>& second,
                         double noise, const char* more, const char* less) {
    if (!first || !second || *first <= 0) return {};
    const double change = *second / *first - 1;
    if (std::fabs(change) <= std::max(kSameWork, noise)) return {};
    return fmt::format("{:.1f} % {}", 100 * std::fabs(change), change > 0 ? more : less);
}

std::string otherWorkOf(const RecordRow& a, const RecordRow& b) {
    const bool known = a.brightness && a.brightnessError > 0 && b.brightnessError > 0;
    const double error = std::hypot(a.brightnessError, b.brightnessError);
    const double noise = known ? kCertainErrors * error / *a.brightness : kUnknownNoise;
    const std::string bright =
        differenceOf(a.brightness, b.brightness, noise, "brighter", "darker");
    const std::string rays = differenceOf(a.raysPerSample, b.raysPerSample, 0, "more rays a sample",
                                          "fewer rays a sample");
    return bright + (bright.empty() || rays.empty() ? "" : ", ") + rays;
}

RecordedPair pairOf(const RecordRow& a, const RecordRow& b) {
    RecordedPair pair{a, b, {}, {}, {}};
    if (!a.problem.empty() || !b.problem.empty()) return pair;
    pair.otherWork = otherWorkOf(a, b);
    if (a.rate != b.rate) return pair;
    pair.ratio = a.rate ? b.value / a.value : a.value / b.value;
    const auto first = relativeSpread(a), second = relativeSpread(b);
    if (first && second) pair.spread = std::hypot(*first, *second);
    return pair;
}

/// A value of an axis as it is spelled.
std::string spelling(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "samples: 16 -> 32, threads: 1 -> 2" of two objects.
std::string changesOf(const json& a, const json& b) {
    std::string text;
    const auto add = [&](const std::string& key, const std::string& x, const std::string& y) {
        text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : ", ", key, x, y);
    };
    for (const auto& [key, value] : a.items()) {
        if (!b.contains(key))
            add(key, spelling(value), kUnset);
        else if (b[key] != value)
            add(key, spelling(value), spelling(b[key]));
    }
    for (const auto& [key, value] : b.items()) {
        if (!a.contains(key)) add(key, kUnset, spelling(value));
    }
    return text;
}

std::string spanText(const std::optional<Extremes>& span, int digits, const char* unit) {
    if (!span) return kNotRecorded;
    return fmt::format("{:.{}f} to {:.{}f}{}", span->lowest, digits, span->highest, digits, unit);
}

std::string listText(const std::set<std::string>& words, bool known) {
    if (words.empty()) return known ? "none" : kNotRecorded;
    return fmt::format("{}", fmt::join(words, ", "));
}

bool apart(const std::optional<Extremes>& a, const std::optional<Extremes>& b, double relative,
           double absolute) {
    if (!a || !b) return a.has_value() != b.has_value();
    const auto far = [&](double x, double y) {
        return std::fabs(x - y) > std::max(absolute, relative * std::max(x, y));
    };
    return far(a->lowest, b->lowest) || far(a->highest, b->highest);
}

std::map<std::string_view, const RecordRow*> byName(const RunRecord& record) {
    std::map<std::string_view, const RecordRow*> rows;
    for (const RecordRow& row : record.rows) rows.try_emplace(row.name, &row);
    return rows;
}

/// Gathers what differs.
class Changes {
public:
    Changes(const RunRecord& first, const RunRecord& second) : a_(first), b_(second) {}

    std::vector<RecordedChange> of(const std::vector<RecordedPair>& pairs) {
        for (const RecordText& t : kRecordTexts) {
            if (t.text != &RunRecord::date) text(t.key, a_.*t.text, b_.*t.text);
        }
        content("scene", a_.scene, b_.scene);
        content("camera", a_.camera, b_.camera);
        for (const auto& [key, value] : a_.settings.items()) {
            if (b_.settings.contains(key)) text(key, value.dump(), b_.settings[key].dump());
        }
        conditions();
        rows(pairs);
        return std::move(changes_);
    }

private:
    void text(const std::string& what, const std::string& first, const std::string& second) {
        if (first == second) return;
        changes_.push_back(
            {what, first.empty() ? kNotRecorded : first, second.empty() ? kNotRecorded : second});
    }

    /// Of what is too long to be shown.
    void content(const char* what, const json& first, const json& second) {
        if (first.is_null() || second.is_null() || first == second) return;
        const auto name = [](const json& value) {
            const bool named = value.is_object() && value.contains("name");
            return named ? printable(shortened(spelling(value["name"]), kMaxName))
                         : std::string("one");
        };
        const bool same = name(first) == name(second);
        changes_.push_back({what, name(first), same ? "another " + name(second) : name(second)});
    }

    void conditions() {
        if (apart(a_.clockMhz, b_.clockMhz, kSameClock, 0))
            text("clocks", spanText(a_.clockMhz, 0, " MHz"), spanText(b_.clockMhz, 0, " MHz"));
        if (apart(a_.load, b_.load, 0, kSameLoad))
            text("load", spanText(a_.load, 1, ""), spanText(b_.load, 1, ""));
        for (const auto& [what, words] : {std::pair("throttling", &RunRecord::throttling),
                                          std::pair("warnings", &RunRecord::warnings)}) {
            if (a_.*words != b_.*words)
                text(what, listText(a_.*words, a_.conditions), listText(b_.*words, b_.conditions));
        }
    }

    /// Scenes and settings of rows; what is the same for several is said once.
    void rows(const std::vector<RecordedPair>& pairs) {
        for (const RecordedPair& pair : pairs) {
            const std::string &x = pair.first.scene, &y = pair.second.scene;
            if (x != y) changes_.push_back({"scene of " + pair.first.name, x, y});
        }
        std::vector<std::pair<std::string, std::vector<std::string>>> groups;
        for (const RecordedPair& pair : pairs) {
            const std::string changes = changesOf(pair.first.settings, pair.second.settings);
            if (changes.empty()) continue;
            const auto known = std::find_if(groups.begin(), groups.end(),
                                            [&](const auto& g) { return g.first == changes; });
            if (known == groups.end())
                groups.push_back({changes, {pair.first.name}});
            else
                known->second.push_back(pair.first.name);
        }
        for (const auto& [changes, names] : groups) {
            std::string who = "settings";
            if (names.size() < pairs.size()) who += " of " + listed(names);
            changes_.push_back({who, changes, ""});
        }
    }

    static std::string listed(const std::vector<std::string>& names) {
        if (names.size() <= kNamed) return fmt::format("{}", fmt::join(names, ", "));
        return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kNamed, ", "),
                           names.size() - kNamed);
    }

    const RunRecord &a_, &b_;
    std::vector<RecordedChange> changes_;
};

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
    const auto nameOf = [](const RecordedPair& pair) -> auto& {
        return pair.first.name;
    };
    const size_t width = widthOf(3, pairs, nameOf);
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

RecordComparison compareRecords(const RunRecord& first, const RunRecord& second) {
    RecordComparison result;
    if (first.rows.size() == 1 && second.rows.size() == 1) {
        result.pairs = {pairOf(first.rows[0], second.rows[0])};
    } else {
        const auto inFirst = byName(first), inSecond = byName(second);
        for (const RecordRow& a : first.rows) {
            if (const auto b = inSecond.find(a.name); b != inSecond.end())
                result.pairs.push_back(pairOf(a, *b->second));
            else
                result.onlyFirst.push_back(a.name);
        }
        for (const RecordRow& b : second.rows) {
            if (!inFirst.contains(b.name)) result.onlySecond.push_back(b.name);
        }
    }
    result.changes = Changes(first, second).of(result.pairs);
    return result;
}

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
    const size_t width = widthOf(0, c.changes, &RecordedChange::what);
    for (const RecordedChange& change : c.changes) {
        text += fmt::format("  {}  {}{}{}\n", padded(change.what, width), change.first,
                            change.second.empty() ? "" : " -> ", change.second);
    }
    return text;
}

json reportOf(const RunRecord& first, const RunRecord& second, const RecordComparison& c) {
    json report = reportHead("records", {}, true);
    report.update({{"first", toJson(first)},
                   {"second", toJson(second)},
                   {"rows", json::array()},
                   {"only_first", c.onlyFirst},
                   {"only_second", c.onlySecond},
                   {"changes", json::array()}});
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
