#include "renderer/cuda/isolation.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "renderer/base/elapsed.h"
#include "renderer/base/files.h"
#include "renderer/base/run_program.h"
#include "renderer/base/say.h"
#include "renderer/base/temporary_folder.h"
#include "renderer/base/text.h"
#include "renderer/choices/sources.h"
#include "renderer/choices/state.h"
#include "renderer/compile/cache_entry.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The slowest kernel of ours compiles in some 5 s on one slow core.
constexpr double kCompileSeconds = 60;
/// A context takes up to some 5 s where there are eight GPUs, a sample a pixel well below 1 s.
constexpr double kTrialSeconds = 20;
/// Whoever waits for such a process ends it sooner.
constexpr unsigned kMostSeconds = 120;
/// NVRTC needs less than 1 GiB for a kernel of ours.
constexpr rlim_t kCompilerBytes = rlim_t{8} << 30;
constexpr std::size_t kMaxOutput = std::size_t{1} << 20, kMaxRequest = std::size_t{64} << 20;

struct Isolation {
    std::mutex mutex;
    std::string program;
};

Isolation& isolation() {
    static Isolation only;
    return only;
}

std::string isolatingProgram() {
    const std::lock_guard lock(isolation().mutex);
    return isolation().program;
}

/// For what two processes tell each other.
std::string fileIn(const TemporaryFolder& folder, const char* name) {
    return (fs::path(folder.path()) / name).string();
}

/// Why there is no such folder; nothing where there is.
Result<void> check(const TemporaryFolder& folder) {
    if (folder.problem().empty()) return {};
    return Failure{"there is no folder for temporary files: " + folder.problem()};
}

json toJson(const KernelProgram& program, const std::vector<KernelSource>& sources) {
    json object{{"source", program.source},
                {"code", static_cast<int>(program.code)},
                {"flags", program.flags},
                {"kernels", json::array()},
                {"files", json::array()}};
    for (const KernelProgram::Kernel& kernel : program.kernels)
        object["kernels"].push_back({static_cast<int>(kernel.stage), kernel.name});
    for (const KernelSource& source : sources)
        object["files"].push_back({source.name, source.text});
    return object;
}

/// Throws nlohmann::json::exception.
KernelProgram programFrom(const json& object) {
    KernelProgram program;
    program.compiler = &nvrtcCompiler();
    program.source = object.at("source");
    program.code = static_cast<Code>(object.at("code").get<int>());
    program.flags = object.at("flags").get<std::vector<std::string>>();
    for (const json& kernel : object.at("kernels"))
        program.kernels.push_back({static_cast<Stage>(kernel.at(0).get<int>()), kernel.at(1)});
    return program;
}

std::vector<KernelSource> filesFrom(const json& object) {
    std::vector<KernelSource> files;
    for (const json& file : object.at("files")) files.push_back({file.at(0), file.at(1)});
    return files;
}

/// How a process ended that was to do `what` within so many seconds; empty if well.
std::string endOf(const ProgramOutput& ran, const char* what, double seconds) {
    if (ran.stopped) return fmt::format("{} was ended: it took more than {} s", what, seconds);
    if (ran.text.size() >= kMaxOutput)
        return fmt::format("{} was ended: it wrote more than a mebibyte", what);
    if (WIFSIGNALED(ran.status))
        return fmt::format("{} has crashed: {}", what, strsignal(WTERMSIG(ran.status)));
    return {};
}

Result<ProgramOutput> runFor(double seconds, const std::vector<std::string>& words,
                             const GoOn& goOn) {
    const Clock::time_point begun = Clock::now();
    return runProgram(words, kMaxOutput, [&] {
        return millisecondsSince(begun) < 1e3 * seconds && (!goOn || goOn());
    });
}

/// The last line that a program wrote, without its name.
std::string lastWords(std::string text) {
    text = lastLine(text);
    constexpr std::string_view name = "rayscope: ";
    return text.starts_with(name) ? text.substr(name.size()) : text;
}

/// Those of the sources that are not built in.
std::vector<KernelSource> editedOf(const std::vector<KernelSource>& sources) {
    std::vector<KernelSource> edited;
    const std::vector<KernelSource>& embedded = embeddedKernelSources();
    std::ranges::copy_if(sources, std::back_inserter(edited), [&](const KernelSource& source) {
        return source.name != kBakedSource && std::ranges::find(embedded, source) == embedded.end();
    });
    return edited;
}

}  // namespace

void isolateEditedKernels(const std::string& program) {
    const std::lock_guard lock(isolation().mutex);
    isolation().program = program;
}

bool needsIsolation(const std::vector<KernelSource>& sources) {
    return !isolatingProgram().empty() && !editedOf(sources).empty();
}

void endWithParent() {
    alarm(kMostSeconds);  // the parent's thread may have ended before
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1) _exit(1);
}

int buildKernel(const std::string& requestFile, const std::string& resultFile) {
    endWithParent();
    const rlimit memory{kCompilerBytes, kCompilerBytes};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit noCore{0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    const auto request = readJson(requestFile, kMaxRequest);
    if (!request) {
        say("{}\n", request.reason());
        return 2;
    }
    try {
        const auto compiled = compileProgram(programFrom(*request), filesFrom(*request));
        const Result<void> done =
            compiled ? writeTextFile(resultFile, encodeEntry("", *compiled)) : compiled.failure();
        if (!done) say("{}", done.reason());
        return done ? 0 : 1;
    } catch (const std::exception& error) {
        say("{}\n", error.what());
        return 2;
    }
}

Result<CompiledKernel> compileApart(const KernelProgram& program,
                                    const std::vector<KernelSource>& sources, const GoOn& goOn) {
    const TemporaryFolder folder;
    if (const auto made = check(folder); !made) return made.failure();
    const std::string request = fileIn(folder, "request"), result = fileIn(folder, "result");
    const std::string text =
        toJson(program, sources).dump(-1, ' ', false, json::error_handler_t::replace);
    if (const auto written = writeTextFile(request, text); !written) return written.failure();
    const Clock::time_point begun = Clock::now();
    const auto ran =
        runFor(kCompileSeconds, {isolatingProgram(), kBuildKernelCommand, request, result}, goOn);
    if (!ran) return ran.failure();
    if (const std::string end = endOf(*ran, "the compiler", kCompileSeconds); !end.empty())
        return Failure{end};
    if (!WIFEXITED(ran->status) || WEXITSTATUS(ran->status) != 0)
        return Failure{ran->text.empty() ? "the compiler ended without a word" : ran->text};
    const auto entry = readFile(result, kMaxEntryBytes);
    if (!entry) return entry.failure();
    std::optional<CompiledKernel> kernel = decodeEntry(*entry, "");
    if (!kernel) return Failure{"the compiler's process has written no kernel"};
    kernel->compileMs = millisecondsSince(begun);
    return *std::move(kernel);
}

namespace {

/// Runs a command with those of the sources that are edited, as kernels of `source`.
Result<void> tryWith(std::vector<std::string> command, const TemporaryFolder& folder, int source,
                     const std::vector<KernelSource>& sources, int device, const GoOn& goOn) {
    const std::string edited = fileIn(folder, "kernels");
    const std::string& name = sourceValues()[static_cast<size_t>(source)].id;
    if (const auto written = writeKernelSources(edited, editedOf(sources)); !written)
        return written;
    command.insert(command.begin(), {isolatingProgram(), kTryKernelsCommand});
    command.insert(command.end(), {"--backend", "cuda", "--device", std::to_string(device),
                                   "--kernels", fmt::format("{}={}", name, edited)});
    const auto ran = runFor(kTrialSeconds, command, goOn);
    if (!ran) return ran.failure();
    std::string end = endOf(*ran, "its kernel", kTrialSeconds);
    if (end.empty() && WEXITSTATUS(ran->status) != 0)
        end = "its kernel fails: " + lastWords(ran->text);
    if (end.empty()) return {};
    return Failure{fmt::format("source={}: {}", name, end)};
}

/// A small command that launches them all.
std::vector<std::string> commandOf(OtherKernels kernels, const TemporaryFolder& folder) {
    switch (kernels) {
        case OtherKernels::recording:
            return {"divergence", "--scene", "vt9",
                    "--size",     "64x36",   "--map",
                    "time",       "--out",   fileIn(folder, "time.png")};
        case OtherKernels::forces:
            return {"simulate", "--scene", "nbody-256", "--steps", "2"};
        default:
            return {"render",
                    "--scene",
                    "nbody-256",
                    "--size",
                    "16x9",
                    "--spp",
                    "1",
                    "--set",
                    "hierarchy=lbvh",
                    "--out",
                    fileIn(folder, "picture.png")};
    }
}

}  // namespace

Result<void> tryKernel(const KernelTrial& trial, const std::vector<KernelSource>& sources,
                       const GoOn& goOn) {
    const TemporaryFolder folder;
    if (const auto made = check(folder); !made) return made.failure();
    const std::string state = fileIn(folder, "state.json");
    Settings settings = trial.settings;
    settings.launches = 1;  // kAsManyAsFit is for sessions alone
    const std::string text = toJson(State{trial.scene, trial.camera, settings, {}})
                                 .dump(-1, ' ', false, json::error_handler_t::replace);
    if (const auto written = writeTextFile(state, text); !written) return written;
    return tryWith({"render", state, "--size", fmt::format("{}x{}", trial.width, trial.height),
                    "--spp", "1", "--json", "-"},
                   folder, trial.settings.source, sources, trial.device, goOn);
}

Result<void> tryOtherKernels(OtherKernels kernels, int source, int device) {
    static std::mutex mutex;
    static std::map<std::pair<OtherKernels, unsigned>, Result<void>> tried;
    const std::pair key{kernels, kernelSourcesVersion(source)};
    const std::vector<KernelSource> sources = kernelSources(source);
    if (!needsIsolation(sources)) return {};
    {
        const std::lock_guard lock(mutex);
        if (const auto known = tried.find(key); known != tried.end()) return known->second;
    }
    const TemporaryFolder folder;
    if (const auto made = check(folder); !made) return made.failure();
    std::vector<std::string> command = commandOf(kernels, folder);
    command.insert(command.end(),
                   {"--set", "source=" + sourceValues()[static_cast<size_t>(source)].id});
    Result<void> result = tryWith(std::move(command), folder, source, sources, device, {});
    const std::lock_guard lock(mutex);
    return tried.insert_or_assign(key, std::move(result)).first->second;
}

}  // namespace rayscope
