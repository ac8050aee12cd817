#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/devices/backends.h"
#include "renderer/devices/starting.h"
#include "renderer/lab/comparison.h"

namespace rayscope {

namespace {

/// One side: its settings, and its renderer if that is not the one of --backend.
struct SideChoice {
    Settings settings;
    std::unique_ptr<Renderer> own;
};

/// Takes "backend=..." out of the assignments and returns the backend that it asks for.
std::variant<Backend, Refusal> takeBackend(std::vector<std::string>& assignments, Backend common) {
    Backend backend = common;
    for (const std::string& assignment : assignments) {
        if (assignment.rfind("backend=", 0) != 0) continue;
        Settings scratch;
        if (const auto assigned = assign(scratch, assignment); !assigned)
            return Refusal{2, assigned.reason()};
        backend = scratch.backend;
    }
    std::erase_if(assignments, [](const std::string& a) { return a.rfind("backend=", 0) == 0; });
    return backend;
}

/// The settings for a side's own backend, which has its fastest engine if that knows the
/// assignments and `set` names no other.
Settings switched(const Request& request, Backend backend, const std::vector<std::string>& set,
                  const std::vector<std::string>& assignments) {
    const State& state = request.state;
    const Settings fast = switchedTo(backend, state.settings, state.scene);
    Settings applied = fast;
    return !names(set, "engine") && applyAssignments(assignments, applied)
               ? fast
               : withBackend(state.settings, backend, state.scene);
}

std::variant<SideChoice, Refusal> chooseSide(const Request& request, const Options& common,
                                             const char* name,
                                             std::vector<std::string> assignments) {
    SideChoice side;
    side.settings = request.state.settings;
    const auto backend = takeBackend(assignments, side.settings.backend);
    if (const auto* refusal = std::get_if<Refusal>(&backend)) return *refusal;
    if (std::get<Backend>(backend) != side.settings.backend) {
        side.settings = switched(request, std::get<Backend>(backend), common.set, assignments);
        if (side.settings.backend == Backend::cpu) {
            side.own = makeCpuRenderer();
        } else {
            auto made = openDevices(devicesOf(common.device));
            if (!made) return Refusal{1, made.reason()};
            side.own = *std::move(made);
        }
        side.own->setScene(request.state.scene);
    }
    std::string problem = applyAssignments(assignments, side.settings).reason();
    Renderer& renderer = side.own ? *side.own : *request.renderer;
    if (problem.empty()) problem = renderer.unsupported(side.settings);
    if (!problem.empty()) return Refusal{2, fmt::format("--{}: {}", name, problem)};
    return side;
}

/// Whether a side is to be traced by CUDA whatever --backend says.
bool asksForCuda(const CompareOptions& options) {
    const auto does = [](const std::string& assignment) { return assignment == "backend=cuda"; };
    return std::any_of(options.a.begin(), options.a.end(), does) ||
           std::any_of(options.b.begin(), options.b.end(), does);
}

/// Why the result is not what --fail-if and --at-least ask for.
std::optional<Refusal> verdictOn(const CompareOptions& options, const PairResult& result) {
    const CompareResult& speed = result.speed;
    if (failsIf(options, "different") && !result.work)
        return Refusal{1, "the work was not compared: " + result.noWork};
    if (failsIf(options, "different") && result.different())
        return Refusal{kNotAsAsked, "B does different work: " + result.work->sentence};
    if (failsIf(options, "slower") && speed.measurable && speed.samples.value < 1)
        return Refusal{kNotAsAsked, "B is slower: " + timesText(speed.samples)};
    if (options.atLeast > 0 && !(speed.samples.lower >= options.atLeast))
        return Refusal{kNotAsAsked, fmt::format("B is not surely {}x A: {}", options.atLeast,
                                                timesText(speed.samples))};
    return {};
}

int carryOut(PairJob& job, const CompareOptions& options, const ComparedPair& pair,
             int architecture) {
    const bool ended = play(job, "compare");
    if (!job.problem().empty()) return refuse({1, job.problem()});
    PairResult result = job.result();
    Outcome outcome;
    outcome.measured = static_cast<size_t>(result.speed.rounds) >= kFewestPairs;
    if (ended)
        result.code = compareCode(pair.state.settings, pair.b, pair.state.scene, architecture);
    else
        outcome.interrupted = fmt::format("after {} rounds", result.speed.rounds);
    if (outcome.measured && options.json != "-")
        say("{}", tableOf(pair, result, isatty(STDOUT_FILENO) == 1));
    outcome.report = reportOf(pair, result);
    if (const int code = finish(options.json, "", outcome); code != 0) return code;
    const auto verdict = verdictOn(options, result);
    return verdict ? refuse(*verdict) : 0;
}

PairWish wishOf(const CompareOptions& options, const ComparedPair& pair) {
    PairWish wish;
    wish.speed.camera = pair.state.camera;
    wish.speed.width = pair.width;
    wish.speed.height = pair.height;
    wish.seconds = options.seconds;
    wish.speed.clock = options.clock == "loop" ? PassClock::loop : PassClock::kernel;
    if (options.onlySpeed) return wish;
    wish.work = equalWorkWish(pair.state.settings, pair.b, pair.state.scene);
    wish.work->camera = pair.state.camera;
    return wish;
}

}  // namespace

bool failsIf(const CompareOptions& options, std::string_view what) {
    return std::find(options.failIf.begin(), options.failIf.end(), what) != options.failIf.end();
}

int runCompare(const CompareOptions& options) {
    if (!options.second.empty())
        return runCompareFiles(options.common.file, options.second, options.json);
    if (!options.programA.empty()) return runComparePrograms(options);
    Options common = options.common;
    if (common.backend == "cpu" && asksForCuda(options)) common.device = {};
    std::variant<Request, Refusal> made = makeRequest(common, {options.a, options.b});
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    Request& request = std::get<Request>(made);
    auto a = chooseSide(request, options.common, "a", options.a),
         b = chooseSide(request, options.common, "b", options.b);
    for (const auto* side : {&a, &b}) {
        if (const auto* refusal = std::get_if<Refusal>(side)) return refuse(*refusal);
    }
    SideChoice &sideA = std::get<SideChoice>(a), &sideB = std::get<SideChoice>(b);

    ComparedPair pair{request.state, sideB.settings, request.width, request.height};
    pair.state.settings = sideA.settings;
    const auto contestant = [&](SideChoice& side) {
        return Contestant{side.own ? side.own.get() : request.renderer.get(), side.settings};
    };
    Watches watches;
    PairJob job(contestant(sideA), contestant(sideB), wishOf(options, pair), watches);
    const Renderer& ofB = sideB.own ? *sideB.own : *request.renderer;
    return carryOut(job, options, pair, ofB.device().architecture);
}

}  // namespace rayscope
