#include "renderer/lab/hot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/lab/counting.h"
#include "renderer/lab/instructions.h"
#include "renderer/lab/trial.h"

namespace rayscope {

namespace {

constexpr int kTimed = 3;
/// The share of the progress until the pass is timed.
constexpr double kTimedShare = .3;
constexpr const char* kAskedFor = "as it was asked for";

/// Adds the counts of another kernel.
void join(Result<CountedInstructions>& counted, const Result<HotWork>& other) {
    if (!other)
        counted = other.failure();
    else if (other->rays.total() != counted->rays.total())
        counted = Failure{"two passes over the same samples traced different numbers of rays"};
    else
        counted->counts.insert(counted->counts.end(), other->counts.begin(), other->counts.end());
}

}  // namespace

std::unique_ptr<Trial> passTrial(Renderer& renderer, const HotWish& hot) {
    const Settings& settings = hot.state.settings;
    TrialWish wish = sameSamplesWish(settings, hot.state.camera, hot.width, hot.height);
    wish.passMs = 0;  // one launch
    wish.mostSamples = settings.samples;
    return std::make_unique<Trial>(renderer, std::move(wish),
                                   std::make_unique<FixedPasses>(kTimed));
}

void HotWork::take(CountedInstructions counted) {
    rays = counted.rays;
    const std::vector<std::string> sources = counted.sources();
    hot = hotLines(counted.counts, counted.lines, sources, stalls);
    if (!counted.code.host()) idle = idleLanes(counted.counts, counted.lines, sources, rays);
    lines = std::move(counted.lines);
    code = std::move(counted.code);
    files = std::move(counted.files);
    counts = std::move(counted.counts);
}

HotJob::HotJob(Renderer& renderer, HotWish wish)
    : renderer_(renderer), wish_(std::move(wish)), trial_(passTrial(renderer, wish_)) {
    work_.settings = wish_.state.settings;
    work_.device = renderer.device();
    work_.width = wish_.width;
    work_.height = wish_.height;
    work_.samples = work_.settings.samples;
}

HotJob::~HotJob() = default;

/// Of all kernels, or the one that is wished for.
Result<CountedInstructions> HotJob::model(const CodeWish& wish, const std::string& reason) {
    auto modelled = modelInstructions(renderer_, *trial_, work_.samples, wish);
    if (!modelled && reason == kAskedFor) return modelled;
    if (!modelled) return Failure{fmt::format("{}; no model: {}", reason, modelled.reason())};
    work_.model = reason;
    if (!wish_.kernel.empty()) {
        const auto& all = modelled->code.kernels;
        const auto one = std::ranges::find(all, wish_.kernel, &KernelFacts::name);
        std::erase_if(modelled->counts, [&](const KernelCounts& counts) {
            return one == all.end() || counts.symbol != one->symbol;
        });
    }
    return modelled;
}

/// Of a CPU, after the passes that are timed.
void HotJob::sample() {
    const Clock::time_point start = Clock::now();
    const CodeWish wish{work_.settings, wish_.state.scene, work_.device.architecture};
    auto sampled = sampleInstructions(renderer_, *trial_, work_.samples, wish, work_.seen);
    work_.collectMs = millisecondsSince(start);
    work_.linesChange = false;  // -g changes no code
    if (sampled)
        work_.take(*std::move(sampled));
    else
        work_.noCounts = sampled.reason();
}

Steps HotJob::run() {
    if (work_.settings.backend == Backend::cpu) {
        co_await play(*trial_);
        work_.kernelMs = trial_->measurement().kernelPassMs.median;
        sample();
        co_return;
    }
    work_.noCounts = unknownLines(work_.settings);
    if (work_.noCounts.empty()) {
        co_await play(*trial_);
        work_.kernelMs = trial_->measurement().kernelPassMs.median;
        const Clock::time_point start = Clock::now();
        const CodeWish wish{work_.settings, wish_.state.scene, work_.device.architecture};
        Result<CountedInstructions> counted =
            wish_.only == HotPart::model
                ? Failure{kAskedFor}
                : countInstructions(renderer_, *trial_, work_.samples, wish, wish_.kernel);
        if (!counted && wish_.only != HotPart::counts) counted = model(wish, counted.reason());
        if (counted && work_.model.empty() && wish_.kernel.empty()) {
            for (std::size_t k = 1; counted && k < counted->code.kernels.size(); ++k) {
                ThreadJob<Result<HotWork>> other([&, k](const std::stop_token& stop) {
                    HotWish one = wish_;
                    one.kernel = counted->code.kernels[k].name;
                    one.only = HotPart::counts;
                    return countElsewhere(one, [&] { return !stop.stop_requested(); });
                });
                co_await play(other);
                join(counted, other.result());
            }
        }
        if (counted && work_.model.empty() && wish_.kernel.empty() &&
            wish_.only == HotPart::everything) {
            ThreadJob<Result<StallSamples>> other([&](const std::stop_token& stop) {
                return sampleElsewhere(wish_, counted->code,
                                       [&] { return !stop.stop_requested(); });
            });
            co_await play(other);
            if (Result<StallSamples>& stalls = other.result())
                work_.stalls = *std::move(stalls);
            else
                work_.noStalls = stalls.reason();
        }
        work_.collectMs = millisecondsSince(start);
        if (counted) {
            const Result<bool> same = sameWithoutLines(wish);
            work_.linesChange = !same || !*same;
            work_.take(*std::move(counted));
        } else {
            work_.noCounts = counted.reason();
        }
    }
    if (work_.noCounts.empty()) co_return;
    ThreadJob<double> lanes([this](const std::stop_token& stop) {
        return lanesAtWork(renderer_, work_.settings, wish_.state.camera, work_.width, work_.height,
                           stop);
    });
    co_await play(lanes);
    work_.lanes = lanes.result();
}

std::vector<LineChange> changesOf(const HotWork& a, const HotWork& b) {
    const auto perRay = [](const HotWork& work, std::uint64_t instructions) {
        const double rays = static_cast<double>(work.rays.total());
        if (!(rays > 0)) return 0.;
        const auto own = static_cast<double>(instructions);
        if (!work.host()) return own / rays;
        return own / static_cast<double>(work.hot.all.warps) * work.kernelMs / rays;
    };
    const double all = perRay(a, a.hot.all.warps);
    if (!(all > 0)) return {};
    std::map<std::pair<std::string, int>, LineChange> lines;
    for (const bool ofB : {false, true}) {
        const HotWork& work = ofB ? b : a;
        for (const HotLine& line : work.hot.lines) {
            LineChange& change = lines[{line.file, line.line}];
            change.line = line;
            (ofB ? change.b : change.a) = perRay(work, line.executed.warps) / all;
        }
    }
    std::vector<LineChange> changes;
    for (auto& [place, change] : lines) changes.push_back(std::move(change));
    std::ranges::stable_sort(changes, std::ranges::greater{}, [](const LineChange& change) {
        return std::abs(change.b - change.a);
    });
    return changes;
}

double HotJob::share() const {
    if (ended()) return 1;
    return kTimedShare * trial_->share();
}

}  // namespace rayscope
