#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "renderer/core/film_sum.h"
#include "renderer/film/film.h"

namespace rayscope {

/// The samples of passes that are not in the film yet (kFewSums), and the film's rest. Now and then
/// a pass adds them, piece by piece, while a piece is in the cache.
class RecentSamples {
public:
    /// A pass of so many samples begins. `last`: nothing comes after it.
    void begin(Film& film, int samples, bool last);
    /// Where its launches add.
    Pixel* target(const Film& film) { return apart_ ? recent_.data() : film.pixels; }
    /// The launches of a rectangle are done: adds its samples, if this pass does.
    void rendered(const Film& film, int x0, int y0, int x1, int y1) {
        if (!adds_) return;
        for (int y = y0; y < y1; ++y) {
            const std::size_t first = static_cast<std::size_t>(y) * film.width + x0;
            add(film, first, first + static_cast<std::size_t>(x1 - x0));
        }
    }
    /// The pass is complete.
    void end();
    /// Adds all of them.
    void addAll(const Film& film);
    /// The film has no samples any more.
    void clear(Film& film);

private:
    void add(const Film& film, std::size_t begin, std::size_t end) {
        typedef float Floats __attribute__((vector_size(sizeof(Pixel)), may_alias));
        auto* const sums = reinterpret_cast<Floats*>(film.pixels);
        auto* const rests = reinterpret_cast<Floats*>(film.rest);
        auto* const more = reinterpret_cast<Floats*>(recent_.data());
        for (std::size_t i = begin; i < end; ++i) {
            addWithRest(sums[i], rests[i], Floats(more[i]));
            more[i] = Floats{};
        }
    }

    std::vector<Pixel> recent_, rest_;
    bool apart_ = false, adds_ = false;
    int samples_ = 0;  ///< of passes that are not in the film
    int pass_ = 0;
};

}  // namespace rayscope
