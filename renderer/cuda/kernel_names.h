#pragma once

#include <string>
#include <vector>

#include "renderer/cuda/kernels/stage.h"

// Which kernels the program of a variant consists of, and what NVRTC calls them.

namespace rayscope {

/// The kernels of the variant's program; first the one that traces most rays.
std::vector<Stage> stagesOf(const Variant& variant);

/// "rayscope::megakernel<rayscope::Variant{.tile = ...}>", of what differs from the defaults: the
/// variant's only spelling.
std::string nameExpression(const Variant& variant, Stage stage);

/// The file that NVRTC compiles, "renderer/cuda/kernels/megakernel.cu".
const char* mainSourceOf(const Variant& variant);

/// "extend"
const char* nameOf(Stage stage);

}  // namespace rayscope
