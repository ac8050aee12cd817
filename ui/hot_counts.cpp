#include "ui/hot_counts.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace rayscope {

namespace {

constexpr std::size_t kMostCounted = 8;

bool sameKernels(const KernelCode& a, const KernelCode& b) {
    return !a.kernels.empty() &&
           std::ranges::equal(a.kernels, b.kernels, [](const KernelFacts& x, const KernelFacts& y) {
               return x.symbol == y.symbol && x.code == y.code;
           });
}

}  // namespace

void HotCounts::keep(const State& state, HotWork work) {
    if (counted_.size() == kMostCounted) counted_.erase(counted_.begin());
    counted_.push_back({state.scene, std::move(work)});
    ++number_;
}

void HotCounts::step(bool resting) {
    if (job_ && job_->step(0)) {
        HotWork work = std::move(job_->result());
        const bool cancelled = job_->cancelled();
        job_.reset();
        if (!cancelled) keep(counting_.state, std::move(work));
    }
    if (job_ || !resting || asked_.empty()) return;
    counting_ = std::move(asked_.front());
    asked_.pop_front();
    job_ = std::make_unique<ThreadJob<HotWork>>([wish = counting_](const std::stop_token& stop) {
        Result<HotWork> work = countElsewhere(wish, [&] { return !stop.stop_requested(); });
        if (work) return *std::move(work);
        HotWork none;
        none.settings = wish.state.settings;
        none.noCounts = work.reason();
        return none;
    });
}

const HotWork* HotCounts::of(const ReadCode& read) const {
    const Settings& settings = read.wish.settings;
    for (const Counted& counted : std::views::reverse(counted_)) {
        const HotWork& work = counted.work;
        const bool same = work.noCounts.empty() ? sameKernels(work.code, read.code) &&
                                                      work.settings.depth == settings.depth
                                                : work.settings == settings;
        if (same && counted.scene == read.wish.scene) return &work;
    }
    return nullptr;
}

}  // namespace rayscope
