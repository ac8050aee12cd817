#include "renderer/lab/hot.h"

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

TrialWish wishFor(const Settings& settings, const Camera& camera, int width, int height) {
    TrialWish wish;
    wish.settings = settings;
    wish.settings.launches = 1;
    wish.camera = camera;
    wish.width = width;
    wish.height = height;
    wish.passMs = 0;  // one launch
    wish.mostSamples = settings.samples;
    wish.wholeLaunches = true;
    wish.rewinds = true;
    return wish;
}

}  // namespace

HotJob::HotJob(Renderer& renderer, const Settings& settings, const SharedScene& scene,
               const Camera& camera, int width, int height)
    : renderer_(renderer),
      scene_(scene),
      camera_(camera),
      trial_(std::make_unique<Trial>(renderer, wishFor(settings, camera, width, height),
                                     std::make_unique<FixedPasses>(kTimed))) {
    work_.settings = settings;
    work_.device = renderer.device();
    work_.width = width;
    work_.height = height;
    work_.samples = settings.samples;
}

HotJob::~HotJob() = default;

Steps HotJob::run() {
    work_.noCounts = unknownLines(work_.settings);
    if (work_.noCounts.empty()) {
        co_await play(*trial_);
        work_.kernelMs = trial_->measurement().kernelPassMs.median;
        const Clock::time_point start = Clock::now();
        const CodeWish wish{work_.settings, scene_, work_.device.architecture};
        Result<CountedInstructions> counted =
            countInstructions(renderer_, *trial_, work_.samples, wish);
        work_.collectMs = millisecondsSince(start);
        counted ? take(*std::move(counted), wish) : void(work_.noCounts = counted.reason());
    }
    if (work_.noCounts.empty()) co_return;
    ThreadJob<double> lanes([this](const std::stop_token& stop) {
        return lanesAtWork(renderer_, work_.settings, camera_, work_.width, work_.height, stop);
    });
    co_await play(lanes);
    work_.lanes = lanes.result();
}

void HotJob::take(CountedInstructions counted, const CodeWish& wish) {
    const Result<bool> same = sameWithoutLines(wish);
    work_.linesChange = !same || !*same;
    work_.rays = counted.rays;
    const std::vector<std::string> sources = counted.sources();
    work_.hot = hotLines(counted.counts, counted.lines, sources);
    work_.idle = idleLanes(counted.counts, counted.lines, sources,
                           counted.rays.camera + counted.rays.bounce);
    work_.lines = std::move(counted.lines);
    work_.code = std::move(counted.code);
    work_.files = std::move(counted.files);
    work_.counts = std::move(counted.counts);
}

double HotJob::share() const {
    if (ended()) return 1;
    return kTimedShare * trial_->share();
}

}  // namespace rayscope
