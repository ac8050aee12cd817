#include "renderer/lab/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "renderer/film/image_files.h"
#include "renderer/lab/movie.h"
#include "renderer/scene/camera_path.h"

namespace rayscope {

namespace {

constexpr std::string_view kWritten = "written";  ///< the reply of whoever rendered a frame

class SharedFrames : public Frames {
public:
    SharedFrames(int count, Helpers* helpers)
        : parts_(helpers, {count, [](int frame) { return std::to_string(frame); },
                           [](int, const std::string& reply) { return reply == kWritten; }}) {}
    std::optional<int> next() override { return parts_.next(); }
    void written(int frame) override {
        parts_.finish(frame, [] { return std::string(kWritten); });
    }
    bool over() override {
        parts_.serve();
        return parts_.over();
    }
    int done() const override { return parts_.done(); }

private:
    Parts parts_;
};

}  // namespace

std::unique_ptr<Frames> allFrames(int count, Helpers* helpers) {
    return std::make_unique<SharedFrames>(count, helpers);
}

Sequence::Sequence(Renderer& renderer, SequenceWish wish)
    : Sequence(renderer, wish, allFrames(wish.frames)) {}

Sequence::Sequence(Renderer& renderer, SequenceWish wish, std::unique_ptr<Frames> elsewhere)
    : renderer_(renderer), wish_(std::move(wish)), frames_(std::move(elsewhere)) {
    problem_ =
        film_.allocate(renderer_, wish_.state.settings.backend, wish_.width, wish_.height).reason();
    if (problem_.empty()) film_.session().setWatched(wish_.watched);
    scene_ = wish_.state.scene;
    if (problem_.empty() && wish_.moves && scene_->simulation) simulate();
}

/// The bodies are where the scene, which the renderer has, begins.
void Sequence::simulate() {
    simulator_.reset();  // the memory of one is enough
    moved_ = 0;
    auto made = renderer_.simulate(*scene_->simulation, startOf(*scene_->simulation));
    if (!made) {
        problem_ = made.reason();
        return;
    }
    simulator_ = *std::move(made);
    simulator_->setStop([this] { return !wanted(); });
}

/// To the next frame.
void Sequence::move() {
    try {
        simulator_->step(wish_.state.settings, wish_.state.settings.steps);
    } catch (const std::runtime_error&) {
        if (wanted()) throw;
    }
    if (!wanted()) return;  // the bodies are of no use
    ++moved_;
    const std::optional<MovedScene> moved = movedBy(*simulator_, scene_);
    if (!moved) {
        problem_ = fmt::format(
            "bodies have left the scene before frame {}: a smaller step of its "
            "simulation may keep them",
            moved_ + 1);
        return;
    }
    renderer_.moveSpheres(*moved);
    scene_ = moved->now();
}

Camera Sequence::camera() const {
    const double last = std::max(1, wish_.frames - 1);
    return onPath(wish_.keys, frame_ / last);
}

Steps Sequence::run() {
    while (problem_.empty() && !frames_->over()) {
        const std::optional<int> frame = frames_->next();
        if (!frame) {
            if (file_.valid()) fileWritten();
            std::this_thread::sleep_for(kHelpersWait);
            co_await kPause;
            continue;
        }
        frame_ = *frame;
        if (simulator_ && frame_ < moved_) {  // that of a rank which is gone
            scene_ = wish_.state.scene;
            renderer_.setScene(scene_);
            simulate();
        }
        while (simulator_ && moved_ < frame_) {
            move();
            if (!problem_.empty()) break;
            while (!wanted()) co_await kPause;
            co_await kPause;
        }
        if (!problem_.empty()) break;
        run_ =
            std::make_unique<FilmRun>(renderer_, film_, wish_.state.settings, camera(), wish_.spp);
        co_await play(*run_);
        while (!fileWritten()) co_await kPause;
        if (!problem_.empty()) co_return;
        write();
        run_.reset();
    }
    // a job with a problem is not asked to go on
    if (!problem_.empty() && file_.valid()) file_.wait();
    while (!fileWritten()) co_await kPause;
    if (simulator_) renderer_.setScene(wish_.state.scene);
    if (!problem_.empty() || wish_.movie.empty()) co_return;
    beginMovie();
    while (!movieMade()) co_await kPause;
}

/// On another thread.
void Sequence::beginMovie() {
    filming_ = true;
    movie_ = std::async(std::launch::async, [this] {
        return makeMovie(wish_.movie, wish_.path, wish_.frames, wish_.fps,
                         [this] { return filming_.load(); })
            .reason();
    });
}

/// False while it is being made. Its frames are not needed any more then.
bool Sequence::movieMade() {
    const std::chrono::duration<double, std::milli> most(leftMs());
    if (movie_.wait_for(most) != std::future_status::ready) return false;
    filming_ = false;
    problem_ = movie_.get();
    if (problem_.empty()) removeFrames(wish_.path, wish_.frames);
    return true;
}

/// There may be more bodies than a file of spheres may have; its scene then is that of the start.
void Sequence::write() {
    State state = wish_.state;
    state.camera = camera();
    state.scene = scene_;
    if (frame_ > 0 && scene_->spheres.size() <= kMaxSpheres)
        state.scene.change([](Scene& scene) { scene.simulation.reset(); });
    filed_ = frame_;
    file_ = std::async(std::launch::async, [path = frameFile(wish_.path, frame_, wish_.frames),
                                            image = film_.image(), state = std::move(state)] {
        return writePng(path, toneMap(image, state.scene->display, state.view),
                        toJson(state).dump())
            .reason();
    });
}

/// False while the file of the frame before is being written.
bool Sequence::fileWritten() {
    if (!file_.valid()) return true;
    const std::chrono::duration<double, std::milli> most(leftMs());
    if (file_.wait_for(most) != std::future_status::ready) return false;
    const std::string failed = file_.get();
    if (failed.empty()) frames_->written(filed_);
    if (problem_.empty()) problem_ = failed;
    return true;
}

void Sequence::cancel() {
    SteppedJob::cancel();
    filming_ = false;
    if (movie_.valid()) movie_.wait();
    if (file_.valid()) file_.wait();
    fileWritten();
    if (simulator_) renderer_.setScene(wish_.state.scene);
}

double Sequence::share() const {
    if (ended()) return 1;
    const double rendered = written() + (run_ ? run_->share() : 0) + (file_.valid() ? 1 : 0);
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
