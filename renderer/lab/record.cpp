#include "renderer/lab/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/choices/state.h"
#include "renderer/film/image_files.h"
#include "renderer/lab/ladder.h"
#include "renderer/scene/json.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxRows = 10'000;
/// Settings that a row keeps, and bytes of a text: names are columns of a table.
constexpr std::size_t kMaxSettings = 200, kMaxRecordText = 400;
constexpr const char* kExpected = "expected what a command wrote with --json, or a screenshot";

/// The member, or null.
const json& memberOf(const json& object, const char* key) {
    static const json kNone;
    const auto found = object.find(key);
    return found == object.end() ? kNone : *found;
}

/// A text as it may be shown.
std::string shown(const std::string& text) {
    return printable(shortened(text, kMaxRecordText));
}

/// The members that are the value of an axis; rows may lie within each other, and copies of all
/// that is below them would be many.
json settingsIn(const json& object) {
    json settings = json::object();
    for (const auto& [key, value] : object.items()) {
        if (settings.size() == kMaxSettings) break;
        if (value.is_string())
            settings[shown(key)] = shown(value.get_ref<const std::string&>());
        else if (value.is_primitive())
            settings[shown(key)] = value;
    }
    return settings;
}

std::string textOf(const json& object, const char* key) {
    const json& value = memberOf(object, key);
    return value.is_string() ? shown(value.get_ref<const std::string&>()) : "";
}

std::optional<double> numberOf(const json& object, const char* key) {
    const json& value = memberOf(object, key);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<Spread> recordedSpread(const json& value, double scale) {
    const auto median = numberOf(value, "median"), lower = numberOf(value, "lower"),
               upper = numberOf(value, "upper");
    if (!median || !lower || !upper || *median <= 0) return {};
    return Spread{scale * *median, scale * *lower, scale * *upper};
}

std::optional<Extremes> spanOf(const json& value) {
    if (!value.is_array() || value.size() != 2) return {};
    if (!value[0].is_number() || !value[1].is_number()) return {};
    return Extremes{value[0].get<double>(), value[1].get<double>()};
}

/// A rung says itself what it measures; all else is a rate by kernel time.
void readValue(const json& object, RecordRow& row) {
    const json& measured = memberOf(object, "measured");
    const Unit* unit = findUnit(textOf(measured, "unit"));
    row.rate = unit == nullptr || unit->rate;
    row.spread = unit != nullptr ? recordedSpread(measured, unit->scale)
                                 : recordedSpread(memberOf(object, "kernel_rays_per_second"), 1);
    row.value = row.spread ? row.spread->median : numberOf(object, "rays_per_second").value_or(0);
}

void readWork(const json& object, RecordRow& row) {
    const json& rays = memberOf(object, "rays");
    const auto camera = numberOf(rays, "camera"), total = numberOf(rays, "total");
    row.raysPerSample = numberOf(object, "rays_per_sample");
    if (!row.raysPerSample && camera && total && *camera > 0) row.raysPerSample = *total / *camera;
    const json& mean = memberOf(object, "mean_radiance");
    if (mean.is_array() && mean.size() == 3) {
        double sum = 0;
        for (const json& channel : mean) sum += channel.is_number() ? channel.get<double>() : 0;
        if (sum > 0) row.brightness = sum / 3;  // a comparison leaves it 0: it has no picture
    }
    row.brightnessError = numberOf(object, "mean_radiance_error").value_or(0);
}

bool hasRow(const json& object) {
    return memberOf(object, "settings").is_object() &&
           (object.contains("kernel_rays_per_second") || object.contains("rays_per_second") ||
            object.contains("problem"));
}

void join(std::optional<Extremes>& span, const std::optional<Extremes>& more) {
    if (!more) return;
    if (!span) span = more;
    span->lowest = std::min(span->lowest, more->lowest);
    span->highest = std::max(span->highest, more->highest);
}

class RecordReader {
public:
    explicit RecordReader(RunRecord& record) : record_(record) {}

    /// Everything below a value that is a row or says something about conditions.
    void collect(const json& value, const std::string& name, const std::string& scene) {
        if (value.is_array()) {
            for (const json& element : value) collect(element, name, scene);
        }
        if (!value.is_object()) return;
        const std::string own = textOf(value, "name"), itsScene = textOf(value, "scene");
        const std::string& here = own.empty() ? name : own;
        const std::string& place = itsScene.empty() ? scene : itsScene;
        if (hasRow(value)) addRow(value, here, place);
        for (const auto& [key, member] : value.items()) {
            if (key == "conditions" || key == "conditions_a") addConditions(member);
            // the sides of a comparison
            const char* side = key == "a" ? "A" : key == "b" ? "B" : nullptr;
            const std::string below = side == nullptr ? here
                                      : here.empty()  ? side
                                                      : fmt::format("{} {}", here, side);
            collect(member, below, place);
        }
    }

private:
    void addRow(const json& object, const std::string& name, const std::string& scene) {
        if (record_.rows.size() == kMaxRows) return;
        RecordRow row;
        row.name = name.empty() ? scene : name;
        row.scene = scene;
        row.settings = settingsIn(object.at("settings"));
        if (record_.device.empty()) record_.device = textOf(object, "device");
        row.problem = textOf(object, "problem");
        if (row.problem.empty()) {
            readValue(object, row);
            readWork(object, row);
            if (row.value <= 0) row.problem = "no rate was recorded";
        }
        row.name = unique(row.name, scene);
        record_.rows.push_back(std::move(row));
    }

    std::string unique(const std::string& name, const std::string& scene) {
        if (names_.insert(name).second) return name;
        const std::string longer = fmt::format("{} of {}", name, scene);
        if (names_.insert(longer).second) return longer;
        int& n = numbers_.try_emplace(longer, 1).first->second;
        std::string numbered;
        do {
            numbered = fmt::format("{} #{}", longer, ++n);
        } while (!names_.insert(numbered).second);
        return numbered;
    }

    void addConditions(const json& conditions) {
        record_.conditions |= numberOf(conditions, "samples").value_or(0) > 0;
        join(record_.clockMhz, spanOf(memberOf(conditions, "clock_mhz")));
        join(record_.load, spanOf(memberOf(conditions, "load")));
        if (const std::string warning = textOf(conditions, "warning"); !warning.empty())
            record_.warnings.insert(warning);
        const json& throttling = memberOf(conditions, "throttling");
        if (!throttling.is_array()) return;
        for (const json& reason : throttling) {
            if (reason.is_string())
                record_.throttling.insert(shown(reason.get_ref<const std::string&>()));
        }
    }

    RunRecord& record_;
    std::set<std::string> names_;
    std::map<std::string, int> numbers_;  ///< given to names that are there several times
};

std::string sizeIn(const json& object) {
    for (const char* key : {"size", "film"}) {
        if (const auto size = spanOf(memberOf(object, key)))
            return fmt::format("{:.0f}x{:.0f}", size->lowest, size->highest);
    }
    return {};
}

/// A screenshot: a state, with what was measured as "info".
Result<json> flattened(const json& file) {
    const json& info = memberOf(file, "info");
    if (!file.contains("info")) return file;
    if (!info.is_object())
        return Failure{fmt::format("info is {}, expected an object", briefly(info))};
    const auto state = stateFromJson(file);
    if (!state) return state.failure();
    const State& s = *state;
    json flat = info;
    flat["version"] = textOf(file, "version");
    flat["settings"] = toJson(s.settings);
    flat["scene"] = s.scene->name;
    flat["state"] = {{"scene", file.at("scene")}, {"camera", toJson(s.camera)}};
    return flat;
}

void readSurroundings(const json& run, RunRecord& record) {
    for (const RecordText& t : kRecordTexts) record.*t.text = textOf(run, t.key);
    if (memberOf(run, "clean") == json(false) && !record.commit.empty())
        record.commit += ", changed";
    record.size = sizeIn(run);
    for (const char* key : {"spp", "seed", "seconds"}) {
        if (const json& value = memberOf(run, key); value.is_number()) record.settings[key] = value;
    }
    const json& state = memberOf(run, "state");
    record.scene = memberOf(state, "scene");
    record.camera = memberOf(state.contains("camera") ? state : run, "camera");
}

}  // namespace

Result<RunRecord> recordFrom(const json& file, const std::string& name) {
    const Result<json> flat = flattened(file);
    if (!flat) return Failure{fmt::format("{}: {}", name, flat.reason())};
    const json& run = *flat;
    RunRecord record;
    record.file = printable(name);
    record.settings = json::object();
    readSurroundings(run, record);
    std::string scene = textOf(run, "scene");
    if (scene.empty()) scene = textOf(record.scene, "name");
    RecordReader(record).collect(run, "", scene);
    if (record.rows.empty()) return Failure{fmt::format("{}: no rates in it, {}", name, kExpected)};
    return record;
}

Result<RunRecord> recordFrom(std::string bytes, const std::string& file) {
    if (bytes.starts_with("\x89PNG")) {
        auto state = pngState(bytes, file);
        if (!state) return state.failure();
        bytes = *std::move(state);
    }
    const size_t begin = bytes.find_first_not_of(" \t\r\n");
    if (begin == bytes.npos || bytes[begin] != '{')
        return Failure{fmt::format("{}: {}", file, kExpected)};
    const auto parsed = parseJson(bytes, file);
    if (!parsed) return parsed.failure();
    return recordFrom(*parsed, file);
}

Result<RunRecord> readRecord(const std::string& path) {
    auto file = readFile(path, kMaxRecordBytes);
    if (!file) return file.failure();
    return recordFrom(*std::move(file), path);
}

}  // namespace rayscope
