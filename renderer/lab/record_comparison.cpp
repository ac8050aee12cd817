#include "renderer/lab/record_comparison.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "renderer/base/text.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr const char* kUnknown = "not recorded";
constexpr const char* kUnset = "unset";  ///< an axis that means nothing there
/// Brightness and rays a sample that differ by less are noise or rounding, as in ladders.
constexpr double kSameWork = .005;
/// Standard errors; and the noise of a brightness whose error was not recorded.
constexpr double kCertain = 3, kUnknownNoise = .05;
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
    const double noise = known ? kCertain * error / *a.brightness : kUnknownNoise;
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

std::string clockText(const std::optional<Span>& clock) {
    if (!clock) return kUnknown;
    return fmt::format("{:.0f} to {:.0f} MHz", clock->lowest, clock->highest);
}

std::string loadText(const std::optional<Span>& load) {
    return load ? fmt::format("{:.1f} to {:.1f}", load->lowest, load->highest) : kUnknown;
}

std::string listText(const std::set<std::string>& words, bool known) {
    if (words.empty()) return known ? "none" : kUnknown;
    return fmt::format("{}", fmt::join(words, ", "));
}

bool apart(const std::optional<Span>& a, const std::optional<Span>& b, double relative,
           double absolute) {
    if (!a || !b) return a.has_value() != b.has_value();
    const auto far = [&](double x, double y) {
        return std::fabs(x - y) > std::max(absolute, relative * std::max(x, y));
    };
    return far(a->lowest, b->lowest) || far(a->highest, b->highest);
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
            {what, first.empty() ? kUnknown : first, second.empty() ? kUnknown : second});
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
            text("clocks", clockText(a_.clockMhz), clockText(b_.clockMhz));
        if (apart(a_.load, b_.load, 0, kSameLoad))
            text("load", loadText(a_.load), loadText(b_.load));
        if (a_.throttling != b_.throttling) {
            text("throttling", listText(a_.throttling, a_.conditions),
                 listText(b_.throttling, b_.conditions));
        }
        if (a_.warnings != b_.warnings) {
            text("warnings", listText(a_.warnings, a_.conditions),
                 listText(b_.warnings, b_.conditions));
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

}  // namespace

RecordComparison compareRecords(const RunRecord& first, const RunRecord& second) {
    RecordComparison result;
    if (first.rows.size() == 1 && second.rows.size() == 1) {
        result.pairs = {pairOf(first.rows[0], second.rows[0])};
    } else {
        std::set<std::string> paired;
        std::map<std::string_view, const RecordRow*> named;
        for (const RecordRow& b : second.rows) named.try_emplace(b.name, &b);
        for (const RecordRow& a : first.rows) {
            const auto b = named.find(a.name);
            if (b == named.end()) {
                result.onlyFirst.push_back(a.name);
                continue;
            }
            result.pairs.push_back(pairOf(a, *b->second));
            paired.insert(a.name);
        }
        for (const RecordRow& b : second.rows) {
            if (!paired.contains(b.name)) result.onlySecond.push_back(b.name);
        }
    }
    result.changes = Changes(first, second).of(result.pairs);
    return result;
}

}  // namespace rayscope
