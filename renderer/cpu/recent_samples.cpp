#include "renderer/cpu/recent_samples.h"

namespace rayscope {

namespace {

/// Adding a pixel to the film takes as long as tracing a fraction of a sample: it is done once in
/// so many samples, but the film lacks an eighth of what there is at most.
constexpr int kOnce = 64, kPart = 8;

}  // namespace

void RecentSamples::begin(Film& film, int samples, bool last) {
    pass_ = samples;
    // once there are some, until the film is cleared: they would wait for as long
    apart_ = film.rest != nullptr || film.samples / samples >= kFewSums;
    adds_ = apart_ && (last || samples_ + samples >= std::min(kOnce, film.samples / kPart));
    if (!apart_ || film.rest != nullptr) return;
    const std::size_t pixels = static_cast<std::size_t>(film.width) * film.height;
    recent_.assign(pixels, Pixel{});
    rest_.assign(pixels, Pixel{});
    film.rest = rest_.data();
}

void RecentSamples::end() {
    if (apart_) samples_ = adds_ ? 0 : samples_ + pass_;
}

void RecentSamples::addAll(const Film& film) {
    if (film.rest != nullptr) add(film, 0, recent_.size());
    samples_ = 0;
}

void RecentSamples::clear(Film& film) {
    film.rest = nullptr;
    apart_ = adds_ = false;
    samples_ = 0;
}

}  // namespace rayscope
