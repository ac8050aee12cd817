#include "ui/versus_films.h"

#include <algorithm>

namespace rayscope {

VersusFilms::VersusFilms(Backends& backends, Tracer& a, const Tracer::Wish& wishA, Tracer& b,
                         const Tracer::Wish& wishB)
    : backends_(backends), sides_{{{a, wishA}, {b, wishB}}} {}

bool VersusFilms::align() {
    double divisor = 1;
    for (Pair& side : sides_) {
        if (!side.tracer.prepare(backends_, side.wish, &message_)) return false;
        divisor = std::max(divisor, side.tracer.divisorFor(side.wish));
    }
    const auto all = [&](auto holds) { return std::all_of(sides_.begin(), sides_.end(), holds); };
    const bool same =
        all([&](const Pair& side) { return side.tracer.shows(side.wish.camera, divisor); });
    const bool mayEnd = all([](const Pair& side) { return side.tracer.mayEnd(side.wish); });
    const bool fresh = all([](const Pair& side) { return !side.tracer.stale(); });
    const bool together = !same && (mayEnd || !fresh);
    for (Pair& side : sides_) {
        if (together || side.tracer.stale()) side.tracer.beginFilm(side.wish, divisor);
    }
    return true;
}

FrameStats VersusFilms::trace(Side side, double budgetMs) {
    Pair& pair = sides_[index(side)];
    pair.wish.budgetMs = budgetMs;
    return pair.tracer.advance(pair.wish);
}

}  // namespace rayscope
