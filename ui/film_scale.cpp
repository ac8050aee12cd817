#include "ui/film_scale.h"

#include <algorithm>
#include <cmath>

namespace rayscope {

namespace {

constexpr double kDivisors[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16};

/// A film that any machine traces in a moment.
constexpr double kFirstPixels = 100000;

/// The largest divisor tried where memory for the film is short.
constexpr double kSmallestFilm = 8;

/// A finer film must fit with this much room, or the next slow frame would coarsen it again.
constexpr double kRoom = .75;

}  // namespace

double movingDivisor(Size full, const Pace& pace, double budgetMs, double now) {
    const double pixels = static_cast<double>(full.width) * full.height;
    if (pace.raysPerMs <= 0 || pace.raysPerSample <= 0) {
        return kDivisors[pixels > kFirstPixels ? 4 : 0];
    }
    const double passMs = pixels * pace.raysPerSample / pace.raysPerMs;
    for (double divisor : kDivisors) {
        const double share = divisor < now ? kRoom : 1;
        if (passMs / (divisor * divisor) <= share * budgetMs) return divisor;
    }
    return kDivisors[std::size(kDivisors) - 1];
}

FilmMemory largestFilm(Size full, const std::function<std::string(Size)>& allocate) {
    FilmMemory memory;
    for (double divisor = 1; divisor <= kSmallestFilm; divisor *= 2) {
        memory.divisor = divisor;
        const std::string problem = allocate(divided(full, divisor));
        memory.allocated = problem.empty();
        if (memory.allocated) break;
        memory.problem = problem;
    }
    return memory;
}

Size divided(Size full, double divisor) {
    return {std::max(1, static_cast<int>(std::lround(full.width / divisor))),
            std::max(1, static_cast<int>(std::lround(full.height / divisor)))};
}

}  // namespace rayscope
