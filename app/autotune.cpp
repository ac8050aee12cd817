#include "renderer/lab/autotune.h"

#include <algorithm>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "app/study.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/autotune_report.h"

namespace rayscope {

int runAutotune(const AutotuneOptions& options) {
    auto understood = understand(options.common);
    if (const Refusal* refusal = std::get_if<Refusal>(&understood)) return refuse(*refusal);
    Request& request = std::get<Request>(understood);
    AutotuneWish wish;
    wish.camera = request.state.camera;
    wish.candidates = options.candidates;
    wish.seconds = options.seconds;
    studySize(options.common, request, wish.width, wish.height);
    Machine machine = machineOf(request);

    watchForInterrupt();
    Autotune job(machine, request.state.settings, request.state.scene, wish);
    Progress progress("autotune");
    const bool table = options.json != "-";
    size_t printed = 0;
    while (!job.step(50)) {
        if (interrupted()) return refuse({1, "interrupted before there was a winner"});
        progress.label(job.rounds().back().name);
        progress.show(job.share());
        for (; table && printed + 1 < job.rounds().size(); ++printed) {
            progress.hide();
            say("{}", roundText(job, printed));
            flushSaid();
        }
    }
    progress.hide();
    for (; table && printed < job.rounds().size(); ++printed) say("{}", roundText(job, printed));
    if (table) say("\n{}", winnerText(job));
    return finishJson(options.json, reportOf(job, wish, request.state));
}

}  // namespace rayscope
