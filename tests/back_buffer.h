#pragma once

#include <glad/gl.h>

#include <array>

namespace rayscope::test {

/// Red, green and blue of what was drawn last, rows from the bottom.
inline std::array<int, 3> pixelAt(int x, int y) {
    unsigned char rgb[3];
    glReadBuffer(GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(x, y, 1, 1, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    return {rgb[0], rgb[1], rgb[2]};
}

}  // namespace rayscope::test
