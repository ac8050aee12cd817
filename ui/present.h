#pragma once

#include <string>

#include "renderer/state.h"
#include "ui/window.h"

namespace rayscope {

/// Two film textures, of which the second fills in where the first has no samples yet.
struct FilmTextures {
    unsigned film = 0;
    unsigned previous = 0;
    bool ready = false;  ///< `film` may be shown
    bool full = false;   ///< `film` has samples everywhere: `previous` is not needed
};

/// Draws a film over the whole window with shaders/present.{vert,frag}.
class Presenter {
public:
    /// Reads the shaders from the folder. Throws std::runtime_error with a sentence that names the
    /// path, or the compiler's log.
    explicit Presenter(const std::string& folder);
    ~Presenter();
    Presenter(const Presenter&) = delete;
    Presenter& operator=(const Presenter&) = delete;

    void draw(const FilmTextures& textures, const DisplayTransform& display, const View& view,
              Size framebuffer) const;

private:
    unsigned full_ = 0;          ///< program for films without gaps
    unsigned withPrevious_ = 0;  ///< and for those with
    unsigned vertices_ = 0;
};

}  // namespace rayscope
