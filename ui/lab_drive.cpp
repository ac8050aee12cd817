#include "ui/lab_drive.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/files.h"

namespace rayscope {

namespace {

constexpr std::size_t kMostResults = std::size_t{24} << 20;

std::string apply(const LabRequests& requests, const Driven& window) {
    State next = window.state;
    next.settings = *requests.apply;
    next.settings.display = window.state.settings.display;
    if (!window.backends.unsupported(next.settings).empty())
        next.settings.display = requests.apply->display;
    if (!requests.scene || *requests.scene == window.state.scene) {
        std::string warning = window.backends.unsupported(next.settings);
        if (warning.empty()) window.state.settings = next.settings;
        return warning;
    }
    next.enter(*requests.scene);
    window.adopt(std::move(next));
    return {};
}

}  // namespace

std::string stemOf(const LabRecord& record) {
    std::string date = record.date;
    std::replace(date.begin(), date.end(), ':', '-');
    return fmt::format("rayscope-{}-{}", record.tuned ? "autotune" : record.study.kind, date);
}

std::string save(const LabRecord& record, const std::string& stem) {
    std::string problem =
        writeTextFile(stem + ".json", record.json().dump(2) + "\n", Existing::kept);
    if (problem.empty()) problem = writeTextFile(stem + ".csv", record.csv(), Existing::kept);
    return problem;
}

std::string carryOut(const LabRequests& requests, Laboratory& lab, const LabChoice& choice,
                     int width, int height, const Driven& window) {
    std::string warning;
    if (requests.cancel) lab.cancel();
    if (requests.measure) warning = lab.start(choice, window.state, width, height);
    if (requests.show) lab.show(*requests.show);
    if (requests.apply) warning = apply(requests, window);
    return warning;
}

std::string labText(const Laboratory& lab) {
    if (!lab.running()) return {};
    return fmt::format("lab {:.0f} %", 100 * lab.share());
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
