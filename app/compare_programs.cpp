#include <fmt/format.h>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/run_program.h"
#include "renderer/base/say.h"
#include "renderer/lab/benchmark.h"
#include "renderer/lab/program_gate.h"

namespace rayscope {

namespace {

/// Small pictures: passes are short, and many.
constexpr int kGateWidth = 320, kGateHeight = 180;

Result<std::vector<GateTask>> tasksOf(const CompareOptions& options, Request& request) {
    const bool sized = !options.common.size.empty();
    const int width = sized ? request.width : kGateWidth,
              height = sized ? request.height : kGateHeight;
    const Settings& settings = request.state.settings;
    if (options.bench.empty())
        return std::vector{gateTask(
            settings,
            options.common.scene.empty() ? request.state.scene->name : options.common.scene, width,
            height)};
    const auto benchmark =
        options.bench == "default" ? findBenchmark(settings.backend) : findLadder(options.bench);
    if (!benchmark) return benchmark.failure();
    return gateTasks(*benchmark, settings.backend, width, height);
}

std::optional<Refusal> verdictOn(const CompareOptions& options, const std::vector<GateRow>& rows) {
    for (const GateRow& row : rows) {
        if (!row.problem.empty())
            return Refusal{1, fmt::format("{}: {}", row.task.name, row.problem)};
        if (failsIf(options, "slower") && row.measurable && row.ratio.value < 1)
            return Refusal{kNotAsAsked, fmt::format("B is slower in {}: {}", row.task.name,
                                                    timesText(row.ratio))};
        if (failsIf(options, "different") && row.otherWork())
            return Refusal{
                kNotAsAsked,
                fmt::format("B does different work in {}: {:.4f} rays a sample, A {:.4f}",
                            row.task.name, row.raysPerSample[1], row.raysPerSample[0])};
    }
    return {};
}

}  // namespace

int runComparePrograms(const CompareOptions& options) {
    auto made = makeRequest(options.common);
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    GateWish wish;
    wish.programs = {options.programA, options.programB};
    for (std::string& program : wish.programs) {
        if (program.find('/') != program.npos) continue;
        const std::string found = findProgram(program, {});
        if (found.empty()) return refuse({2, fmt::format("there is no program {}", program)});
        program = found;
    }
    auto tasks = tasksOf(options, std::get<Request>(made));
    if (!tasks) return refuse({2, tasks.reason()});
    wish.tasks = *std::move(tasks);
    wish.seconds = options.seconds;
    ProgramGate gate(std::move(wish));
    const bool ended = play(gate, "compare programs");
    if (!gate.problem().empty()) return refuse({1, gate.problem()});
    const std::vector<GateRow> rows = gate.rows();
    Outcome outcome;
    outcome.measured = std::any_of(rows.begin(), rows.end(), [](const GateRow& row) {
        return row.identical || row.rounds >= ProgramGate::kFewestRounds;
    });
    if (!ended) outcome.interrupted = "before the time was up";
    if (options.json != "-" && options.markdown != "-") say("{}", tableOf(gate));
    if (outcome.measured) {
        if (const auto written = writeText(options.markdown, markdownOf(gate)); !written)
            return refuse({1, written.reason()});
    }
    outcome.report = reportOf(gate);
    if (const int code = finish(options.json, "", outcome); code != 0) return code;
    const auto verdict = verdictOn(options, rows);
    return verdict ? refuse(*verdict) : 0;
}

}  // namespace rayscope
