#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/choices/state.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/lab/helpers.h"
#include "renderer/lab/trial.h"

namespace rayscope {

/// Which frames of a sequence are rendered here: usually from the first to the last, but one that
/// comes back from somebody who is gone is an earlier one.
class Frames {
public:
    virtual ~Frames() = default;
    /// Nothing while there is nothing to do but to wait.
    virtual std::optional<int> next() = 0;
    virtual void written(int frame) = 0;
    virtual bool over() = 0;
    virtual int done() const = 0;  ///< frames that are written, wherever
};

/// All of them, or with helpers those that these do not render.
std::unique_ptr<Frames> allFrames(int count, Helpers* helpers = nullptr);

struct SequenceWish {
    State state;               ///< all but the camera
    std::vector<Camera> keys;  ///< of the path; of a single one the camera stays there
    int frames = 0;
    int width = 0, height = 0;
    int spp = 0;           ///< samples a pixel
    std::string path;      ///< "folder/name.png": frames are name-0001.png and so on
    bool watched = false;  ///< Session::setWatched()
    bool moves = false;    ///< a scene that moves does so: Settings::steps from frame to frame
    /// What the frames become in the end, after which they are removed (movie.h); empty: they stay.
    std::string movie{};
    int fps = 30;  ///< of the movie
};

/// A job that renders a camera's path, or a scene that moves, to numbered PNG files, each with the
/// state in it: bodies then stand where they are in the picture. A frame is written on another
/// thread while the next one renders. Frames that are written stay when it is given up. Where a
/// movie is asked for, they become one in the end.
class Sequence : public SteppedJob {
public:
    /// The renderer has the scene, and has it again in the end.
    Sequence(Renderer& renderer, SequenceWish wish);
    /// `elsewhere`: frames of the same sequence are rendered in other processes, too.
    Sequence(Renderer& renderer, SequenceWish wish, std::unique_ptr<Frames> elsewhere);

    /// Gives up a movie under way.
    ~Sequence() override { filming_ = false; }

    double share() const override;
    /// Waits for the file under way.
    void cancel() override;
    const State& state() const { return wish_.state; }
    int written() const { return frames_->done(); }
    /// The frames are there and become a movie.
    bool filming() const { return filming_; }

private:
    Camera camera() const;
    Steps run() override;
    void write();
    bool fileWritten();
    void simulate();
    void move();
    void beginMovie();
    bool movieMade();

    Renderer& renderer_;
    SequenceWish wish_;
    OffscreenFilm film_;
    std::unique_ptr<Simulator> simulator_;  ///< of SequenceWish::moves
    SharedScene scene_;                     ///< of the present frame
    std::unique_ptr<Frames> frames_;
    int frame_ = 0;                  ///< that is being rendered
    int moved_ = 0;                  ///< the frame in which the bodies are
    int filed_ = 0;                  ///< the frame of `file_`
    std::unique_ptr<FilmRun> run_;   ///< of the present frame
    std::future<std::string> file_;  ///< of the frame before; a sentence where it failed
    std::atomic<bool> filming_ = false;
    std::future<std::string> movie_;  ///< a sentence where it failed
};

/// "folder/name-0007.png" for frame 6 of fewer than ten thousand.
std::string frameFile(const std::string& path, int frame, int frames);

/// The state's bookmarks, in their order.
std::vector<Camera> keysOf(const State& state);

}  // namespace rayscope
