#pragma once

#include <string>
#include <vector>

#include "renderer/backend/film_memory.h"
#include "renderer/film/image.h"

namespace rayscope {

/// A film without a window, in memory of the kind that its backend writes.
class OffscreenFilm {
public:
    /// Returns an empty string, or one sentence where memory is lacking.
    std::string allocate(Backend backend, int width, int height);

    Film& film() { return film_; }
    const Film& film() const { return film_; }

    /// The film in host memory when the launches so far are done; on the GPU it is copied.
    const Pixel* fetch();
    /// Its mean radiance.
    Image image();

private:
    Film film_;
    std::vector<Pixel> host_;
    DeviceFilm device_;
};

}  // namespace rayscope
