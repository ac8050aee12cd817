#include "ui/lab_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "renderer/base/files.h"

namespace rayscope {

static constexpr std::size_t kMostResults = std::size_t{24} << 20;

std::string stemOf(const LabRecord& record) {
    std::string date = record.date;
    std::replace(date.begin(), date.end(), ':', '-');
    return fmt::format("rayscope-{}-{}", record.tuned ? "autotune" : record.study.kind, date);
}

std::string save(const LabRecord& record, const std::string& stem) {
    auto saved = writeTextFile(stem + ".json", record.json().dump(2) + "\n", Existing::kept);
    if (saved) saved = writeTextFile(stem + ".csv", record.csv(), Existing::kept);
    return saved.reason();
}

nlohmann::json resultsOf(const LabHistory& history, const State& state) {
    nlohmann::json results = nlohmann::json::array();
    std::size_t bytes = 0;
    for (auto record = history.rbegin(); record != history.rend(); ++record) {
        nlohmann::json report = (*record)->json();
        if ((*record)->state.scene == state.scene) report["state"].erase("scene");
        const std::size_t more = report.dump().size();
        if (bytes + more > kMostResults) continue;
        bytes += more;
        results.push_back(std::move(report));
    }
    return results;
}

}  // namespace rayscope
