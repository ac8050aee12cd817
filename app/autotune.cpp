#include "renderer/lab/autotune.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands.h"
#include "app/keep.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/study.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"

namespace rayscope {

int runAutotune(const AutotuneOptions& options) {
    auto made = makeRequest(options.common);
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    Request& request = std::get<Request>(made);
    AutotuneWish wish;
    wish.view = request.state.camera;
    wish.candidates = options.candidates;
    wish.seconds = options.seconds;
    wish.climb = options.climb;
    studySize(options.common, request, wish.width, wish.height);
    Machine machine = machineOf(request);

    auto shared = shareWork(Purpose::measure, options.keep, options.json, "autotune",
                            aboutDevices({machine.of(request.state.settings.backend)}),
                            {{"state", toJson(request.state)},
                             {"size", {wish.width, wish.height}},
                             {"candidates", wish.candidates}});
    if (const Refusal* refusal = std::get_if<Refusal>(&shared)) return refuse(*refusal);
    const Sharing& sharing = std::get<Sharing>(shared);
    if (sharing.role == Sharing::Role::nothing) return 0;
    if (sharing.role == Sharing::Role::help)
        return helpWithStudy(machine, {request.state.scene}, wish);
    wish.helpers = sharing.helpers.get();

    Autotune job(machine, request.state.settings, request.state.scene, wish);
    const bool table = options.json != "-";
    size_t printed = 0;
    const auto rows = [&] {  // of finished rounds
        std::string text;
        const size_t over = job.rounds().size() - !job.complete();
        while (table && printed < over) text += roundText(job, printed++);
        return text;
    };
    const bool ended = play(job, "autotune", rows);
    Outcome outcome;
    outcome.measured = !ranking(job.rounds().front()).empty();
    outcome.problem = job.problem();
    if (!ended || !outcome.problem.empty()) {
        outcome.interrupted =
            fmt::format("in round {}, {}", job.rounds().size(), job.rounds().back().name);
        if (table && outcome.measured && printed < job.rounds().size())
            say("{}", roundText(job, printed));
    } else if (table) {
        say("\n{}", winnerText(job));
    }
    outcome.report = reportOf(job, wish, request.state);
    return finishSharing(sharing, finish(options.json, "", outcome));
}

}  // namespace rayscope
