#include "renderer/devices/offscreen_film.h"

#include <algorithm>
#include <utility>

#include "renderer/base/free_memory.h"

namespace rayscope {

Result<void> OffscreenFilm::allocate(Renderer& renderer, Backend backend, int width, int height) {
    session_.reset();
    film_ = {};
    film_.width = width;
    film_.height = height;
    if (backend == Backend::cuda) {
        freeMemory(host_);
        renderer.useThread();
        const Result<void> allocated = device_.allocate(width, height);
        film_.pixels = device_.pixels();
        if (!allocated) return allocated;
    } else {
        device_.release();
        host_.assign(static_cast<size_t>(width) * height, Pixel{});
        film_.pixels = host_.data();
    }
    session_ = renderer.open(film_);
    return {};
}

bool OffscreenFilm::recover(Renderer& renderer, const std::string& reason) {
    const bool watched = session_ && session_->watched();
    session_.reset();
    const std::optional<Backend> backend = renderer.goOnWithout(reason);
    if (!backend || !allocate(renderer, *backend, film_.width, film_.height)) return false;
    session_->setWatched(watched);
    return true;
}

void OffscreenFilm::exchangeMemory(OffscreenFilm& other) {
    if (host_.empty() || host_.size() != other.host_.size() || film_.width != other.film_.width)
        return;
    std::swap_ranges(host_.begin(), host_.end(), other.host_.begin());
    std::swap(host_, other.host_);
    std::swap(film_.pixels, other.film_.pixels);
    session_->exchangeMemory(*other.session_);
}

const Pixel* OffscreenFilm::fetch() {
    if (!host_.empty()) return host_.data();
    device_.startCopy();
    return device_.waitForCopy();
}

Film OffscreenFilm::fetched() {
    Film film = film_;
    film.pixels = const_cast<Pixel*>(fetch());
    return film;
}

}  // namespace rayscope
