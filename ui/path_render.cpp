#include "ui/path_render.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

namespace rayscope {

namespace fs = std::filesystem;

std::string PathRender::start(const State& state, Size size, const PathChoice& choice,
                              const std::string& folder) {
    if (running()) return "a path is being rendered";
    SequenceWish wish;
    wish.state = state;
    wish.state.pinned.reset();
    wish.keys = keysOf(state);
    if (wish.keys.size() < 2) return "a path needs two bookmarks or more: Ctrl+1 to Ctrl+9";
    wish.frames = frames_ = choice.frames;
    wish.spp = choice.samples;
    wish.width = size.width;
    wish.height = size.height;
    wish.path = (fs::path(folder) / "frame.png").string();
    wish.watched = true;
    folder_ = folder;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fmt::format("{} cannot be made: {}", folder, error.message());
    try {
        if (!machine_) machine_ = open_();
        Renderer* const renderer = machine_->of(state.settings.backend);
        if (renderer == nullptr) return machine_->noCuda;
        renderer->setScene(state.scene);
        machine_->hierarchy.sceneChanged();
        sequence_ = std::make_unique<Sequence>(*renderer, std::move(wish));
    } catch (const std::runtime_error& failure) {
        return end(failure.what());
    }
    return {};
}

std::string PathRender::step(double budgetMs) {
    if (!running()) return {};
    try {
        if (!hierarchyReady(sequence_->state(), budgetMs)) return {};
        return sequence_->step(budgetMs) ? end(sequence_->problem()) : std::string();
    } catch (const std::runtime_error& failure) {
        return end(failure.what());
    }
}

bool PathRender::hierarchyReady(const State& state, double waitMs) {
    if (!walksBvh(state.settings)) return true;
    return machine_->hierarchy.ready(state.scene, waitMs, [&](const Bvh& built) {
        machine_->of(state.settings.backend)->giveHierarchy(built);
    });
}

std::string PathRender::cancel() {
    return running() ? end("given up") : std::string();
}

/// By value: the sequence, which goes, may own the problem.
std::string PathRender::end(std::string problem) {
    const int written = sequence_ ? sequence_->written() : 0;
    sequence_.reset();  // waits for the file under way
    machine_.reset();
    std::error_code error;
    fs::remove(folder_, error);  // where it is empty
    if (problem.empty()) return fmt::format("Saved {} frames in {}", written, folder_);
    return fmt::format("The path: {} ({} of {} frames are written)", problem, written, frames_);
}

std::string PathRender::text() const {
    return sequence_ ? fmt::format("path: {} of {} frames", sequence_->written(), frames_)
                     : std::string();
}

}  // namespace rayscope
