#pragma once

#include <string>

#include "renderer/choices/settings.h"

namespace rayscope {

/// What the window and the commands begin with where nothing is said: the defaults by the fastest
/// engine of this machine, which is engine=packets on a CPU with AVX2 or AVX-512. The defaults
/// themselves are the same on every machine; ladders, references and files build on those.
Settings startingSettings(Backend backend, const Scene& scene);

/// withBackend() for a user who has named no engine: the default one becomes the fastest, unless
/// that does not know all that was chosen otherwise than the defaults.
Settings switchedTo(Backend backend, const Settings& settings, const Scene& scene);

/// The settings for another scene: what the window began with in the scene before becomes what it
/// begins with in that one, and what was chosen otherwise is kept as far as the scene allows
/// (forScene()). `reason` receives what had to go.
Settings startingIn(const Settings& settings, const Scene& before, const Scene& after,
                    std::string* reason);

}  // namespace rayscope
