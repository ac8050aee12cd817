#include "renderer/cpu/pieces.h"

#include <algorithm>

namespace rayscope {

Pieces::Pieces(Order order, int width, int height)
    : film_{width, height},
      piece_(order == Order::rows      ? Size{kPiecePixels, 1}
             : order == Order::columns ? Size{1, kPiecePixels}
                                       : Size{16, kPiecePixels / 16}),
      columns_((width + piece_.width - 1) / piece_.width),
      end_(columns_ * ((height + piece_.height - 1) / piece_.height) * kPiecePixels) {}

Pieces::Range Pieces::take(std::atomic<int>& next, int most, int end) const {
    int at = next;
    while (at < end) {
        const int count = std::min({most, kPiecePixels - at % kPiecePixels, end - at});
        if (next.compare_exchange_weak(at, at + count)) return {at, count};
    }
    return {end, 0};
}

}  // namespace rayscope
