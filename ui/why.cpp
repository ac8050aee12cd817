#include "ui/why.h"

#include <utility>

namespace rayscope {

namespace {

/// Of a view that shows a map.
RecordKind kindOf(const View& view) {
    return view.shown == Shown::time ? RecordKind::timeMap : RecordKind::rayMap;
}

}  // namespace

std::string Why::step(const Wish& wish) {
    std::string problem;
    if (std::optional<Recorded> found = recorder_->take()) {
        problem = found->problem;
        if (!problem.empty()) {
            failed_ = found->wish;
        } else if (found->wish.kind == RecordKind::divergence) {
            analysis_ = std::move(found);
        } else {
            map_ = std::move(found);
            ++maps_;
        }
    }
    if (wish.again) {
        analysis_.reset();
        failed_.reset();
    }
    if (busy() || !wish.resting || wish.framebuffer.empty()) return problem;
    if (wish.map && wish.state.view.shown != Shown::picture)
        want(map_, kindOf(wish.state.view), wish);
    if (wish.open && !busy()) want(analysis_, RecordKind::divergence, wish);
    return problem;
}

void Why::want(const std::optional<Recorded>& have, RecordKind kind, const Wish& wish) {
    if (have && isFor(have->wish, kind, wish.state, wish.framebuffer)) return;
    if (failed_ && isFor(*failed_, kind, wish.state, wish.framebuffer)) return;
    recorder_->start(recordWish(kind, wish.state, wish.framebuffer));
}

const CostMap* Why::map(const State& state, Size framebuffer) const {
    const bool wanted = state.view.shown != Shown::picture && map_ &&
                        isFor(map_->wish, kindOf(state.view), state, framebuffer);
    return wanted ? &map_->map : nullptr;
}

}  // namespace rayscope
