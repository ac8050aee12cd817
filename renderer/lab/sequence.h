#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/choices/state.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/lab/trial.h"

namespace rayscope {

struct SequenceWish {
    State state;               ///< all but the camera
    std::vector<Camera> keys;  ///< of the path; of a single one the camera stays there
    int frames = 0;
    int width = 0, height = 0;
    int spp = 0;           ///< samples a pixel
    std::string path;      ///< "folder/name.png": frames are name-0001.png and so on
    bool watched = false;  ///< Session::setWatched()
    bool moves = false;    ///< a scene that moves does so: Settings::steps from frame to frame
};

/// A job that renders a camera's path, or a scene that moves, to numbered PNG files, each with the
/// state in it: bodies then stand where they are in the picture. A frame is written on another
/// thread while the next one renders. Frames that are written stay when it is given up.
class Sequence : public SteppedJob {
public:
    /// The renderer has the scene, and has it again in the end.
    Sequence(Renderer& renderer, SequenceWish wish);

    double share() const override;
    /// Waits for the file under way.
    void cancel() override;
    const State& state() const { return wish_.state; }
    int written() const { return written_; }

private:
    Camera camera() const;
    Steps run() override;
    void write();
    bool fileWritten();
    void move();

    Renderer& renderer_;
    SequenceWish wish_;
    OffscreenFilm film_;
    std::unique_ptr<Simulator> simulator_;  ///< of SequenceWish::moves
    SharedScene scene_;                     ///< of the present frame
    int frame_ = 0;                         ///< that is being rendered
    int written_ = 0;
    std::unique_ptr<FilmRun> run_;   ///< of the present frame
    std::future<std::string> file_;  ///< of the frame before; a sentence where it failed
};

/// "folder/name-0007.png" for frame 6 of fewer than ten thousand.
std::string frameFile(const std::string& path, int frame, int frames);

/// The state's bookmarks, in their order.
std::vector<Camera> keysOf(const State& state);

}  // namespace rayscope
