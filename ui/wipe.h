#pragma once

#include "ui/panels.h"
#include "ui/window.h"

namespace rayscope {

/// What is written over the picture while A is pinned, and the line between A and B to drag.
struct WipeFacts {
    Size window;
    const Versus& versus;
    double fullScale = 1;  ///< radiance; of the difference
};
void drawWipe(const Ui& ui, const WipeFacts& facts, Pinned& pinned);

/// Where the line stands, in screen units from the left: never under a panel.
float wipePlace(const Layout& layout, Size window, double wipe);
/// The same in pixels of the framebuffer.
int wipePixel(const Layout& layout, Size window, Size framebuffer, double wipe);

}  // namespace rayscope
