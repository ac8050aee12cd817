#include <fmt/format.h>

#include <optional>

#include "app/options.h"
#include "renderer/backend/kernel_sources.h"
#include "renderer/choices/axes.h"
#include "renderer/devices/backends.h"
#include "renderer/film/image_files.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

Refusal badUsage(std::string sentence) {
    return {2, std::move(sentence)};
}
Refusal failure(std::string sentence) {
    return {1, std::move(sentence)};
}

/// What the files say: a whole state (a screenshot, or its text as .json), or a scene alone (false:
/// defaults of a backend are wanted).
std::variant<bool, Refusal> readFiles(const Options& options, State& state) {
    const auto take = [&state](Scene scene) {
        state.camera = scene.camera;
        state.scene = std::move(scene);
    };
    bool whole = false;
    if (!options.file.empty()) {
        StateOrScene read = readStateOrScene(options.file);
        if (auto* sentence = std::get_if<std::string>(&read)) return failure(*sentence);
        whole = std::holds_alternative<State>(read);
        if (whole)
            state = std::get<State>(std::move(read));
        else
            take(std::get<Scene>(std::move(read)));
        if (options.scene.empty()) return whole;
    }
    auto found = findScene(options.scene.empty() ? "vt9" : options.scene);
    if (auto* sentence = std::get_if<std::string>(&found)) return failure(*sentence);
    take(std::get<Scene>(std::move(found)));
    return whole;
}

/// The renderer that --backend asks for; auto takes CUDA where there is a device.
std::variant<std::unique_ptr<Renderer>, Refusal> chooseRenderer(const std::string& wanted,
                                                                int device, Backend& backend,
                                                                std::string& noCuda) {
    backend = Backend::cpu;
    if (wanted == "cpu") return makeCpuRenderer();
    Result<std::unique_ptr<Renderer>> cuda = makeCudaRenderer(device);
    if (cuda) {
        backend = Backend::cuda;
        return *std::move(cuda);
    }
    noCuda = cuda.reason();
    if (wanted == "auto") return makeCpuRenderer();
    return failure(noCuda);
}

/// --kernels
std::optional<Refusal> useKernels(const Options& options) {
    if (options.kernels.empty()) return {};
    const std::string problem = setKernelSourceDirectory(options.kernels);
    if (problem.empty()) return {};
    return failure(problem);
}

/// --set and the options that are short for one.
std::string applySettings(const Options& options, Settings& settings) {
    std::string problem = applyAssignments(options.set, settings);
    if (options.depth != 0 && problem.empty())
        problem = assign(settings, fmt::format("depth={}", options.depth));
    if (options.threads >= 0 && problem.empty()) {
        if (!findAxis("threads")->matters(settings))
            return "--threads means nothing where the CPU does not trace";
        problem = assign(settings, fmt::format("threads={}", options.threads));
    }
    if (options.seed != 0) settings.seed = options.seed;
    return problem;
}

}  // namespace

std::variant<State, Refusal> stateFor(const Options& options, Backend backend) {
    State state;
    const std::variant<bool, Refusal> files = readFiles(options, state);
    if (const Refusal* refusal = std::get_if<Refusal>(&files)) return *refusal;
    if (const auto refusal = useKernels(options)) return *refusal;
    state.settings = std::get<bool>(files) ? withBackend(state.settings, backend, state.scene)
                                           : defaultSettings(backend, state.scene);
    std::string problem = applySettings(options, state.settings);
    if (problem.empty()) problem = unsupported(state.settings, state.scene);
    if (!problem.empty()) return badUsage(problem);
    return state;
}

std::variant<Request, Refusal> makeRequest(const Options& options) {
    Request request;
    State& state = request.state;
    std::variant<bool, Refusal> files = readFiles(options, state);
    if (Refusal* refusal = std::get_if<Refusal>(&files)) return *refusal;
    const bool haveSettings = std::get<bool>(files);

    if (const auto refusal = useKernels(options)) return *refusal;
    std::string backend = options.backend;
    if (haveSettings && backend == "auto") {
        backend = state.settings.backend == Backend::cpu ? "cpu" : "auto";
    }
    Backend actual;
    request.opened = std::chrono::steady_clock::now();
    auto chosen = chooseRenderer(backend, options.device, actual, request.noCuda);
    if (Refusal* refusal = std::get_if<Refusal>(&chosen)) return *refusal;
    request.renderer = std::get<0>(std::move(chosen));

    state.settings = haveSettings ? withBackend(state.settings, actual, state.scene)
                                  : defaultSettings(actual, state.scene);
    if (!haveSettings && actual == Backend::cpu && options.cpuSamples > 0) {
        state.settings.samples = options.cpuSamples;
    }
    std::string problem = applySettings(options, state.settings);
    if (!problem.empty()) return badUsage(problem);
    request.width = state.scene->width;
    request.height = state.scene->height;
    if (!options.size.empty() && !parseSize(options.size, request.width, request.height)) {
        return badUsage(
            fmt::format("--size {} is not WIDTHxHEIGHT with sides from 1 to 16384", options.size));
    }
    request.spp = options.spp > 0 ? options.spp : state.scene->spp;
    if (options.exposure != 0) state.view.exposure = options.exposure;
    if (options.toneMapper == "none") state.view.toneMapper = ToneMapper::none;
    if (options.toneMapper == "reinhard") state.view.toneMapper = ToneMapper::reinhard;
    if (options.toneMapper == "filmic") state.view.toneMapper = ToneMapper::filmic;

    request.renderer->setScene(state.scene);
    problem = request.renderer->unsupported(state.settings);
    if (!problem.empty()) return badUsage(problem);
    return request;
}

}  // namespace rayscope
