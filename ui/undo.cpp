#include "ui/undo.h"

#include <utility>

namespace rayscope {

namespace {

constexpr double kOneChangeSeconds = .6;
constexpr std::size_t kMostSteps = 100;
/// Scenes are copied with each step: of large ones fewer steps are kept.
constexpr std::size_t kMostSpheres = 1000000;

bool sameChoices(const State& a, const State& b) {
    return a.settings == b.settings && a.view == b.view && a.pinned == b.pinned &&
           a.scene == b.scene;
}

std::size_t spheresOf(const std::vector<State>& steps) {
    std::size_t count = 0;
    for (const State& step : steps) count += step.scene.spheres.size();
    return count;
}

}  // namespace

void Undo::note(const State& state, double now) {
    if (!present_) {
        present_ = state;
        return;
    }
    if (sameChoices(*present_, state)) {
        present_->camera = state.camera;
        present_->bookmarks = state.bookmarks;
        return;
    }
    if (now - lastChange_ > kOneChangeSeconds || past_.empty()) past_.push_back(*present_);
    while (past_.size() > 1 && (past_.size() > kMostSteps || spheresOf(past_) > kMostSpheres))
        past_.erase(past_.begin());
    future_.clear();
    present_ = state;
    lastChange_ = now;
}

void Undo::move(std::vector<State>& from, std::vector<State>& to) {
    State next = std::move(from.back());
    from.pop_back();
    if (next.scene == present_->scene) {
        next.camera = present_->camera;
        next.bookmarks = present_->bookmarks;
    }
    to.push_back(std::exchange(*present_, std::move(next)));
    lastChange_ = -1;
}

std::optional<State> Undo::back() {
    if (past_.empty()) return {};
    move(past_, future_);
    return present_;
}

std::optional<State> Undo::forth() {
    if (future_.empty()) return {};
    move(future_, past_);
    return present_;
}

}  // namespace rayscope
