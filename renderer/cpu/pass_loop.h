#pragma once

#include <algorithm>
#include <atomic>

#include "renderer/base/elapsed.h"
#include "renderer/core/types.h"
#include "renderer/cpu/pieces.h"

// The loop in which threads render pieces of a pass, in this process or in one for edited kernels.

namespace rayscope {

/// What the threads of a pass do. Plain, as another process may read it.
struct PassPlan {
    Order order{};
    int width = 0, height = 0;
    int begin = 0, end = 0;                          ///< pixels in the order of Pieces
    int threads = 0;                                 ///< that take part
    bool wholePieces = false, singlePixels = false;  ///< that a thread takes at a time
    double msPerPixel = 0;                           ///< as far as it is known; 0: unknown
    double budgetMs = 0;                             ///< from `start` on
    Clock::time_point start;
};

/// How many pixels a thread takes at a time: a piece, or as many as fit the budget; one while the
/// speed is unknown (0).
inline int pixelsAtATime(const PassPlan& plan, double msPerPixel) {
    if (plan.wholePieces) return kPiecePixels;
    if (plan.singlePixels || msPerPixel <= 0) return 1;
    if (kPiecePixels * msPerPixel <= plan.budgetMs) return kPiecePixels;
    return std::max(1, static_cast<int>(plan.budgetMs / msPerPixel));
}

/// Renders pieces with render(launch) until none is left or the next one would exceed the budget.
/// Thread 0 renders at least one, so that the slowest variant gets on.
template <class Real, class Render>
void renderPieces(const PassPlan& plan, std::atomic<int>& next, LaunchParams<Real>& launch,
                  int thread, const Render& render) {
    if (thread >= plan.threads) return;
    const Pieces pieces(plan.order, plan.width, plan.height);
    const auto renderRectangle = [&](int x0, int y0, int x1, int y1) {
        launch.x0 = x0;
        launch.y0 = y0;
        launch.x1 = x1;
        launch.y1 = y1;
        render(launch);
    };
    int most = pixelsAtATime(plan, plan.msPerPixel);
    double nextMs = 0;
    for (bool first = thread == 0; first || millisecondsSince(plan.start) + nextMs < plan.budgetMs;
         first = false) {
        const Clock::time_point began = Clock::now();
        const Pieces::Range pixels = pieces.take(next, most, plan.end);
        if (pixels.count == 0) return;
        pieces.eachRectangle(pixels, renderRectangle);
        const double msPerPixel = millisecondsSince(began) / pixels.count;
        most = pixelsAtATime(plan, msPerPixel);
        nextMs = most * msPerPixel;
    }
}

}  // namespace rayscope
