#include "renderer/lab/hot.h"

#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/lab/trial.h"

namespace rayscope {

namespace {

constexpr int kTimed = 3;
constexpr double kForever = 1e9;
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

/// Why no line can be told, or nothing.
std::string unknownLines(const Settings& settings) {
    if (settings.backend == Backend::cpu)
        return "instructions are counted one by one on a GPU only: use backend=cuda, or perf(1) "
               "for a CPU";
    if (settings.variant.code == Code::ptx)
        return "code=ptx: the driver makes the machine code, and does not say from which lines: "
               "use code=machine";
    return {};
}

}  // namespace

HotJob::HotJob(Renderer& renderer, const Settings& settings, const SharedScene& scene,
               const Camera& camera, int width, int height)
    : renderer_(renderer),
      scene_(scene),
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
    if (!work_.noCounts.empty()) co_return;
    co_await play(*trial_);
    work_.kernelMs = trial_->measurement().kernelPassMs.median;
    const Clock::time_point start = Clock::now();
    trial_->setPassSamples(work_.samples);
    trial_->begin();
    auto counts = renderer_.countInstructions([this] { trial_->play(kForever); });
    if (!counts) {
        work_.noCounts = counts.reason();
        co_return;
    }
    work_.collectMs = millisecondsSince(start);
    work_.rays = trial_->passes().back().rays;
    co_await kPause;
    const CodeWish wish{work_.settings, scene_, work_.device.architecture};
    Result<KernelCode> code = kernelCode(wish);
    if (!code) throw std::runtime_error(code.reason());
    work_.code = *std::move(code);
    const Result<LineTable> lines = readLineTable(work_.code.cubin);
    if (!lines) throw std::runtime_error(lines.reason());
    const Result<bool> same = sameWithoutLines(wish);
    work_.linesChange = !same || !*same;
    work_.files = kernelFiles(wish);
    std::vector<std::string> names;
    for (const KernelSource& file : work_.files) names.push_back(file.name);
    work_.counts = *std::move(counts);
    work_.hot = hotLines(work_.counts, *lines, names);
}

double HotJob::share() const {
    if (ended()) return 1;
    return kTimedShare * trial_->share();
}

}  // namespace rayscope
