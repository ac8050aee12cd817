#pragma once

#include <string>

#include "renderer/state.h"
#include "ui/window.h"

namespace rayscope {

/// A film in a texture, as it is to be shown.
struct FilmView {
    unsigned texture = 0;
    Size size;
    long film = 0;       ///< another number: another film
    long upload = 0;     ///< another number: the texture has changed
    bool ready = false;  ///< it may be shown in place of the film before
    bool full = false;   ///< it has samples everywhere
};

/// Shows a film in the whole window: shaders/present.{vert,frag} turn it into a picture of its own
/// size, only when it has changed, and the picture is scaled to the window. Until a new film is
/// ready the picture of the one before stays, and fills the gaps of the new one.
class Presenter {
public:
    /// Reads the shaders from the folder. Throws std::runtime_error with a sentence that names the
    /// path, or the compiler's log.
    explicit Presenter(const std::string& folder);
    ~Presenter();
    Presenter(const Presenter&) = delete;
    Presenter& operator=(const Presenter&) = delete;

    void draw(const FilmView& film, const DisplayTransform& display, const View& view,
              Size framebuffer);

private:
    /// 8 bits a channel.
    struct Picture {
        unsigned texture = 0, framebuffer = 0;
        Size size;
        void resize(Size wanted);
        void release();
    };

    void develop(const FilmView& film, const DisplayTransform& display, const View& view) const;

    unsigned full_ = 0;          ///< program for films without gaps
    unsigned withPrevious_ = 0;  ///< and for those with
    unsigned vertices_ = 0;
    Picture picture_, previous_;
    bool shown_ = false;  ///< picture_ has been on the screen
    FilmView developed_;  ///< what picture_ was made from
    DisplayTransform display_;
    View view_;
};

}  // namespace rayscope
