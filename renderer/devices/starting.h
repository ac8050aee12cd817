#pragma once

#include "renderer/choices/settings.h"

namespace rayscope {

/// What the window and the commands begin with where nothing is said: the defaults by the fastest
/// engine of this machine, which is engine=packets on a CPU with AVX2 or AVX-512. The defaults
/// themselves are the same on every machine; ladders, references and files build on those.
Settings startingSettings(Backend backend, const Scene& scene);

/// withBackend() for a user who has named no engine: the default one becomes the fastest, unless
/// that does not know all that was chosen otherwise than the defaults.
Settings switchedTo(Backend backend, const Settings& settings, const Scene& scene);

}  // namespace rayscope
