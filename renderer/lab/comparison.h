#pragma once

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "renderer/choices/state.h"
#include "renderer/code/code_verdict.h"
#include "renderer/lab/equal_work.h"
#include "renderer/lab/trial.h"
#include "renderer/machine/conditions.h"

namespace rayscope {

/// One side of a comparison. The renderer has the scene already; both sides may share it.
struct Contestant {
    Renderer* renderer = nullptr;
    Settings settings;
};

/// What both sides are told, each with settings of its own, and when it is enough.
struct CompareWish : TrialWish {
    CompareWish() { warmUpMs = 1500; }
    /// Give up narrowing the interval after this long, warm-up apart; if it is short, passes are.
    double seconds = 10;
    double halfWidth = .005;  ///< narrow enough, relative to the ratio
    /// Who looks for the fastest settings need not know by how much B is slower: the time spent, it
    /// ends after two rounds in each of which B took four times as long as A, without an interval.
    /// On the CPU there are fewer rounds, whose dependence is not seen.
    bool onlyFaster = false;
    std::uint32_t seed = 1;  ///< of the order of passes
};

/// noDifference: 1 lies within a narrow interval. cannotTell: the interval is wide, or leaves out 1
/// while the stricter one, which decides, does not.
enum class Speed { faster, slower, noDifference, cannotTell };

/// "faster", "slower", "no difference", "cannot tell".
std::string_view nameOf(Speed speed);

/// Of a factor and its 95 % interval. `surely`: it is not 1 by a stricter interval.
Speed verdictOf(const Interval& ratio, bool surely);

/// How fast B is against A.
struct CompareResult {
    std::array<Measurement, 2> sides;
    /// Rays a second of each side, over the passes and by the clock that the ratios are made of.
    std::array<Spread, 2> rates;
    /// B's rays a second over A's, 95 %; `samples` where a side does not count its rays
    /// (Variant::countRays).
    Interval rays;
    Interval
        samples;  ///< B's samples a second over A's, 95 %: the same unless a sample's work differs
    /// The 99 % interval of the samples' ratio leaves out 1. Stricter than the interval that is
    /// shown, so that hardly any of many comparisons finds a difference where there is none.
    bool measurable = false;
    bool narrow = false;  ///< the interval is as narrow as was wished
    /// The ratios are those of this clock: the workers' processor time where other programs took
    /// too much of the cores for the wall's.
    PassClock clock = PassClock::kernel;
    double waited = 0;  ///< part of their time that the workers waited for a core, 0 to 1
    int rounds = 0;
    double tookMs = 0;  ///< without compiling and warming up

    Speed speed() const { return verdictOf(samples, measurable); }
};

/// Interleaved passes of A and B: a round is one of each, turn by turn, the first in random order,
/// and gives a ratio. Warms both up until they are stable, then goes on until the interval is
/// narrow or the time is spent. Of a CPU a slow picture is compared at a smaller size.
class Comparison : public SteppedJob {
public:
    Comparison(const Contestant& a, const Contestant& b, const CompareWish& wish);

    double share() const override;
    /// What is known so far; complete when step() has returned true.
    CompareResult result() const;

private:
    Steps run() override;
    bool failed(const Trial& side);
    void alignPictures();
    void alignPasses();
    Evidence evidence() const;
    bool hopeless() const;

    bool onCpu_;  ///< both sides
    CompareWish wish_;
    std::array<std::unique_ptr<Trial>, 2> sides_;
    NarrowInterval stopping_;
    std::uint32_t random_;
    int rounds_ = 0;
    double spentMs_ = 0;
};

struct PairWish {
    CompareWish speed;
    /// Nothing: the work is not compared.
    std::optional<EqualWorkWish> work;
    /// Of both together, compiling apart, in place of CompareWish::seconds: the work is compared in
    /// a smaller picture than wished, if it would take longer. 0: however long they take.
    double seconds = 0;
};

/// All that is said about two settings: how fast B is against A, whether that is the same work, and
/// under which conditions it was measured.
struct PairResult {
    CompareResult speed;
    std::optional<EqualWorkResult> work;
    std::string noWork;             ///< why the work was not compared; empty where it was
    ConditionsSummary conditions;   ///< of B's processor
    ConditionsSummary conditionsA;  ///< of A's; the same where they share one
    bool oneProcessor = true;
    bool complete = true;  ///< else it was interrupted
    CodeVerdict code;      ///< for whoever knows the scene to find out

    /// Whether B's image differs from A's by more than chance.
    bool different() const { return work && work->verdict == Verdict::different; }
};

/// 1 / (variance * time) of B over that of A, 95 %, in pictures of the size that was timed, on
/// which it depends: what is gained where one side needs more samples for the same noise. Nothing
/// unless the expectation alone is the same.
std::optional<Interval> efficiencyOf(const PairResult& result);

/// A job: the times of two settings, then their work. Of `watches` it takes those of its
/// processors.
class PairJob : public SteppedJob {
public:
    PairJob(const Contestant& a, const Contestant& b, const PairWish& wish, Watches& watches);

    double share() const override;
    /// What is known so far; complete when step() has returned true.
    PairResult result() const;

private:
    Steps run() override;
    EqualWorkWish fittingWork() const;

    Contestant a_, b_;
    PairWish wish_;
    Comparison comparison_;
    std::unique_ptr<EqualWork> work_;
    ConditionsWatch &watchA_, &watchB_;  ///< one, where they share a processor
};

/// What was compared with what, in words and in numbers.
struct ComparedPair {
    State state;  ///< scene and camera of both; its settings are A's
    Settings b;
    int width = 0, height = 0;
};

/// "1.543x [1.532, 1.554]"
std::string timesText(const Interval& ratio);

/// "B is 1.54x A [1.53, 1.55]", "B is probably 1.14x A [1.01, 1.28], not surely", "no measurable
/// difference [0.998, 1.003]" or "cannot tell which is
/// faster [0.21, 3.40]".
std::string sentenceOf(const CompareResult& result);

/// Of launches that hardly fill a GPU, which says that the ratio hangs on the picture's size; empty
/// where they do.
std::string fillSentence(const CompareResult& result);

/// The same with the verdict, "B is 1.54x A [1.53, 1.55], same rays".
std::string sentenceOf(const PairResult& result);

/// A line for each side, the sentence, and what it rests on: the work, the efficiency where the
/// work differs, the conditions. `colour`: for a terminal, what warns is red.
std::string tableOf(const ComparedPair& pair, const PairResult& result, bool colour = false);

/// Numbers that are not finite become null.
nlohmann::json toJson(const Interval& interval);
nlohmann::json toJson(const EqualWorkResult& work);

/// Ratios, sides with their settings, work and conditions of one pair.
nlohmann::json toJson(const PairResult& result, const Settings& a, const Settings& b);

/// Everything that is needed to repeat it, and what came out.
nlohmann::json reportOf(const ComparedPair& pair, const PairResult& result);

}  // namespace rayscope
