// Two recorded runs, the second behind a line of dashes; one alone is compared with itself.

#include "renderer/lab/record.h"

#include "renderer/base/text.h"
#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

void read(std::string_view text) {
    constexpr std::string_view kBetween = "\n---\n";
    const std::size_t between = text.find(kBetween);
    const auto first = recordFrom(std::string(text.substr(0, between)), "first.json");
    const auto second =
        between == text.npos
            ? first
            : recordFrom(std::string(text.substr(between + kBetween.size())), "second.json");
    for (const auto* record : {&first, &second}) {
        if (!*record) return promiseSentence(record->reason());
    }
    const RunRecord &a = *first, &b = *second;
    const RecordComparison comparison = compareRecords(a, b);
    const std::string table = textOf(a, b, comparison);
    promise(printable(table, "\n") == table, "the comparison is printable");
    reportOf(a, b, comparison).dump();
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
