#include "app/commands.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/counter_report.h"

namespace rayscope {

namespace {

/// Nothing where it was interrupted.
std::optional<CountedWork> countSide(const Request& request, const Settings& settings,
                                     const std::string& label) {
    Progress progress(label);
    return countWork(*request.renderer, settings, request.state.scene, request.state.camera,
                     request.width, request.height, [&](double share) {
                         progress.show(share);
                         return !interrupted();
                     });
}

}  // namespace

int runCounters(const CountersOptions& options) {
    std::variant<Request, Refusal> understood = understand(options.common);
    if (const Refusal* refusal = std::get_if<Refusal>(&understood)) return refuse(*refusal);
    const Request& request = std::get<Request>(understood);
    std::vector<Settings> settings{request.state.settings};
    if (!options.b.empty()) {
        Settings b = request.state.settings;
        std::string problem = applyAssignments(options.b, b);
        if (problem.empty()) problem = request.renderer->unsupported(b);
        if (!problem.empty()) return refuse({2, "--b: " + problem});
        settings.push_back(b);
    }
    watchForInterrupt();
    std::vector<CountedWork> sides;
    for (const Settings& s : settings) {
        const char* label = settings.size() == 1 ? "counters" : sides.empty() ? "A" : "B";
        std::optional<CountedWork> side = countSide(request, s, label);
        if (!side) return refuse({1, "interrupted before everything was counted"});
        sides.push_back(std::move(*side));
    }
    const State& state = request.state;
    if (options.json != "-" && options.csv != "-") say("{}", tableOf(state, sides));
    std::string problem;
    if (!options.json.empty()) problem = writeJson(options.json, reportOf(state, sides));
    if (problem.empty() && !options.csv.empty()) problem = writeText(options.csv, csvOf(sides));
    return problem.empty() ? 0 : refuse({1, problem});
}

}  // namespace rayscope
