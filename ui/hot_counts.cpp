#include "ui/hot_counts.h"

#include <algorithm>
#include <exception>
#include <ranges>
#include <stdexcept>
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

/// On its thread. Never throws.
HotCounts::Counted HotCounts::count(const std::stop_token& stop) {
    Counted result{counting_, {}, {}};
    const Wish& w = counting_;
    try {
        if (!machine_ || reopen_.exchange(false)) machine_ = open_();
        Renderer* renderer = machine_->of(w.settings.backend);
        if (renderer == nullptr) throw std::runtime_error(machine_->noCuda);
        renderer->setScene(w.scene);
        HotJob job(*renderer, w.settings, w.scene, w.camera, w.size.width, w.size.height);
        if (!playWhile(job, [&] { return !stop.stop_requested(); })) return result;
        result.work = job.result();
        result.problem = job.problem();
    } catch (const std::exception& error) {
        machine_.reset();
        result.problem = error.what();
    }
    return result;
}

void HotCounts::keep(const Wish& wish, HotWork work) {
    if (counted_.size() == kMostCounted) counted_.erase(counted_.begin());
    counted_.push_back({wish, std::move(work), {}});
    ++number_;
}

std::string HotCounts::step(bool resting) {
    std::string problem;
    if (job_ && job_->step(0)) {
        Counted found = std::move(job_->result());
        const bool cancelled = job_->cancelled();
        job_.reset();
        problem = cancelled ? "" : found.problem;
        if (!cancelled && problem.empty()) keep(found.wish, std::move(found.work));
    }
    if (!job_ && resting && !asked_.empty()) {
        counting_ = std::move(asked_.front());
        asked_.pop_front();
        job_ = std::make_unique<ThreadJob<Counted>>(
            [this](const std::stop_token& stop) { return count(stop); });
    }
    return problem;
}

const HotWork* HotCounts::of(const ReadCode& read) const {
    const Settings& settings = read.wish.settings;
    for (const Counted& counted : std::views::reverse(counted_)) {
        const HotWork& work = counted.work;
        const bool same = work.noCounts.empty() ? sameKernels(work.code, read.code) &&
                                                      work.settings.depth == settings.depth
                                                : work.settings == settings;
        if (same && counted.wish.scene == read.wish.scene) return &work;
    }
    return nullptr;
}

}  // namespace rayscope
