#include "ui/why.h"

#include <array>
#include <cmath>
#include <utility>

#include "renderer/base/timeline.h"
#include "renderer/profile/counters.h"

namespace rayscope {

namespace {

/// Of a view that shows a map.
RecordKind kindOf(const View& view) {
    return view.shown == Shown::time ? RecordKind::timeMap : RecordKind::rayMap;
}

/// The record under way is of what is seen.
bool wanted(const RecordWish& record, const Why::Wish& wish) {
    const View& view = wish.state.view;
    const bool seen = record.kind == RecordKind::divergence
                          ? wish.open
                          : wish.map && view.shown != Shown::picture && kindOf(view) == record.kind;
    return seen && wish.resting && isFor(record, record.kind, wish.state, wish.framebuffer);
}

constexpr size_t kMostCounts = 64;

/// For plots over time, in the window and in other programs.
void toTimeline(const CountedWork& work) {
    constexpr std::array<std::pair<const char*, const char*>, 5> kPlots{
        {{"issue_slots", "issue slots %"},
         {"lanes", "lanes an instruction"},
         {"achieved_occupancy", "achieved occupancy %"},
         {"eligible_warps", "eligible warps"},
         {"dram_throughput", "DRAM %"}}};
    for (const auto& [id, name] : kPlots) {
        const double value = counter(work.counters, id);
        if (std::isfinite(value)) recordCounter(name, value);
    }
}

}  // namespace

void Why::take(Recorded found) {
    switch (found.wish.kind) {
        case RecordKind::divergence:
            analysis_ = std::move(found);
            break;
        case RecordKind::rayMap:
        case RecordKind::timeMap:
            map_ = std::move(found);
            ++maps_;
            break;
        case RecordKind::counters:
            if (counts_.size() == kMostCounts) counts_.erase(counts_.begin());
            toTimeline(found.counted);
            counts_.push_back({std::move(found.counted), found.wish.scene->name, {}, {}});
            counts_.back().facts = factsOf(counts_.back().work);
            counts_.back().limit = limitOf(counts_.back().work);
            countedWish_ = std::move(found.wish);
            break;
    }
}

void Why::compareWith(bool newest) {
    before_.reset();
    if (newest && !counts_.empty()) before_ = counts_.back();
}

std::string Why::step(const Wish& wish) {
    std::string problem;
    if (std::optional<Recorded> found = recorder_->take()) {
        problem = found->problem;
        if (problem.empty())
            take(std::move(*found));
        else
            failed_ = found->wish;
    }
    if (wish.again) {
        analysis_.reset();
        failed_.reset();
    }
    if (busy() && !counting_ && !wanted(recorder_->wish(), wish)) recorder_->cancel();
    countAsked_ |= wish.count;
    if (busy() || !wish.resting || wish.framebuffer.empty()) return problem;
    if (countAsked_) countedWish_.reset();
    if (countAsked_ || wish.follow) want(countedWish_, RecordKind::counters, wish);
    countAsked_ = false;
    const auto wishOf = [](const std::optional<Recorded>& record) {
        return record ? std::optional(record->wish) : std::nullopt;
    };
    if (wish.map && wish.state.view.shown != Shown::picture)
        want(wishOf(map_), kindOf(wish.state.view), wish);
    if (wish.open) want(wishOf(analysis_), RecordKind::divergence, wish);
    return problem;
}

void Why::want(const std::optional<RecordWish>& have, RecordKind kind, const Wish& wish) {
    if (busy()) return;
    if (have && isFor(*have, kind, wish.state, wish.framebuffer)) return;
    if (failed_ && isFor(*failed_, kind, wish.state, wish.framebuffer)) return;
    counting_ = kind == RecordKind::counters;
    recorder_->start(recordWish(kind, wish.state, wish.framebuffer));
}

const CostMap* Why::map(const State& state, Size framebuffer) const {
    const bool wanted = state.view.shown != Shown::picture && map_ &&
                        isFor(map_->wish, kindOf(state.view), state, framebuffer);
    return wanted ? &map_->map : nullptr;
}

}  // namespace rayscope
