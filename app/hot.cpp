#include "renderer/lab/hot.h"

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"

namespace rayscope {

int runHot(const HotOptions& options) {
    std::variant<Request, Refusal> made = makeRequest(options.common);
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    const Request& request = std::get<Request>(made);
    const State& state = request.state;
    HotWish wish{state, request.width, request.height, request.renderer->device().number};
    wish.kernel = options.kernel;
    HotJob job(*request.renderer, std::move(wish));
    Outcome outcome;
    if (!play(job, "hot")) {
        outcome.interrupted = "before everything was counted";
        return finish(options.json, {}, outcome);
    }
    if (!job.problem().empty()) return refuse({1, job.problem()});
    outcome.measured = true;
    if (options.json != "-") say("{}", tableOf(state, job.result()));
    outcome.report = reportOf(state, job.result());
    return finish(options.json, {}, outcome);
}

}  // namespace rayscope
