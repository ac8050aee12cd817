#pragma once

#include <string>

#include "renderer/film/false_color.h"
#include "ui/widgets.h"

// Words at the top of the picture.

namespace rayscope {

/// Left of a place (align 1), right of it (0), or with its middle there.
Rect drawLabel(const Ui& ui, const std::string& text, float x, float align);

/// The colours in the middle of the picture, between what their ends mean.
void drawRampLegend(const Ui& ui, const std::string& name, const std::string& low,
                    const std::string& high, const ColorRamp& ramp);

}  // namespace rayscope
