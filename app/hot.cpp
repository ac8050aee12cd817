#include "renderer/lab/hot.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/lab/stalls.h"

namespace rayscope {

/// Why there is no kernel of this name to count; empty where there is, or the compiler is to say.
static std::string unknownKernel(const Request& request, const std::string& name) {
    if (name.empty()) return {};
    const State& state = request.state;
    if (state.settings.backend == Backend::cpu)
        return "--kernel: a CPU is sampled in all functions";
    const auto code =
        kernelCode({state.settings, state.scene, request.renderer->device().architecture});
    if (!code) return {};
    std::string all;
    for (const KernelFacts& kernel : code->kernels) {
        if (kernel.name == name) return {};
        all += (all.empty() ? "" : ", ") + kernel.name;
    }
    return fmt::format("--kernel {}: these settings have {}", name, all);
}

static int runStalls(const HotOptions& options, const Request& request, const HotWish& wish) {
    StallJob job(*request.renderer, wish);
    Outcome outcome;
    if (!play(job, "hot")) {
        outcome.interrupted = "before everything was sampled";
        return finish(options.json, {}, outcome);
    }
    if (!job.problem().empty()) return refuse({1, job.problem()});
    outcome.measured = true;
    if (options.json != "-") {
        say("{}", job.result() ? tableOf(*job.result())
                               : fmt::format("no samples: {}\n", job.result().reason()));
    }
    outcome.report = reportOf(request.state, request.renderer->device(), job);
    return finish(options.json, {}, outcome);
}

int runHot(const HotOptions& options) {
    std::variant<Request, Refusal> made = makeRequest(options.common);
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    const Request& request = std::get<Request>(made);
    const State& state = request.state;
    if (const std::string reason = unknownKernel(request, options.kernel); !reason.empty())
        return refuse({2, reason});
    if (options.only == "stalls" && !options.kernel.empty())
        return refuse({2, "--kernel: samples are of all kernels, leave it out with --only stalls"});
    if (state.settings.backend == Backend::cpu && !options.only.empty() &&
        options.only != "stalls")  // of which a report says that a CPU has none
        return refuse({2, "--only: a CPU's lines are sampled, leave it out"});
    HotWish wish{state, request.width, request.height, request.renderer->device().number};
    wish.kernel = options.kernel;
    if (options.only == "counts") wish.only = HotPart::counts;
    if (options.only == "model") wish.only = HotPart::model;
    if (options.only == "stalls") return runStalls(options, request, wish);
    HotJob job(*request.renderer, std::move(wish));
    Outcome outcome;
    if (!play(job, "hot")) {
        outcome.interrupted = "before everything was counted";
        return finish(options.json, {}, outcome);
    }
    if (!job.problem().empty()) return refuse({1, job.problem()});
    const bool cpu = state.settings.backend == Backend::cpu;  // has nothing but samples
    if (cpu && !job.result().noCounts.empty())
        return refuse({1, "no samples: " + job.result().noCounts});
    outcome.measured = true;
    if (options.json != "-") say("{}", tableOf(state, job.result()));
    outcome.report = reportOf(state, job.result());
    return finish(options.json, {}, outcome);
}

}  // namespace rayscope
