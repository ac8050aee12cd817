#pragma once

#include <atomic>

#include "renderer/core/variant.h"

namespace rayscope {

/// Pixels of a piece of work: so many that fetching a piece costs nothing.
inline constexpr int kPiecePixels = 256;

/// A film cut into pieces, in the order in which a pass renders them. Pixels are numbered piece by
/// piece, including those beyond the film's edge.
class Pieces {
public:
    /// Pixels of one piece.
    struct Range {
        int begin, count;
    };

    Pieces(Order order, int width, int height);

    /// One more than the number of the last pixel.
    int end() const { return end_; }

    /// Takes the next pixels before `end`, at most `most`, all of one piece; none at the end.
    Range take(std::atomic<int>& next, int most, int end) const;
    Range take(std::atomic<int>& next, int most) const { return take(next, most, end_); }

    /// Calls render(x0, y0, x1, y1) for rectangles that together cover those pixels of the film.
    template <class Render>
    void eachRectangle(Range pixels, const Render& render) const;
    /// The same for the pixels [begin, end), of any number of pieces.
    template <class Render>
    void each(int begin, int end, const Render& render) const {
        for (int count; begin < end; begin += count) {
            count = kPiecePixels - begin % kPiecePixels;
            if (count > end - begin) count = end - begin;
            eachRectangle({begin, count}, render);
        }
    }

private:
    struct Size {
        int width, height;
    };

    Size film_, piece_;
    int columns_, end_;
};

template <class Render>
void Pieces::eachRectangle(Range pixels, const Render& render) const {
    const int number = pixels.begin / kPiecePixels;
    const int left = number % columns_ * piece_.width, top = number / columns_ * piece_.height;
    const auto clipped = [&](int x, int y, int width, int height) {
        const int x1 = x + width < film_.width ? x + width : film_.width;
        const int y1 = y + height < film_.height ? y + height : film_.height;
        if (x < x1 && y < y1) render(x, y, x1, y1);
    };
    if (pixels.count == kPiecePixels) return clipped(left, top, piece_.width, piece_.height);
    int p = pixels.begin % kPiecePixels;
    for (const int end = p + pixels.count; p < end;) {
        const int x = p % piece_.width, rest = piece_.width - x,
                  run = rest < end - p ? rest : end - p;
        clipped(left + x, top + p / piece_.width, run, 1);
        p += run;
    }
}

}  // namespace rayscope
