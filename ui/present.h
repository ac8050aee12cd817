#pragma once

#include <optional>

#include "renderer/choices/state.h"
#include "renderer/lab/divergence.h"
#include "ui/window.h"

namespace rayscope {

/// A film in a texture, as it is to be shown.
struct FilmView {
    unsigned texture = 0;
    Size size{};
    long film = 0;       ///< another number: another film
    long upload = 0;     ///< another number: the texture has changed
    bool ready = false;  ///< it may be shown in place of the film before
    bool full = false;   ///< it has samples everywhere
    bool operator==(const FilmView&) const = default;
};

/// The columns of a window, from `left` to before `right`, that a picture covers which is as high
/// as it: all of them, or fewer or more where the window had another shape when the picture was
/// made. A camera's field of view is that of its height, so what is seen in both stays in its
/// place.
struct Columns {
    int left = 0, right = 0;
    bool operator==(const Columns&) const = default;
};
Columns columnsOf(Size picture, Size window);

/// Shows films in the whole window: shaders/present.{vert,frag} turn each into a picture of its own
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

    /// Two films as `pinned` has them shown: A's is the first. `wipe`: pixels of the window that
    /// are left of the line.
    /// `noise`: what differences are shown in, see fullScaleOf().
    void draw(FilmView a, FilmView b, const DisplayTransform& display, const View& view,
              const Pinned& pinned, int wipe, Size framebuffer,
              const std::optional<double>& noise = {});

    /// Numbers in false colours; another `number`: another map.
    void drawMap(const CostMap& map, long number, Size framebuffer);

private:
    /// 8 bits a channel.
    struct Picture {
        unsigned texture = 0, framebuffer = 0;
        Size size;
        void resize(Size wanted);
        void copy(const Picture& other);
        void release();
    };

    /// How the picture of a film is made.
    struct Recipe {
        FilmView film{}, pinned{};  ///< a film under `pinned`: the difference of the two
        DisplayTransform display{};
        View view{};
        double fullScale = 0;
        bool withSign = false;
        bool numbers = false;  ///< the film is none
        bool operator==(const Recipe&) const = default;
    };

    /// The picture of a film, and the one before it.
    struct Slide {
        Picture picture, previous;
        bool shown = false;  ///< `picture` has been on the screen
        Recipe made;         ///< what it was made from
    };

    void show(const Picture& picture, Size framebuffer) const;
    void showSplit(const Picture& left, const Picture& right, int wipe, Size framebuffer) const;
    const Picture& pictureOf(Slide& slide, const Recipe& recipe);
    void develop(const Slide& slide, const Recipe& recipe) const;

    unsigned full_ = 0;          ///< program for films without gaps
    unsigned withPrevious_ = 0;  ///< for those with
    unsigned difference_ = 0;    ///< for the difference of two
    unsigned numbers_ = 0;       ///< and for numbers
    unsigned vertices_ = 0;
    Slide slide_, pinned_, differences_, maps_;
    FilmView map_{.ready = true, .full = true};  ///< the numbers of the last map, in one channel
    bool beside_ = false;                        ///< the last picture was of two films
};

/// The difference in radiance that gets the last colour: 2^(kNoiseStops - gain) standard errors of
/// a difference; where these are not known yet, what would be white, under the gain.
inline constexpr double kNoiseStops = 7;
double fullScaleOf(const Pinned& pinned, const DisplayTransform& display, const View& view,
                   const std::optional<double>& noise = {});

}  // namespace rayscope
