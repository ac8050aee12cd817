#include "renderer/cuda/isolation.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "renderer/base/elapsed.h"
#include "renderer/base/files.h"
#include "renderer/base/run_program.h"
#include "renderer/base/say.h"
#include "renderer/base/text.h"
#include "renderer/choices/sources.h"
#include "renderer/choices/state.h"
#include "renderer/cuda/cache_entry.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The slowest kernel of ours compiles in some 5 s on one slow core.
constexpr double kCompileSeconds = 60;
/// A context takes up to some 5 s where there are eight GPUs, a sample a pixel well below 1 s.
constexpr double kTrialSeconds = 20;
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

/// A folder for what two processes tell each other.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::error_code error;
        std::string pattern = (fs::temp_directory_path(error) / "rayscope-XXXXXX").string();
        if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code error;
        if (!path_.empty()) fs::remove_all(path_, error);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

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
    while (text.ends_with('\n')) text.pop_back();
    if (const size_t line = text.rfind('\n'); line != text.npos) text.erase(0, line + 1);
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

int buildKernel(const std::string& requestFile, const std::string& resultFile) {
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
    const std::string request = folder.file("request"), result = folder.file("result");
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

Result<void> tryKernel(const KernelTrial& trial, const std::vector<KernelSource>& sources,
                       const GoOn& goOn) {
    const TemporaryFolder folder;
    const std::string state = folder.file("state.json"), edited = folder.file("kernels");
    Result<void> written = writeKernelSources(edited, editedOf(sources));
    Settings settings = trial.settings;
    settings.launches = 1;  // kAsManyAsFit is for sessions alone
    const std::string text = toJson(State{trial.scene, trial.camera, settings, {}})
                                 .dump(-1, ' ', false, json::error_handler_t::replace);
    if (written) written = writeTextFile(state, text);
    if (!written) return written;
    const std::string name = sourceValues()[static_cast<size_t>(trial.settings.source)].id;
    const auto ran = runFor(
        kTrialSeconds,
        {isolatingProgram(), "render", state, "--backend", "cuda", "--device",
         std::to_string(trial.device), "--kernels", fmt::format("{}={}", name, edited), "--size",
         fmt::format("{}x{}", trial.width, trial.height), "--spp", "1", "--json", "-"},
        goOn);
    if (!ran) return ran.failure();
    std::string end = endOf(*ran, "its kernel", kTrialSeconds);
    if (end.empty() && WEXITSTATUS(ran->status) != 0)
        end = "its kernel fails: " + lastWords(ran->text);
    if (end.empty()) return {};
    return Failure{fmt::format("source={}: {}", name, end)};
}

}  // namespace rayscope
