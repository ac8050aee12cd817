#include "renderer/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "renderer/image/image_files.h"
#include "renderer/scene/camera_path.h"

namespace rayscope {

Sequence::Sequence(Renderer& renderer, SequenceWish wish)
    : renderer_(renderer), wish_(std::move(wish)) {
    problem_ = film_.allocate(wish_.state.settings.backend, wish_.width, wish_.height);
}

Camera Sequence::camera() const {
    const double last = std::max(1, wish_.frames - 1);
    return onPath(wish_.keys, written_ / last);
}

bool Sequence::step(double budgetMs) {
    if (!problem_.empty() || written_ >= wish_.frames) return true;
    Film& film = film_.film();
    if (!begun_) {
        renderer_.clear(film);
        film.target = wish_.spp;
    }
    renderer_.advance(wish_.state.settings, camera(), film, budgetMs);
    const KernelInfo kernel = renderer_.kernel();
    begun_ = kernel.ready;  // else another kernel has rendered
    if (!kernel.compileLog.empty()) problem_ = "the kernel does not compile:\n" + kernel.compileLog;
    if (problem_.empty()) problem_ = renderer_.unsupported(wish_.state.settings);
    if (begun_ && film.done() && problem_.empty()) write();
    return !problem_.empty() || written_ >= wish_.frames;
}

void Sequence::write() {
    State state = wish_.state;
    state.camera = camera();
    const std::string path = frameFile(wish_.path, written_, wish_.frames);
    problem_ = writePng(path, toneMap(film_.image(), state.scene.display, state.view),
                        toJson(state).dump());
    begun_ = false;
    if (problem_.empty()) ++written_;
}

double Sequence::share() const {
    const Film& film = film_.film();
    const double part = begun_ && film.target > 0 ? 1. * film.samples / film.target : 0;
    return (written_ + std::min(part, .99)) / std::max(1, wish_.frames);
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
