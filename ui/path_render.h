#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "renderer/devices/machine.h"
#include "renderer/lab/sequence.h"
#include "ui/window.h"

namespace rayscope {

/// What is chosen for a path.
struct PathChoice {
    int frames = 120;
    int samples = 64;  ///< a pixel
};

/// Renders the path through a state's bookmarks beside the picture, with a film and renderers of
/// its own.
class PathRender {
public:
    explicit PathRender(std::function<Machine()> open) : open_(std::move(open)) {}

    /// Frames go into the folder, which is made. A sentence where it cannot begin.
    std::string start(const State& state, Size size, const PathChoice& choice,
                      const std::string& folder);
    /// Goes on for about so long; a sentence when it has ended in it.
    std::string step(double budgetMs);
    /// Frames that are written stay; a sentence where it was running.
    std::string cancel();

    bool running() const { return sequence_ != nullptr; }
    double share() const { return sequence_ ? sequence_->share() : 0; }
    /// "path: 3 of 120 frames"; empty where nothing runs.
    std::string text() const;

private:
    bool hierarchyReady(const State& state, double waitMs);
    std::string end(std::string problem);

    std::function<Machine()> open_;
    std::optional<Machine> machine_;
    std::unique_ptr<Sequence> sequence_;
    std::string folder_;
    int frames_ = 0;
};

}  // namespace rayscope
