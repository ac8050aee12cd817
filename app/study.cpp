#include "app/study.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands.h"
#include "app/keep.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/studies.h"
#include "renderer/lab/study.h"

namespace rayscope {

namespace {

StudyWish wishOf(const StudyOptions& options, const Request& request) {
    StudyWish wish;
    wish.seconds = options.seconds;
    wish.work = !options.onlySpeed;
    studySize(options.common, request, wish.width, wish.height);
    return wish;
}

}  // namespace

Machine machineOf(Request& request) {
    Machine machine;
    machine.noCuda = request.noCuda;
    if (request.state.settings.backend == Backend::cpu) {
        machine.cpu = std::move(request.renderer);
    } else {
        machine.cuda = std::move(request.renderer);
        machine.cpu = makeCpuRenderer();
        machine.cpu->setScene(request.state.scene);
    }
    return machine;
}

void studySize(const Options& options, const Request& request, int& width, int& height) {
    const int divisor =
        options.size.empty() && request.state.settings.backend == Backend::cpu ? 4 : 1;
    width = std::max(request.width / divisor, 1);
    height = std::max(request.height / divisor, 1);
}

int playStudy(const StudyOptions& options, Machine& machine, Study study, StudyWish wish,
              const State& state) {
    auto shared =
        shareWork(Purpose::measure, options.keep, options.json, study.kind,
                  aboutDevices({machine.of(state.settings.backend)}), whatOf(study, wish, state));
    if (const Refusal* refusal = std::get_if<Refusal>(&shared)) return refuse(*refusal);
    const Sharing& sharing = std::get<Sharing>(shared);
    if (sharing.role == Sharing::Role::nothing) return 0;
    if (sharing.role == Sharing::Role::help) return helpWithStudy(machine, study.scenes, wish);
    wish.helpers = sharing.helpers.get();

    StudyJob job(machine, std::move(study), wish);
    if (options.table()) {
        const Backend backend = state.settings.backend;
        const bool oneScene = job.study().scenes.size() == 1;
        const Renderer* const renderer = machine.of(backend);
        say("{}\n{} {}x{} on {}, from {}\n\n", job.study().title,
            oneScene ? job.study().scenes[0]->name : "scenes of", wish.width, wish.height,
            renderer != nullptr ? renderer->device().name : "no GPU", describe(state.settings));
    }
    const bool inRows = options.table() && !job.study().grid;
    size_t printed = 0;
    const auto rows = [&] {
        std::string text;
        while (inRows && printed < job.leading())
            text += rowOf(job.study(), job.study().items[printed++]);
        return text;
    };
    const bool ended = play(job, job.study().kind, rows);
    if (options.table() && job.study().grid) say("{}", gridOf(job.study()));
    const std::vector<StudyItem>& items = job.study().items;
    Outcome outcome;
    outcome.measured = std::any_of(items.begin(), items.end(),
                                   [](const StudyItem& item) { return item.result.has_value(); });
    outcome.problem = job.problem();
    for (const StudyItem& item : items) {
        if (outcome.why.empty()) outcome.why = item.problem;
    }
    if (!ended) outcome.interrupted = fmt::format("after {} of {}", job.done(), items.size());
    outcome.report = reportOf(job.study(), wish, state);
    outcome.csv = csvOf(job.study());
    return finishSharing(sharing, finish(options.json, options.csv, outcome));
}

int runSwitches(const StudyOptions& options) {
    auto made = makeRequest(options.common);
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    Request& request = std::get<Request>(made);
    StudyWish wish = wishOf(options, request);
    wish.view = request.state.camera;
    Machine machine = machineOf(request);
    return playStudy(options, machine, switchStudy(request.state.settings, request.state.scene),
                     wish, request.state);
}

/// The values of the axes, one at a time.
static std::vector<std::vector<std::string>> assignmentsOf(const std::vector<SweepAxis>& axes) {
    std::vector<std::vector<std::string>> result;
    for (const SweepAxis& axis : axes) {
        if (findAxis(axis.id) == nullptr) continue;
        for (const std::string& value : axis.values)
            result.push_back({fmt::format("{}={}", axis.id, value)});
    }
    return result;
}

int runSweep(const SweepOptions& options) {
    // their names are values of an axis
    const auto source = useKernels(options.study.common.kernels);
    if (const Refusal* refusal = std::get_if<Refusal>(&source)) return refuse(*refusal);
    std::vector<SweepAxis> directions;
    for (const std::string& text : {options.x, options.y}) {
        if (text.empty()) continue;
        auto axis = sweepAxisFrom(text);
        if (!axis) return refuse({2, axis.reason()});
        directions.push_back(*std::move(axis));
    }
    auto made = makeRequest(options.study.common, assignmentsOf(directions));
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    Request& request = std::get<Request>(made);
    std::optional<SweepAxis> y;
    if (directions.size() == 2) y = directions[1];
    auto study = sweepStudy(directions[0], y, request.state.settings, request.state.scene);
    if (!study) return refuse({2, study.reason()});
    StudyOptions play = options.study;
    play.onlySpeed = !options.work;
    StudyWish wish = wishOf(play, request);
    // if every cell has the same scene, the view is the one that was asked for
    if (study->scenes.size() == 1 && study->scenes[0] == request.state.scene)
        wish.view = request.state.camera;
    Machine machine = machineOf(request);
    return playStudy(play, machine, *std::move(study), wish, request.state);
}

}  // namespace rayscope
