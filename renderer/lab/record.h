#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/lab/measure.h"
#include "renderer/machine/conditions.h"

// Recorded runs: what the commands write with --json, and screenshots, which carry what was
// measured. Whatever has settings and a rate is a row, so that new kinds of reports need nothing
// here.

namespace rayscope {

/// One settings value that was measured.
struct RecordRow {
    std::string name;
    std::string scene;
    nlohmann::json settings;  ///< {axis: value}
    /// In rays a second or, where `rate` is false, in seconds.
    double value = 0;
    bool rate = true;
    std::optional<Spread> spread;  ///< of the value over the passes
    std::optional<double> raysPerSample;
    std::optional<double> brightness;  ///< mean radiance of the channels
    double brightnessError = 0;        ///< standard error; 0: unknown
    std::string problem;               ///< why there is no value; else empty
};

/// A file. What it does not say is empty.
struct RunRecord {
    std::string file, kind, version, commit, date, device, driver;
    std::string size;         ///< "1280x720"
    nlohmann::json scene;     ///< whole, or null
    nlohmann::json camera;    ///< or null
    nlohmann::json settings;  ///< other numbers of the run: samples a pixel, seed ...
    std::vector<RecordRow> rows;
    std::optional<Extremes> clockMhz, load;  ///< over all rows
    std::set<std::string> throttling, warnings;
    bool conditions = false;  ///< whether it says anything about them
};

/// A text of a record and its key in a report.
struct RecordText {
    const char* key;
    std::string RunRecord::*text;
};
inline constexpr RecordText kRecordTexts[] = {
    {"kind", &RunRecord::kind}, {"version", &RunRecord::version}, {"commit", &RunRecord::commit},
    {"date", &RunRecord::date}, {"device", &RunRecord::device},   {"driver", &RunRecord::driver},
    {"size", &RunRecord::size}};

/// The record of a JSON file or a PNG of at most 64 MiB. Texts are printable and short, settings
/// hold nothing but texts, numbers and flags.
Result<RunRecord> readRecord(const std::string& path);

/// The same of a file's bytes.
Result<RunRecord> recordFrom(std::string bytes, const std::string& file);

/// The same of what a file holds.
Result<RunRecord> recordFrom(const nlohmann::json& json, const std::string& file);

/// A row that both runs have.
struct RecordedPair {
    RecordRow first, second;
    /// Times as fast as in the first run; nothing where one has no value, or measures another
    /// thing.
    std::optional<double> ratio;
    /// Half the range in which the middle half of the passes lies, of both sides, relative. The
    /// runs were not interleaved: what changed between them is in the ratio and not in this.
    std::optional<double> spread;
    /// Why it is not the same work, "1.3 % brighter"; empty where nothing shows that.
    std::string otherWork;
};

/// What the second run had that the first had not.
struct RecordedChange {
    std::string what;  ///< "driver"
    std::string first, second;
};

struct RecordComparison {
    std::vector<RecordedPair> pairs;
    std::vector<std::string> onlyFirst, onlySecond;  ///< names of rows
    std::vector<RecordedChange> changes;
};

/// Rows are paired by their names; two runs of one row each are a pair whatever their names.
RecordComparison compareRecords(const RunRecord& first, const RunRecord& second);

/// The table, and what else differed.
std::string textOf(const RunRecord& first, const RunRecord& second,
                   const RecordComparison& comparison);

nlohmann::json reportOf(const RunRecord& first, const RunRecord& second,
                        const RecordComparison& comparison);

}  // namespace rayscope
