#include "renderer/lab/selfcheck.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/lab/run_ladder.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

/// One with few spheres, one with few rays per path, and one with a hierarchy.
constexpr const char* kScenes[] = {"vt9", "card", "weekend"};

std::variant<SelfcheckWish, Refusal> wishOf(const SelfcheckOptions& options, Backend backend,
                                            const DeviceInfo& device) {
    SelfcheckWish wish;
    for (const char* name : kScenes) {
        auto found = findScene(name);
        if (!found) return Refusal{1, found.reason()};
        Scene& scene = *found;
        const Settings settings = defaultSettings(backend, scene);
        wish.cases.push_back({std::move(scene), settings});
    }
    // a round of a comparison then takes a quarter of a second, on two cores as on a GPU
    wish.width = backend == Backend::cpu ? 320 : wish.cases.front().scene->width;
    wish.height = backend == Backend::cpu ? 180 : wish.cases.front().scene->height;
    if (!options.size.empty() && !parseSize(options.size, wish.width, wish.height)) {
        return Refusal{2, wrongSize(options.size)};
    }
    wish.comparisons = options.comparisons;
    wish.seconds = options.seconds;
    wish.longSeconds = 10 * options.seconds;
    wish.sensors = sensorsOf(backend, device);
    return wish;
}

}  // namespace

int runSelfcheck(const SelfcheckOptions& options) {
    Machine machine = openMachine(devicesOf(options.device));
    const bool cpu = options.backend == "cpu" || (options.backend == "auto" && !machine.cuda);
    if (!cpu && !machine.cuda) return refuse({1, machine.noCuda});
    if (const auto refusal = checkDevice(options.device, options.backend, machine.noCuda))
        return refuse(*refusal);
    const Backend backend = cpu ? Backend::cpu : Backend::cuda;
    Renderer& renderer = cpu ? *machine.cpu : *machine.cuda;
    auto wished = wishOf(options, backend, renderer.device());
    if (const auto* refusal = std::get_if<Refusal>(&wished)) return refuse(*refusal);

    Selfcheck check(renderer, std::get<SelfcheckWish>(std::move(wished)));
    play(check, "selfcheck");
    if (!check.problem().empty()) return refuse({1, check.problem()});
    const SelfcheckResult result = check.result();
    Outcome outcome;
    outcome.measured = result.any();
    if (!result.complete) outcome.interrupted = "before everything was measured";
    outcome.report = reportOf(result);
    if (outcome.measured && options.json != "-") say("{}", textOf(result));
    const int code = finish(options.json, "", outcome);
    return code == 0 && failed(checksOf(result)) ? 1 : code;
}

}  // namespace rayscope
