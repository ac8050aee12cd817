// All values of a report in tables, for kinds that have no drawing of their own.

#include <fmt/format.h>

#include <set>

#include "renderer/page/sections.h"
#include "renderer/page/svg.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr int kDeepest = 4;
constexpr std::size_t kMostLines = 80, kMostColumns = 10;

/// What every report begins with stands among the conditions; the rest of these is for programs.
bool isShownElsewhere(const std::string& key) {
    static const std::set<std::string> kElsewhere{
        "kind",    "version", "date",       "complete", "commit",       "clean", "device",
        "driver",  "size",    "conditions", "state",    "settings",     "raw",   "command",
        "sources", "camera",  "symbol",     "title",    "device_detail"};
    return kElsewhere.contains(key);
}

/// The part of a JSON pointer (RFC 6901).
std::string part(std::string key) {
    std::string text;
    for (const char c : key)
        text += c == '~' ? std::string("~0") : c == '/' ? "~1" : std::string(1, c);
    return text;
}

std::string words(std::string key) {
    for (char& c : key)
        if (c == '_') c = ' ';
    return key;
}

int digitsOf(double value) {
    const double size = std::abs(value);
    return size == std::floor(size) && size < 1e15 ? 0 : size >= 100 ? 1 : size >= 1 ? 3 : 6;
}

std::string cell(const json& reports, const std::string& at) {
    const json& value = reports.at(json::json_pointer(at));
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (value.is_string()) return escaped(value.get<std::string>());
    if (const auto figure = figureAt(reports, at)) {
        if (figure->value != 0 && std::abs(figure->value) < 1e-3)
            return fmt::format("<span class=f data-p=\"{}\" data-e=1>{:.3e}</span>", escaped(at),
                               figure->value);
        return htmlOf(*figure, {1, digitsOf(figure->value)});
    }
    return "\u2014";
}

bool isFlat(const json& value) {
    return std::none_of(value.begin(), value.end(),
                        [](const json& one) { return one.is_structured(); });
}

std::string valuesOf(const json& reports, const std::string& at, int depth);

/// A list of objects as a table, a row each; nested ones are left to their own report.
std::string listOf(const json& reports, const std::string& at) {
    const json& list = reports.at(json::json_pointer(at));
    std::vector<std::string> keys;
    for (const json& one : list) {
        if (!one.is_object()) continue;
        for (const auto& [key, value] : one.items()) {
            const bool known = std::find(keys.begin(), keys.end(), key) != keys.end();
            if (!known && !value.is_structured() && !isShownElsewhere(key) &&
                keys.size() < kMostColumns)
                keys.push_back(key);
        }
    }
    if (keys.empty()) return {};
    // what names a row comes first
    if (const auto name = std::find(keys.begin(), keys.end(), "name"); name != keys.end())
        std::rotate(keys.begin(), name, name + 1);
    std::vector<std::string> head;
    for (const std::string& key : keys) head.push_back(escaped(words(key)));
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < list.size() && k < kMostLines; ++k) {
        std::vector<std::string> row;
        for (const std::string& key : keys)
            row.push_back(list[k].is_object() && list[k].contains(key) &&
                                  !list[k][key].is_structured()
                              ? cell(reports, fmt::format("{}/{}/{}", at, k, part(key)))
                              : "");
        rows.push_back(std::move(row));
    }
    std::string html = tableOf(head, rows);
    if (list.size() > kMostLines)
        html += paragraph(fmt::format("The first {} of {}.", kMostLines, list.size()), "note");
    return html;
}

std::string valuesOf(const json& reports, const std::string& at, int depth) {
    const json& object = reports.at(json::json_pointer(at));
    if (!object.is_object() || depth > kDeepest) return {};
    std::vector<std::vector<std::string>> rows;
    std::string rest;
    for (const auto& [key, value] : object.items()) {
        if (depth == 0 && isShownElsewhere(key)) continue;
        const std::string there = fmt::format("{}/{}", at, part(key));
        if (!value.is_structured()) {
            rows.push_back({escaped(words(key)), cell(reports, there)});
        } else if (value.is_array() && isFlat(value)) {
            std::string cells;
            for (std::size_t k = 0; k < value.size() && k < 16; ++k)
                cells += (k == 0 ? "" : ", ") + cell(reports, fmt::format("{}/{}", there, k));
            rows.push_back({escaped(words(key)), cells + (value.size() > 16 ? ", \u2026" : "")});
        } else if (!isShownElsewhere(key)) {
            const std::string inner =
                value.is_array() ? listOf(reports, there) : valuesOf(reports, there, depth + 1);
            if (!inner.empty()) rest += heading(3, words(key)) + inner;
        }
    }
    return (rows.empty() ? std::string() : tableOf({}, rows)) + rest;
}

}  // namespace

std::string allValuesOf(const json& reports, std::size_t index) {
    return valuesOf(reports, fmt::format("/{}", index), 0);
}

}  // namespace rayscope
