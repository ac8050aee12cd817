#include "renderer/lab/instructions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "renderer/backend/host_object.h"
#include "renderer/code/modelled_counts.h"
#include "renderer/lab/trial.h"
#include "renderer/profile/hot_lines.h"

namespace rayscope {

namespace {

constexpr double kForever = 1e9;

/// How long threads are sampled: at 250 samples a second a share of 10 % is good to 0.7 % on two
/// threads, and to 0.2 % on 16.
constexpr double kHostMs = 4000;

/// The machine code, and what it says of itself.
Result<CountedInstructions> notCounted(const CodeWish& wish) {
    CountedInstructions counted;
    Result<KernelCode> code = kernelCode(wish);
    if (!code) return code.failure();
    counted.code = *std::move(code);
    Result<LineTable> lines = readLineTable(counted.code.cubin);
    if (!lines) return lines.failure();
    counted.lines = *std::move(lines);
    counted.files = kernelFiles(wish);
    return counted;
}

}  // namespace

std::vector<std::string> CountedInstructions::sources() const {
    std::vector<std::string> names;
    for (const KernelSource& file : files) names.push_back(file.name);
    return names;
}

std::string unknownLines(const Settings& settings) {
    if (settings.backend == Backend::cpu)
        return "instructions are counted one by one on a GPU only: use backend=cuda; of a CPU, "
               "lines "
               "are sampled";
    if (settings.variant.code == Code::ptx)
        return "code=ptx: the driver makes the machine code, and does not say from which lines: "
               "use code=machine";
    return {};
}

void playWhole(Trial& trial, int samples) {
    trial.setPassSamples(samples);
    trial.begin();
    trial.play(kForever);
}

Result<CountedInstructions> countInstructions(Renderer& renderer, Trial& trial, int samples,
                                              const CodeWish& wish, const std::string& kernel) {
    if (const std::string reason = unknownLines(wish.settings); !reason.empty())
        return Failure{reason};
    Result<CountedInstructions> begun = notCounted(wish);
    if (!begun) return begun;
    CountedInstructions& counted = *begun;
    const std::vector<KernelFacts>& all = counted.code.kernels;
    const auto facts =
        kernel.empty() ? all.begin() : std::ranges::find(all, kernel, &KernelFacts::name);
    if (facts == all.end()) return Failure{"there is no kernel \"" + kernel + '"'};
    auto counts = renderer.countInstructions(facts->symbol, [&] { playWhole(trial, samples); });
    if (!counts) return counts.failure();
    counted.counts = *std::move(counts);
    counted.rays = trial.passes().back().rays;
    return begun;
}

Result<CountedInstructions> modelInstructions(Renderer& renderer, Trial& trial, int samples,
                                              const CodeWish& wish) {
    if (const std::string reason = unknownLines(wish.settings); !reason.empty())
        return Failure{reason};
    Result<CountedInstructions> begun = notCounted(wish);
    if (!begun) return begun;
    CountedInstructions& counted = *begun;
    const Result<KernelPtx> ptx = kernelPtx(wish);
    if (!ptx) return ptx.failure();
    const Result<CountingTwin> twin = countingTwin(ptx->text, counted.sources());
    if (!twin) return twin.failure();
    KernelTwins twins{twin->ptx, {}, kBlockCounters, wish.settings.variant.maxRegisters};
    for (std::size_t i = 0; i < ptx->symbols.size(); ++i)
        twins.symbols.push_back({counted.code.kernels.at(i).symbol, ptx->symbols[i]});
    const auto blocks = renderer.countByTwins(twins, [&] { playWhole(trial, samples); });
    if (!blocks) return blocks.failure();
    counted.rays = trial.passes().back().rays;
    auto counts = modelledCounts(*twin, *blocks, twins.symbols, counted.code.cubin, counted.lines,
                                 counted.sources());
    if (!counts) return counts.failure();
    counted.counts = *std::move(counts);
    return begun;
}

Result<CountedInstructions> sampleInstructions(Renderer& renderer, Trial& trial, int samples,
                                               const CodeWish& wish, HostSamples& seen) {
    Result<CountedInstructions> begun = notCounted(wish);
    if (!begun) return begun;
    CountedInstructions& counted = *begun;
    const Result<HostObject> object = readHostObject(counted.code.cubin);
    if (!object) return object.failure();
    const double passMs = std::max(trial.measurement().kernelPassMs.median, .1);
    const int passes = static_cast<int>(std::ceil(kHostMs / passMs));
    auto sampled = renderer.sampleHost([&] {
        for (int i = 0; i < passes; ++i) playWhole(trial, samples);
    });
    if (!sampled) return sampled.failure();
    if (sampled->inside() == 0) return Failure{"no thread was ever seen in the kernel"};
    counted.rays = trial.passes().back().rays;
    counted.counts = countsOf(*sampled, *object);
    seen = *std::move(sampled);
    return begun;
}

}  // namespace rayscope
