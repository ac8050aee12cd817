#include "ui/lab_drive.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/files.h"
#include "ui/output_files.h"

namespace rayscope {

namespace {

/// "rayscope-sweep-2026-01-31T12-00-00Z"
std::string stemOf(const LabRecord& record) {
    std::string date = record.date;
    std::replace(date.begin(), date.end(), ':', '-');
    return fmt::format("rayscope-{}-{}", record.tuned ? "autotune" : record.study.kind, date);
}

void apply(const LabRequests& requests, const Driven& window, std::string* warning) {
    State next = window.state;
    next.settings = *requests.apply;
    next.settings.display = window.state.settings.display;
    if (!window.backends.unsupported(next.settings).empty())
        next.settings.display = requests.apply->display;
    if (!requests.scene || *requests.scene == window.state.scene) {
        *warning = window.backends.unsupported(next.settings);
        if (warning->empty()) window.state.settings = next.settings;
        return;
    }
    next.scene = *requests.scene;
    next.camera = next.scene.camera;
    window.adopt(std::move(next));
}

}  // namespace

std::string save(const LabRecord& record, const std::string& folder, std::string* warning) {
    const std::string stem = freshStem(folder, stemOf(record), {".json", ".csv"});
    *warning = writeTextFile(stem + ".json", record.json().dump(2) + "\n");
    if (warning->empty()) *warning = writeTextFile(stem + ".csv", record.csv());
    return warning->empty() ? fmt::format("Saved {}.json and .csv", stem) : "";
}

std::string carryOut(const LabRequests& requests, Laboratory& lab, const LabChoice& choice,
                     int width, int height, const Driven& window, std::string* warning) {
    if (requests.cancel) lab.cancel();
    if (requests.measure) *warning = lab.start(choice, window.state, width, height);
    if (requests.show) lab.show(*requests.show);
    if (requests.apply) apply(requests, window, warning);
    if (requests.save && lab.shown() != nullptr) return save(*lab.shown(), outputFolder(), warning);
    return {};
}

std::string labText(const Laboratory& lab) {
    if (!lab.running()) return {};
    return fmt::format("lab {:.0f} %", 100 * lab.share());
}

nlohmann::json resultsOf(const Laboratory& lab, const State& state) {
    nlohmann::json results = nlohmann::json::array();
    for (auto record = lab.history().rbegin(); record != lab.history().rend(); ++record) {
        nlohmann::json report = record->json();
        if (record->state.scene == state.scene) report["state"].erase("scene");
        results.push_back(std::move(report));
    }
    return results;
}

}  // namespace rayscope
