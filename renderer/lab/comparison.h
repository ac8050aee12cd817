#pragma once

#include <array>
#include <memory>

#include "renderer/lab/trial.h"

namespace rayscope {

/// One side of a comparison. The renderer has the scene already; both sides may share it.
struct Contestant {
    Renderer* renderer = nullptr;
    Settings settings;
};

/// What both sides are told, each with settings of its own, and when it is enough.
struct CompareWish : TrialWish {
    CompareWish() { warmUpMs = 1500; }
    double seconds = 10;      ///< give up narrowing the interval after this long, warm-up apart
    double halfWidth = .005;  ///< narrow enough, relative to the ratio
    std::uint32_t seed = 1;   ///< of the order of passes
};

/// How fast B is against A.
struct CompareResult {
    std::array<Measurement, 2> sides;
    /// B's rays a second over A's, 95 %; `samples` where a side does not count its rays
    /// (Variant::countRays).
    Interval rays;
    Interval
        samples;  ///< B's samples a second over A's, 95 %: the same unless a sample's work differs
    /// The 99 % interval of the samples' ratio leaves out 1. Stricter than the interval that is
    /// shown, so that hardly any of many comparisons finds a difference where there is none.
    bool measurable = false;
    bool narrow = false;  ///< the interval is as narrow as was wished
    int rounds = 0;
};

/// Interleaved passes of A and B: a round is one of each, in random order, and a ratio. Warms both
/// up until they are stable, then goes on until the interval is narrow or the time is spent.
class Comparison : public Job {
public:
    Comparison(const Contestant& a, const Contestant& b, const CompareWish& wish);

    bool step(double budgetMs) override;
    double share() const override;
    /// What is known so far; complete when step() has returned true.
    CompareResult result() const;

private:
    bool warmUp();
    void alignPasses();
    void playRound();
    Evidence evidence() const;

    CompareWish wish_;
    std::array<std::unique_ptr<Trial>, 2> sides_;
    NarrowInterval stopping_;
    std::uint32_t random_;
    int first_ = 0;   ///< of this round
    int played_ = 0;  ///< passes of this round
    int rounds_ = 0;
    double spentMs_ = 0;
    bool warm_ = false, ended_ = false;
};

}  // namespace rayscope
