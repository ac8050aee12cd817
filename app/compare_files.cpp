#include "app/commands.h"
#include "renderer/base/say.h"
#include "renderer/lab/record.h"

namespace rayscope {

int runCompareFiles(const std::string& first, const std::string& second, const std::string& json) {
    const auto read1 = readRecord(first), read2 = readRecord(second);
    for (const auto* read : {&read1, &read2}) {
        if (!*read) return refuse({1, read->reason()});
    }
    const RunRecord &a = *read1, &b = *read2;
    const RecordComparison comparison = compareRecords(a, b);
    if (json != "-") say("{}", textOf(a, b, comparison));
    return finishJson(json, reportOf(a, b, comparison));
}

}  // namespace rayscope
