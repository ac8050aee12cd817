#pragma once

#include "renderer/backend/film_memory.h"

namespace rayscope {

/// A film in the memory of the host, that is added to another one there.
std::unique_ptr<PartFilm> makeHostFilm();

}  // namespace rayscope
