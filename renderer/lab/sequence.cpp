#include "renderer/lab/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "renderer/film/image_files.h"
#include "renderer/scene/camera_path.h"

namespace rayscope {

Sequence::Sequence(Renderer& renderer, SequenceWish wish)
    : renderer_(renderer), wish_(std::move(wish)) {
    problem_ =
        film_.allocate(renderer_, wish_.state.settings.backend, wish_.width, wish_.height).reason();
    if (problem_.empty()) film_.session().setWatched(wish_.watched);
}

Camera Sequence::camera() const {
    const double last = std::max(1, wish_.frames - 1);
    return onPath(wish_.keys, frame_ / last);
}

bool Sequence::step(double budgetMs) {
    awaitFile(0);
    if (!ended() && frame_ < wish_.frames && !rendered_) {
        if (!run_) {
            run_ = std::make_unique<FilmRun>(renderer_, film_.session(), wish_.state.settings,
                                             camera(), wish_.spp);
        }
        rendered_ = run_->step(budgetMs);
        problem_ = run_->problem();
    }
    if (rendered_ || frame_ >= wish_.frames) awaitFile(budgetMs);
    if (!ended() && rendered_ && !file_.valid()) write();
    return ended();
}

void Sequence::write() {
    State state = wish_.state;
    state.camera = camera();
    file_ = std::async(std::launch::async, [path = frameFile(wish_.path, frame_, wish_.frames),
                                            image = film_.image(), state = std::move(state)] {
        return writePng(path, toneMap(image, state.scene->display, state.view),
                        toJson(state).dump())
            .reason();
    });
    run_.reset();
    rendered_ = false;
    ++frame_;
}

/// Takes the result of the file under way.
void Sequence::awaitFile(double atMostMs) {
    const std::chrono::duration<double, std::milli> most(atMostMs);
    if (!file_.valid() || file_.wait_for(most) != std::future_status::ready) return;
    const std::string problem = file_.get();
    if (problem.empty())
        ++written_;
    else
        problem_ = problem;
}

double Sequence::share() const {
    if (written_ >= wish_.frames) return 1;
    const double rendered = frame_ + (run_ ? run_->share() : 0);
    return std::min(rendered / wish_.frames, .99);  // the last file is yet to be written
}

std::string frameFile(const std::string& path, int frame, int frames) {
    const std::filesystem::path file(path);
    const int digits = std::max(4, static_cast<int>(std::to_string(frames).size()));
    const std::string name = fmt::format("{}-{:0{}}.png", file.stem().string(), frame + 1, digits);
    return (file.parent_path() / name).string();
}

std::vector<Camera> keysOf(const State& state) {
    std::vector<Camera> keys;
    for (const std::optional<Camera>& bookmark : state.bookmarks) {
        if (bookmark) keys.push_back(*bookmark);
    }
    return keys;
}

}  // namespace rayscope
