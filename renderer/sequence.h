#pragma once

#include <string>
#include <vector>

#include "renderer/offscreen_film.h"
#include "renderer/renderer.h"
#include "renderer/state.h"

namespace rayscope {

struct SequenceWish {
    State state;               ///< all but the camera
    std::vector<Camera> keys;  ///< of the path, two or more
    int frames = 0;
    int width = 0, height = 0;
    int spp = 0;       ///< samples a pixel
    std::string path;  ///< "folder/name.png": frames are name-0001.png and so on
};

/// A job that renders a camera's path to numbered PNG files, each with the state in it. Frames that
/// are written stay when it is given up.
class Sequence {
public:
    /// The renderer has the scene.
    Sequence(Renderer& renderer, SequenceWish wish);

    /// Does about so much work; true when it is done or has failed. Throws std::runtime_error where
    /// a device fails.
    bool step(double budgetMs);
    double share() const;
    int written() const { return written_; }
    /// Why it stopped, or an empty string.
    const std::string& problem() const { return problem_; }

private:
    Camera camera() const;
    void write();

    Renderer& renderer_;
    SequenceWish wish_;
    OffscreenFilm film_;
    int written_ = 0;
    bool begun_ = false;  ///< the present frame has samples of its kernel and camera alone
    std::string problem_;
};

/// "folder/name-0007.png" for frame 6 of fewer than ten thousand.
std::string frameFile(const std::string& path, int frame, int frames);

/// The state's bookmarks, in their order.
std::vector<Camera> keysOf(const State& state);

}  // namespace rayscope
