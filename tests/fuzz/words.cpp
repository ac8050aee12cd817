// The command line, a word a line. The commands stand still: what they get is looked at.

#include <cmath>
#include <iostream>
#include <vector>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/tracing.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/lesson_check.h"
#include "renderer/lab/studies.h"
#include "tests/fuzz/promise.h"

namespace rayscope {

namespace {

int look(const Options& options) {
    int width = 1, height = 1;
    parseSize(options.size, width, height);
    promise(options.spp >= 0 && options.threads >= -1, "counts are none or more");
    promise(options.depth >= 0 && options.depth <= kMaxDepth, "a depth that kernels have");
    promise(std::isfinite(options.exposure), "an exposure is a number");
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        Settings settings;
        settings.backend = backend;
        if (!applyAssignments(options.set, settings)) continue;
        promise(settings.backend == backend, "--set leaves the backend");
    }
    return 0;
}

int look(double seconds) {
    promise(seconds > 0 && seconds <= 3600, "a time ends");
    return 0;
}

/// Scenes are files, which this does not open.
void lookAtSweep(const std::string& text) {
    if (text.starts_with("scene=")) return;
    if (const auto axis = sweepAxisFrom(text))
        promise(!axis->values.empty() && axis->values.size() <= kMostSweepValues, "a sweep ends");
}

}  // namespace

int refuse(const Refusal& refusal) {
    return refusal.exitCode;
}
std::optional<Refusal> checkFiles(const std::vector<NamedFile>&, const std::vector<NamedFile>&) {
    return {};
}
int traced(const TracingOptions&, const std::function<int()>& command) {
    return command();
}
int runRender(const RenderOptions& options) {
    return look(options.common);
}
int runLadderCommand(const LadderOptions& options) {
    return look(options.climb.seconds);
}
int runCompare(const CompareOptions& options) {
    return look(options.common) + look(options.seconds);
}
int runSwitches(const StudyOptions& options) {
    return look(options.common) + look(options.seconds);
}
int runSweep(const SweepOptions& options) {
    lookAtSweep(options.x);
    lookAtSweep(options.y);
    return look(options.study.common) + look(options.study.seconds);
}
int runAutotune(const AutotuneOptions& options) {
    return look(options.common) + look(options.seconds);
}
int runBench(const ClimbOptions& options) {
    return look(options.seconds);
}
int runSelfcheck(const SelfcheckOptions& options) {
    return look(options.seconds);
}
int runDivergence(const DivergenceOptions& options) {
    return look(options.common);
}
int runCounters(const CountersOptions& options) {
    return look(options.common);
}
int runHot(const HotOptions& options) {
    return look(options.common);
}
int runSequence(const SequenceOptions& options) {
    return look(options.common);
}
int runSimulate(const SimulateOptions& options) {
    return look(options.common);
}
int runCode(const CodeOptions& options) {
    return look(options.common);
}
int runLesson(const LessonOptions& options) {
    return look(options.seconds);
}
int runView(LessonWish, const Options& window) {
    return look(window);
}
int runReport(const ReportOptions&) {
    return 0;
}
int runInfo(const InfoOptions&) {
    return 0;
}
int runView(const Options& options, bool) {
    return look(options);
}

}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::cout.setstate(std::ios::failbit);  // --help
    std::vector<std::string> words{"rayscope"};
    for (std::string_view text = rayscope::textOf(data, size); !text.empty();) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        words.emplace_back(text.substr(0, std::min(end, text.find('\0'))));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    rayscope::runCommandLine(static_cast<int>(words.size()), arguments.data());
    return 0;
}
