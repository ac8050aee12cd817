#pragma once

#include <array>
#include <memory>
#include <string>

#include "renderer/lab/measure.h"
#include "renderer/lab/statistics.h"

namespace rayscope {

/// One side of a comparison. The renderer has the scene already; both sides may share it.
struct Contestant {
    Renderer* renderer = nullptr;
    Settings settings;
};

/// Time of the kernels, or wall time with copies and host work.
enum class CompareClock { kernel, loop };

struct CompareWish {
    Camera camera;
    int width = 0, height = 0;
    CompareClock clock = CompareClock::kernel;
    double seconds = 10;      ///< give up narrowing the interval after this long, warm-up apart
    double halfWidth = .005;  ///< narrow enough, relative to the ratio
    double warmUpMs = 1500;   ///< a side that is not stable by then goes on as it is
    double passMs = 10;       ///< a pass lasts about this long, or one launch
    std::uint32_t seed = 1;   ///< of the order of passes
    /// Where the CPU works, too, a pass is whole launches of Settings::samples, however long they
    /// take.
    bool wholeLaunches = false;
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
class Comparison {
public:
    Comparison(const Contestant& a, const Contestant& b, const CompareWish& wish);
    ~Comparison();

    /// Works for about `budgetMs`; a pass that is not longer is not interrupted. True when it has
    /// ended. Throws std::runtime_error where the device fails.
    bool step(double budgetMs);
    double share() const;  ///< of the work, 0..1; a guess
    /// Why a side cannot be measured; empty where it can.
    const std::string& problem() const { return problem_; }
    /// What is known so far; complete when step() has returned true.
    CompareResult result() const;

private:
    class Side;
    void warmUp(double budgetMs);
    void alignPasses();
    void playRound(double budgetMs);
    void judge();

    CompareWish wish_;
    std::array<std::unique_ptr<Side>, 2> sides_;
    std::uint32_t random_;
    int first_ = 0;   ///< of this round
    int played_ = 0;  ///< passes of this round
    int rounds_ = 0;
    int nextLook_;
    double spentMs_ = 0;
    bool narrow_ = false, ended_ = false;
    std::string problem_;
};

}  // namespace rayscope
