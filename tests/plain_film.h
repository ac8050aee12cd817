#pragma once

#include <glad/gl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "renderer/backend/renderer.h"
#include "ui/present.h"

namespace rayscope::test {

/// A texture with the same radiance everywhere, as of two samples; in rows from `traced` on there
/// are none yet.
class PlainFilm {
public:
    PlainFilm(Size size, float red, float green, float blue, int traced = -1) : size_(size) {
        std::vector<Pixel> pixels(static_cast<size_t>(size.width) * size.height,
                                  {2 * red, 2 * green, 2 * blue, 2});
        full_ = traced < 0;
        if (!full_)
            std::fill(pixels.begin() + static_cast<long>(size.width) * traced, pixels.end(),
                      Pixel{});
        glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
        glTextureStorage2D(texture_, 1, GL_RGBA32F, size.width, size.height);
        glTextureSubImage2D(texture_, 0, 0, 0, size.width, size.height, GL_RGBA, GL_FLOAT,
                            pixels.data());
    }
    ~PlainFilm() { glDeleteTextures(1, &texture_); }
    PlainFilm(const PlainFilm&) = delete;
    PlainFilm& operator=(const PlainFilm&) = delete;
    FilmView view(long film = 1) const { return {texture_, size_, film, 1, true, full_}; }

private:
    unsigned texture_ = 0;
    Size size_;
    bool full_ = true;
};

/// Exposed so that the radiance is the colour.
inline DisplayTransform asItIs() {
    DisplayTransform display;
    display.exposure = 1;
    display.offset = 0;
    display.gamma = 1;
    return display;
}

/// Within what rounding to bytes does.
inline void expectColor(const std::array<int, 3>& seen, const std::array<float, 3>& wanted) {
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(seen[i], 255 * wanted[i], 1.1) << "channel " << i;
}

}  // namespace rayscope::test
