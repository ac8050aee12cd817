#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/options.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/code/carried_kernels.h"
#include "renderer/compile/kernel_sources.h"
#include "renderer/devices/backends.h"
#include "renderer/devices/starting.h"
#include "renderer/film/image_files.h"
#include "renderer/scene/json.h"
#include "renderer/scene/model.h"
#include "renderer/team/team.h"

namespace rayscope {

namespace {

using Words = std::vector<std::string>;  ///< axis=value

Refusal badUsage(std::string sentence) {
    return {2, std::move(sentence)};
}
Refusal failure(std::string sentence) {
    return {1, std::move(sentence)};
}

/// Says what of the scene's files is not shown, once for all ranks.
void remarkOn(const Scene& scene) {
    if (!team().leads()) return;
    for (const FileRemark& remark : remarksOn(scene)) complain(remarkSentence(remark));
}

/// Reads the file and the scene. Returns whether there was a whole state (a screenshot, or a state
/// as .json); with a scene alone, the settings are still to be set to a backend's defaults.
std::variant<bool, Refusal> readFiles(const Options& options, State& state) {
    const auto take = [&state](Scene scene) {
        state.camera = scene.camera;
        state.scene = std::move(scene);
    };
    bool whole = false;
    if (!options.file.empty()) {
        Result<StateOrScene> read = readStateOrScene(options.file);
        if (!read) return notFound(options.file, read.reason());
        whole = std::holds_alternative<State>(*read);
        if (whole)
            state = std::get<State>(*std::move(read));
        else
            take(std::get<Scene>(*std::move(read)));
        if (options.scene.empty()) {
            remarkOn(state.scene);
            return whole;
        }
    }
    auto found = findScene(options.scene.empty() ? "vt9" : options.scene);
    if (!found) return notFound(options.scene, found.reason());
    take(*std::move(found));
    remarkOn(state.scene);
    return whole;
}

/// The renderer that --backend asks for; auto: CUDA if there is a device.
std::variant<std::unique_ptr<Renderer>, Refusal> chooseRenderer(const std::string& wanted,
                                                                const DeviceList& device,
                                                                Backend& backend,
                                                                std::string& noCuda) {
    backend = Backend::cpu;
    const bool cpus = !device.any() && !device.wantsGpu();
    if (wanted == "cpu" && !cpus) return makeCpuRenderer();
    Result<std::unique_ptr<Renderer>> cuda = openDevices(devicesOf(device));
    if (cpus) return *std::move(cuda);
    if (cuda) {
        backend = Backend::cuda;
        return *std::move(cuda);
    }
    noCuda = cuda.reason();
    if (wanted == "auto") return makeCpuRenderer();
    return failure(noCuda);
}

/// Applies --set and the options that are short for it.
Result<void> applySettings(const Options& options, Settings& settings) {
    std::vector<std::string> all = options.set;
    const std::string depth = fmt::format("depth={}", options.depth),
                      threads = fmt::format("threads={}", options.threads);
    if (options.depth != 0) all.push_back(depth);
    if (options.threads >= 0) all.push_back(threads);
    if (const auto once = checkSetOnce(all); !once) return once;
    Result<void> applied = applyAssignments(options.set, settings);
    if (options.depth != 0 && applied) applied = assign(settings, depth);
    if (options.threads >= 0 && applied) {
        if (!findAxis("threads")->matters(settings))
            return Failure{"--threads means nothing where the CPU does not trace"};
        applied = assign(settings, threads);
    }
    if (options.seed != 0) settings.seed = options.seed;
    return applied;
}

/// Whether all words mean something to the settings' engine, which stays unless they name another,
/// and can be had with the settings.
bool fit(const Words& set, Words more, Settings settings, const Scene& scene) {
    const Engine engine = settings.variant.engine;
    const std::string own =
        fmt::format("backend={}", settings.backend == Backend::cpu ? "cpu" : "cuda");
    std::erase(more, own);
    if (names(more, "backend")) return true;  // not for these settings
    if (!applyAssignments(set, settings) || !applyAssignments(more, settings)) return false;
    if (!unsupported(settings, scene).empty()) return false;
    return settings.variant.engine == engine || names(set, "engine") || names(more, "engine");
}

/// What this machine begins with, or the defaults where it does not go with what is set.
Settings beginning(Backend backend, const Scene& scene, const Words& set,
                   const std::vector<Words>& later) {
    const Settings start = startingSettings(backend, scene);
    const auto fits = [&](const Words& more) { return fit(set, more, start, scene); };
    const bool all = fits({}) && std::all_of(later.begin(), later.end(), fits);
    return all ? start : defaultSettings(backend, scene);
}

/// With --kernels DIR, kernels come from there.
void begin(int source, Settings& settings) {
    if (source != kBuiltIn) settings.source = source;
}

}  // namespace

std::variant<int, Refusal> useKernels(const std::vector<std::string>& words) {
    int usual = kBuiltIn;
    for (const std::string& word : words) {
        const size_t equals = word.find('=');
        const bool named = equals != word.npos && word.find('/') > equals;
        const std::string name = named ? word.substr(0, equals) : "mine";
        const std::string folder = named ? word.substr(equals + 1) : word;
        if (!named) usual = kMine;
        const Result<int> source = sourceNamed(name);
        if (!source) return badUsage("--kernels: " + source.reason());
        if (*source == kBuiltIn)
            return badUsage("--kernels: built_in is what the program was built with");
        if (const auto set = setKernelSourceDirectory(*source, folder); !set)
            return failure(set.reason());
    }
    return usual;
}

bool names(const std::vector<std::string>& assignments, std::string_view axis) {
    return std::any_of(assignments.begin(), assignments.end(), [&](const std::string& word) {
        return word.starts_with(axis) && word.substr(axis.size()).starts_with('=');
    });
}

DeviceList devicesOf(const DeviceList& device) {
    if (!device.any() || team().place() == 0) return device;
    const auto gpus = static_cast<int>(cudaDevices().size());
    return gpus > 0 ? oneGpu(team().place() % gpus) : device;
}

int gpuOf(const DeviceList& device) {
    const DeviceList list = resolved(devicesOf(device));
    return list.numbers.empty() ? 0 : std::max(list.numbers.front(), 0);
}

std::optional<Refusal> checkDevice(const DeviceList& device, const std::string& backend,
                                   const std::string& noCuda) {
    if (device.any()) return {};
    if (!device.wantsGpu()) {
        if (backend != "cuda") return {};
        return badUsage(
            fmt::format("--device {} names no GPU, but the backend is CUDA", textOf(device)));
    }
    if (backend == "cpu") return badUsage("--device chooses a GPU, but the backend is the CPU");
    if (!noCuda.empty()) return failure(noCuda);
    return {};
}

std::variant<State, Refusal> stateFor(const Options& options, Backend backend) {
    State state;
    const std::variant<bool, Refusal> files = readFiles(options, state);
    if (const Refusal* refusal = std::get_if<Refusal>(&files)) return *refusal;
    const auto source = useKernels(options.kernels);
    if (const Refusal* refusal = std::get_if<Refusal>(&source)) return *refusal;
    state.settings = std::get<bool>(files) ? withBackend(state.settings, backend, state.scene)
                                           : beginning(backend, state.scene, options.set, {});
    begin(std::get<int>(source), state.settings);
    std::string problem = applySettings(options, state.settings).reason();
    if (problem.empty()) problem = unsupported(state.settings, state.scene);
    if (!problem.empty()) return badUsage(problem);
    return state;
}

std::variant<Request, Refusal> makeRequest(const Options& options,
                                           const std::vector<Words>& later) {
    Request request;
    State& state = request.state;
    std::variant<bool, Refusal> files = readFiles(options, state);
    if (Refusal* refusal = std::get_if<Refusal>(&files)) return *refusal;
    const bool haveSettings = std::get<bool>(files);

    const auto source = useKernels(options.kernels);
    if (const Refusal* refusal = std::get_if<Refusal>(&source)) return *refusal;
    std::string backend = options.backend;
    if (haveSettings && backend == "auto") {
        backend = state.settings.backend == Backend::cpu ? "cpu" : "auto";
    }
    Backend actual;
    request.opened = std::chrono::steady_clock::now();
    auto chosen = chooseRenderer(backend, options.device, actual, request.noCuda);
    if (Refusal* refusal = std::get_if<Refusal>(&chosen)) return *refusal;
    request.renderer = std::get<0>(std::move(chosen));
    if (const auto refusal = checkDevice(options.device, backend, request.noCuda)) return *refusal;

    state.settings = haveSettings ? withBackend(state.settings, actual, state.scene)
                                  : beginning(actual, state.scene, options.set, later);
    begin(std::get<int>(source), state.settings);
    if (!haveSettings && actual == Backend::cpu && options.cpuSamples > 0) {
        state.settings.samples = options.cpuSamples;
    }
    if (const auto applied = applySettings(options, state.settings); !applied)
        return badUsage(applied.reason());
    request.width = state.scene->width;
    request.height = state.scene->height;
    if (!options.size.empty() && !parseSize(options.size, request.width, request.height)) {
        return badUsage(wrongSize(options.size));
    }
    request.spp = options.spp > 0 ? options.spp : state.scene->spp;
    if (options.exposure != 0) state.view.exposure = options.exposure;
    if (options.toneMapper == "none") state.view.toneMapper = ToneMapper::none;
    if (options.toneMapper == "reinhard") state.view.toneMapper = ToneMapper::reinhard;
    if (options.toneMapper == "filmic") state.view.toneMapper = ToneMapper::filmic;

    request.renderer->setScene(state.scene);
    State checked = state;
    if (options.offersKernels) setAside(checked);
    const std::string problem = request.renderer->unsupported(checked.settings);
    if (!problem.empty()) return badUsage(problem);
    return request;
}

}  // namespace rayscope
