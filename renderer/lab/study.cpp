#include "renderer/lab/study.h"

#include <algorithm>

namespace rayscope {

namespace {

/// Of the work's comparison: fewer than where one pair is all that is asked for, and where the CPU
/// works smaller pictures too, as it would take longer than the times.
constexpr int kBatches = 8, kCpuSamples = 8, kCpuDivisor = 2, kCpuReferenceSamples = 128;
/// Of an item's time: many items follow each other on a machine that is warm.
constexpr double kWarmUpShare = .5;

}  // namespace

StudyJob::StudyJob(Machine& machine, Study study, const StudyWish& wish)
    : machine_(machine), study_(std::move(study)), wish_(wish), stage_(machine) {}

double StudyJob::share() const {
    if (study_.items.empty()) return 1;
    const double part = job_ ? job_->share() : 0;
    return (static_cast<double>(current_) + part) / static_cast<double>(study_.items.size());
}

std::string StudyJob::label() const {
    return current_ < study_.items.size() ? study_.items[current_].name : std::string();
}

PairWish StudyJob::wishFor(const StudyItem& item) const {
    const Scene& scene = study_.scenes[item.scene];
    PairWish wish;
    wish.speed.camera = wish_.camera.value_or(scene.camera);
    wish.speed.width = wish_.width;
    wish.speed.height = wish_.height;
    wish.speed.seconds = wish_.seconds;
    wish.speed.halfWidth = wish_.halfWidth;
    wish.speed.warmUpMs = 1e3 * kWarmUpShare * wish_.seconds;
    wish.speed.clock = wish_.clock;
    if (!wish_.work) return wish;
    wish.work = equalWorkWish(item.a, item.b, scene);
    wish.work->camera = wish.speed.camera;
    wish.work->batches = kBatches;
    if (!worksOnHost(item.a) && !worksOnHost(item.b)) return wish;
    wish.work->samples = kCpuSamples;
    wish.work->width = std::max(wish.work->width / kCpuDivisor, 1);
    wish.work->height = std::max(wish.work->height / kCpuDivisor, 1);
    wish.work->referenceSamples = kCpuReferenceSamples;
    return wish;
}

/// Both renderers have the item's scene; or the reason why there is nothing to measure.
std::string StudyJob::prepare(const StudyItem& item) {
    if (!item.problem.empty()) return item.problem;
    for (const Settings* s : {&item.a, &item.b}) {
        const auto entered = stage_.enter(*s, study_.scenes[item.scene]);
        if (!entered) return entered.reason();
    }
    return {};
}

/// The reference that work is compared with walks it, too.
bool StudyJob::hierarchyReady(const StudyItem& item, double waitMs) {
    return (!wish_.work && !walksBvh(item.a) && !walksBvh(item.b)) ||
           stage_.hierarchyReady(study_.scenes[item.scene], waitMs);
}

void StudyJob::begin() {
    StudyItem& item = study_.items[current_];
    item.problem = prepare(item);
    if (!item.problem.empty()) return;
    job_ = std::make_unique<PairJob>(Contestant{machine_.of(item.a.backend), item.a},
                                     Contestant{machine_.of(item.b.backend), item.b}, wishFor(item),
                                     watches_);
}

bool StudyJob::step(double budgetMs) {
    if (current_ == study_.items.size()) return true;
    StudyItem& item = study_.items[current_];
    if (!job_) begin();
    if (job_ && !(hierarchyReady(item, budgetMs) && job_->step(budgetMs))) return false;
    if (job_) {
        item.problem = job_->problem();
        if (item.problem.empty()) {
            item.result = job_->result();
            item.result->code =
                compareCode(item.a, item.b, study_.scenes[item.scene],
                            machine_.of(item.b.backend)->device().architecture, Compiling::never);
        }
        job_.reset();
    }
    return ++current_ == study_.items.size();
}

}  // namespace rayscope
