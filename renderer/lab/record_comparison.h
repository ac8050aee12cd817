#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/lab/record.h"

namespace rayscope {

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
