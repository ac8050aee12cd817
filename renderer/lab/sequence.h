#pragma once

#include <future>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/choices/state.h"
#include "renderer/devices/offscreen_film.h"

namespace rayscope {

struct SequenceWish {
    State state;               ///< all but the camera
    std::vector<Camera> keys;  ///< of the path, two or more
    int frames = 0;
    int width = 0, height = 0;
    int spp = 0;           ///< samples a pixel
    std::string path;      ///< "folder/name.png": frames are name-0001.png and so on
    bool watched = false;  ///< Film::watched
};

/// A job that renders a camera's path to numbered PNG files, each with the state in it. A frame is
/// written on another thread while the next one renders. Frames that are written stay when it is
/// given up.
class Sequence {
public:
    /// The renderer has the scene.
    Sequence(Renderer& renderer, SequenceWish wish);

    /// Does about so much work; true when it is done or has failed. Throws std::runtime_error where
    /// a device fails.
    bool step(double budgetMs);
    const State& state() const { return wish_.state; }
    double share() const;
    int written() const { return written_; }
    /// Why it stopped, or an empty string.
    const std::string& problem() const { return problem_; }

private:
    Camera camera() const;
    void render(double budgetMs);
    void write();
    void awaitFile(double atMostMs);
    bool rendered() const { return begun_ && film_.film().done(); }
    bool ended() const { return !problem_.empty() || written_ >= wish_.frames; }

    Renderer& renderer_;
    SequenceWish wish_;
    OffscreenFilm film_;
    int frame_ = 0;  ///< that is being rendered
    int written_ = 0;
    bool begun_ = false;  ///< the present frame has samples of its kernel and camera alone
    std::string problem_;
    std::future<std::string> file_;  ///< of the frame before; a sentence where it failed
};

/// "folder/name-0007.png" for frame 6 of fewer than ten thousand.
std::string frameFile(const std::string& path, int frame, int frames);

/// The state's bookmarks, in their order.
std::vector<Camera> keysOf(const State& state);

}  // namespace rayscope
