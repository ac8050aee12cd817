#pragma once

#include <string>

#include "ui/tracer.h"
#include "ui/versus.h"

namespace rayscope {

/// The films of two tracers for one frame: of the same camera and size, whatever each of them would
/// choose alone.
class VersusFilms : public SideFilms {
public:
    VersusFilms(Backends& backends, Tracer& a, const Tracer::Wish& wishA, Tracer& b,
                const Tracer::Wish& wishB);

    bool align() override;
    void restart(Side side) override { at(side).restart(); }
    FrameStats trace(Side side, double budgetMs) override;
    const Film& film(Side side) const override { return sides_[index(side)].tracer.film(); }
    FrameStats finish(Side side) override { return at(side).finish(); }
    KernelInfo kernel(Side side) const override { return sides_[index(side)].tracer.kernel(); }
    long number(Side side) const override { return sides_[index(side)].tracer.films(); }
    std::vector<Pixel> fetch(Side side) override { return at(side).samplePixels(); }

    /// A sentence for the user where something fell back.
    const std::string& message() const { return message_; }

private:
    struct Pair {
        Tracer& tracer;
        Tracer::Wish wish;
    };
    static size_t index(Side side) { return static_cast<size_t>(side); }
    Tracer& at(Side side) { return sides_[index(side)].tracer; }

    Backends& backends_;
    std::array<Pair, 2> sides_;
    std::string message_;
};

}  // namespace rayscope
