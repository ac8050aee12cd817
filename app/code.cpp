#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "app/commands.h"
#include "app/interrupt.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/code/carried_kernels.h"
#include "renderer/code/code_report.h"
#include "renderer/code/patch.h"
#include "renderer/film/image_files.h"
#include "renderer/lab/report.h"

namespace rayscope {

namespace {

/// --arch, else that of the device.
std::variant<int, Refusal> architectureFor(const CodeOptions& options) {
    const DeviceList& device = options.common.device;
    if (!options.architecture.empty()) return std::atoi(options.architecture.c_str() + 3);
    const auto cuda = makeCudaRenderer(gpuOf(device));
    if (!cuda && device.wantsGpu()) return Refusal{1, cuda.reason()};
    const int own = cuda ? (*cuda)->device().architecture : 0;
    return own != 0 ? own : kUsualArchitecture;
}

CodeForm formOf(const CodeOptions& options) {
    return options.source ? CodeForm::source : options.ptx ? CodeForm::ptx : CodeForm::sass;
}

/// The form asked for, else SASS if both have it.
CodeForm diffForm(const CodeOptions& options, const ReadCode& a, const ReadCode& b) {
    if (options.ptx) return CodeForm::ptx;
    const bool both = b.host() || !(a.sass.empty() || b.sass.empty());
    return options.sass || both ? CodeForm::sass : CodeForm::ptx;
}

int printSources(const std::vector<KernelSource>& files) {
    for (const KernelSource& file : files) say("// {}\n{}\n", file.name, file.text);
    return 0;
}

/// A refusal if the code cannot be shown as asked.
std::optional<Refusal> problemOf(const CodeOptions& options, const ReadCode& read) {
    if (!read.problem.empty()) {
        std::string log = read.problem;
        while (log.ends_with('\n')) log.pop_back();
        return Refusal{1, log};
    }
    if (options.sass && read.sass.empty()) return Refusal{1, read.noSass};
    return {};
}

int refuseKernel(const CodeOptions& options, const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return refuse(
        {2, fmt::format("--kernel {}: the program consists of {}", options.kernel, list)});
}

bool asked(const CodeOptions& options, const std::vector<std::string>& names) {
    return options.kernel.empty() ||
           std::find(names.begin(), names.end(), options.kernel) != names.end();
}

nlohmann::json withHead(const nlohmann::json& facts) {
    nlohmann::json report = reportHead("code", {}, true);
    report.update(facts);
    return report;
}

int showOne(const CodeOptions& options, const CodeWish& wish) {
    if (options.source) {
        const std::vector<KernelSource> files = kernelFiles(wish);
        return files.empty() ? refuse({1, readCode(wish).problem}) : printSources(files);
    }
    const ReadCode read = readCode(wish, [] { return !interrupted(); });
    if (const auto refusal = problemOf(options, read)) return refuse(*refusal);
    const std::vector<std::string> names = kernelNames(nullptr, read);
    if (!asked(options, names)) return refuseKernel(options, names);
    if (options.json != "-") {
        say("{}", options.ptx || options.sass ? textOf(read, formOf(options), options.kernel)
                                              : tableOf(read));
    }
    return finishJson(options.json, withHead(toJson(read)));
}

/// Into a folder: the sources, with what a screenshot says of them.
int copySources(const CodeOptions& options) {
    const std::string& file = options.common.file;
    Result<void> copied;
    if (file.empty()) {
        copied = copyKernelSources(options.copyTo);
    } else {
        const auto read = readStateOrScene(file);
        if (!read) return refuse(notFound(file, read.reason()));
        const State* const state = std::get_if<State>(&*read);
        if (state == nullptr || state->patches.empty())
            return refuse({2, fmt::format("{} carries no edited kernel sources", file)});
        const auto own =
            state->patches.find(sourceValues()[static_cast<size_t>(state->settings.source)].id);
        copied = writePatched(options.copyTo, own == state->patches.end()
                                                  ? state->patches.begin()->second  // A's
                                                  : own->second);
    }
    if (!copied) return refuse({1, copied.reason()});
    say("edit the files in {0} and run with --kernels {0}\n", options.copyTo);
    return 0;
}

int showSourceDifference(const CodeWish& a, const CodeWish& b) {
    const std::string patch = patchOf(kernelFiles(a), kernelFiles(b));
    if (patch.empty()) {
        return refuse(
            {2,
             "both have the same sources: --ptx or --sass shows what differs in what they become"});
    }
    say("{}", patch);
    return 0;
}

int showDifference(const CodeOptions& options, const CodeWish& wishA) {
    CodeWish wishB = wishA;
    const Result<void> applied = applyAssignments(options.diff, wishB.settings);
    if (!applied) return refuse({2, fmt::format("--diff: {}", applied.reason())});
    const std::string impossible = unsupported(wishB.settings, wishB.scene);
    if (!impossible.empty()) return refuse({2, fmt::format("--diff: {}", impossible)});
    if (options.source) return showSourceDifference(wishA, wishB);
    const auto goOn = [] { return !interrupted(); };
    const ReadCode a = readCode(wishA, goOn), b = readCode(wishB, goOn);
    for (const ReadCode* read : {&a, &b}) {
        if (const auto refusal = problemOf(options, *read)) return refuse(*refusal);
    }
    const std::vector<std::string> names = kernelNames(&a, b);
    if (!asked(options, names)) return refuseKernel(options, names);
    const CodeVerdict verdict = compareCode(wishA.settings, a.code, wishB.settings, b.code);
    if (options.json != "-") {
        say("{}", tableOf(a, b, verdict));
        const CodeForm form = diffForm(options, a, b);
        const std::string diff = unifiedDiff(a, b, form, options.kernel);
        say("\n{}", diff);
        if (diff.empty()) {
            say("no line of {} differs but for numbers of registers and labels\n",
                nameOf(form, b.host()));
        }
    }
    return finishJson(options.json, withHead(toJson(a, b, verdict)));
}

}  // namespace

/// As elsewhere, but what only CUDA has is shown without a GPU, too.
static Backend backendOf(const CodeOptions& options) {
    if (options.common.backend != "auto")
        return options.common.backend == "cpu" ? Backend::cpu : Backend::cuda;
    const bool cuda = options.ptx || !options.architecture.empty() ||
                      options.common.device.wantsGpu() || !cudaDevices().empty();
    return cuda ? Backend::cuda : Backend::cpu;
}

int runCode(const CodeOptions& options) {
    if (!options.copyTo.empty()) return copySources(options);
    const Backend backend = backendOf(options);
    const bool cpu = backend == Backend::cpu;
    if (cpu && options.ptx) return refuse({2, "--ptx: a CPU's kernels have no PTX (--sass)"});
    const auto made = stateFor(options.common, backend);
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    watchForInterrupt();
    const State& state = std::get<State>(made);
    const auto architecture = cpu ? std::variant<int, Refusal>(0) : architectureFor(options);
    if (const Refusal* refusal = std::get_if<Refusal>(&architecture)) return refuse(*refusal);
    const CodeWish wish{state.settings, state.scene, std::get<int>(architecture)};
    return options.diff.empty() ? showOne(options, wish) : showDifference(options, wish);
}

}  // namespace rayscope
