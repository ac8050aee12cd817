#pragma once

#include <string>
#include <vector>

#include "renderer/core/force_variant.h"
#include "renderer/cuda/kernels/stage.h"

// Which kernels the program of a variant consists of, and their names.

namespace rayscope {

/// The kernels of the variant's program, the one that traces most rays first.
std::vector<Stage> stagesOf(const Variant& variant);

/// "rayscope::megakernel<rayscope::Variant{.tile = ...}>", with only the members that differ from
/// the defaults, so that a variant has one spelling.
std::string nameExpression(const Variant& variant, Stage stage);

/// The same for a simulation, "rayscope::move<rayscope::ForceVariant{...}>".
std::vector<Stage> stagesOf(const ForceVariant& variant);
std::string nameExpression(const ForceVariant& variant, Stage stage);

/// The file that NVRTC compiles, "renderer/cuda/kernels/megakernel.cu".
const char* mainSourceOf(const Variant& variant);

}  // namespace rayscope
