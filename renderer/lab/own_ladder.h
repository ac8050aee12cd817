#pragma once

#include <string>

#include "renderer/base/result.h"
#include "renderer/choices/settings.h"
#include "renderer/lab/run_ladder.h"
#include "renderer/scene/shared_scene.h"

// A ladder of the user's own, to which the window adds rungs.

namespace rayscope {

/// Appends a rung with these settings of a scene to a ladder's file, which it begins where there is
/// none; a scene that is no asset is written beside it. The rung changes what differs from the last
/// one. Returns its number, or why it cannot be: the last rung is the same, or the file is no
/// ladder.
Result<int> addRung(const std::string& file, const SharedScene& scene, const Settings& settings);

/// Writes what was measured of the rung as its published figure, so that later runs stand beside
/// it.
Result<void> keepFigure(const std::string& file, const RungResult& result);

}  // namespace rayscope
