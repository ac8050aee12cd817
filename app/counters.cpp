#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/counting.h"

namespace rayscope {

int runCounters(const CountersOptions& options) {
    std::variant<Request, Refusal> made = makeRequest(options.common, {options.b});
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    const Request& request = std::get<Request>(made);
    std::vector<Settings> settings{request.state.settings};
    if (!options.b.empty()) {
        Settings b = request.state.settings;
        std::string problem = applyAssignments(options.b, b).reason();
        if (problem.empty()) problem = request.renderer->unsupported(b);
        if (!problem.empty()) return refuse({2, "--b: " + problem});
        settings.push_back(b);
    }
    const State& state = request.state;
    std::vector<CountedWork> sides;
    Outcome outcome;
    for (const Settings& s : settings) {
        CountJob job(*request.renderer, s, state.scene, state.camera, request.width,
                     request.height);
        if (!play(job, settings.size() == 1 ? "counters" : sides.empty() ? "A" : "B")) {
            outcome.interrupted = "before everything was counted";
            break;
        }
        if (!job.problem().empty()) return refuse({1, job.problem()});
        sides.push_back(job.result());
    }
    outcome.measured = !sides.empty();
    if (outcome.measured) {
        if (options.json != "-" && options.csv != "-") say("{}", tableOf(state, sides));
        outcome.report = reportOf(state, sides, outcome.interrupted.empty());
        outcome.csv = csvOf(sides);
    }
    return finish(options.json, options.csv, outcome);
}

}  // namespace rayscope
