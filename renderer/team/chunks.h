#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/devices/offscreen_film.h"
#include "renderer/film/sample_set.h"
#include "renderer/lab/trial.h"

namespace rayscope {

/// Samples that one rank has rendered, and what they took.
struct Portion {
    std::vector<PixelSum> pixels;
    std::vector<SampleRange> ranges;
    FrameStats stats;
    /// Ranges and statistics as text, without the pixels.
    std::string text() const;
    /// Adds those of such a text.
    void addText(const std::string& text);
};

/// Renders samples of a picture, chunk by chunk. A chunk counts when it is whole.
class Chunks {
public:
    Chunks(Renderer& renderer, const Settings& settings, const Camera& camera, int width,
           int height);

    /// Why it does not render; empty if it does.
    const std::string& problem() const { return problem_; }
    void push(SampleRange chunk) { waiting_.push_back(chunk); }
    std::size_t inHand() const { return waiting_.size() + (run_ ? 1 : 0); }
    struct Rendered {
        SampleRange chunk;
        double ms;  ///< that it took
    };
    /// Renders for about so long; a chunk that became whole. If the device fails there is a
    /// problem.
    std::optional<Rendered> step(double budgetMs);
    /// Of the chunk under way, in samples.
    double underWay() const;
    /// Forgets the chunks in hand.
    void drop();
    /// All whole chunks since the last call.
    Portion take();
    KernelInfo kernel() const { return kernel_; }
    /// Of several devices of this rank, of whole chunks.
    const GroupWork& work() const { return work_; }

private:
    std::optional<Rendered> render(double budgetMs);

    Renderer& renderer_;
    Settings settings_;
    Camera camera_;
    OffscreenFilm film_;
    std::deque<SampleRange> waiting_;
    SampleRange chunk_;
    Clock::time_point began_;
    std::unique_ptr<FilmRun> run_;
    Portion whole_;
    KernelInfo kernel_;
    GroupWork work_;
    std::string problem_;
};

}  // namespace rayscope
