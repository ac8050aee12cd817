#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/elapsed.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/state.h"
#include "renderer/lab/study.h"

namespace rayscope {

/// `seconds`: for a candidate of the first rounds; doubles for the best of them.
struct AutotuneWish : StudyWish {
    AutotuneWish() { seconds = .1; }
    int candidates = 24;     ///< of the first round that combines changes
    double climb = 45;       ///< seconds for climbs in what is neither block nor launch
    std::uint32_t seed = 1;  ///< of the choice of candidates
};

/// Settings in a round, and how fast they were against the settings that the search began with.
struct Candidate {
    Settings settings;
    std::string problem{};  ///< why it was not measured; empty where it was
    Interval ratio{};       ///< zeros before it was measured
    bool kept = false;      ///< went on to the next round
};

struct AutotuneRound {
    std::string name;    ///< "single changes", "24 combinations", "the best 6"
    double seconds = 0;  ///< a candidate had
    /// What its candidates were measured beside, whose own ratio is taken as it was measured.
    Candidate reference;
    std::vector<Candidate> candidates{};
    double took = 0;  ///< seconds, of the round
};

/// The measured candidates of a round, the fastest first.
std::vector<const Candidate*> ranking(const AutotuneRound& round);
constexpr size_t kShownCandidates = 3;  ///< of a round, where one looks at a search

/// A job that looks for the fastest settings among those that trace the same paths. First each
/// single change is measured; then combinations are drawn in which a value is the likelier the
/// faster it was alone; engines have equal weights, as each has axes of its own, but one that alone
/// is ten times slower has none. From the best it climbs: each single change of it, which may be
/// one that only now is possible, then the best changes together; what has lost a tenth is not
/// tried again. It climbs once from the best of each engine that is not too far behind, and then,
/// while there is time, on from those that have gained. Blocks and caps on registers follow, as the
/// best ones depend on one another and on all else. The samples of a launch come last, because
/// large launches take long to measure. Changes are measured beside the best, because the beginning
/// may take many times as long. Then successive halving: the best six, and the better half of them,
/// are measured beside the beginning twice as long each time (Jamieson and Talwalkar 2016,
/// "Non-stochastic Best Arm Identification and Hyperparameter Optimization"). The best that does
/// the same work as the beginning wins.
class Autotune : public SteppedJob {
public:
    /// The renderer has the scene; `settings` can be had.
    Autotune(Machine& machine, const Settings& settings, const SharedScene& scene,
             const AutotuneWish& wish);

    bool step(double budgetMs) override;
    double share() const override;
    std::string label() const override;
    void cancel() override;

    const Settings& start() const { return start_; }
    /// That is measured.
    const DeviceInfo& device() const { return device_; }
    /// So far; the last may be under way.
    const std::vector<AutotuneRound>& rounds() const { return rounds_; }
    /// When it is done: the fastest settings, which may be those of the beginning.
    const Settings& winner() const { return winner_; }
    /// The winner against the beginning; nothing where it is the beginning.
    const std::optional<PairResult>& proof() const { return proof_; }
    /// Faster settings that were turned down, and why.
    const std::vector<std::string>& rejected() const { return rejected_; }

private:
    double expectedSeconds() const override;
    Steps run() override;
    void begin(const std::string& name, const std::vector<Settings>& settings, double seconds,
               const Candidate& reference);
    void compare(const Settings& reference, const std::vector<Settings>& candidates, double seconds,
                 bool work);
    void take();
    void keepInLast(const std::vector<Settings>& settings);
    bool accept(const StudyItem& item);
    /// Axes are climbed in part by part: most, then block and max_registers, then samples.
    enum class Part { code, blocks, launches };
    static Part partOf(const Axis& axis);
    struct Single {
        const Axis* axis;
        int value;
        Settings settings;
    };
    std::vector<Single> singlesOf(const Settings& settings, Part part) const;
    /// Begins a round of those that no climb with this engine has shown to be losses, the most
    /// promising first. False: there are none.
    bool climbFrom(const Candidate& best, Part part);
    /// Begins a round of climbing_.
    void beginSingles(const std::string& name, const Candidate& reference);
    void seeLosses(const Candidate& best, Part part);
    std::vector<Settings> combinations();
    Settings combination();
    void weighSingles();
    /// 1 for values of the beginning and for those that could not be tried alone.
    double weightOf(const Axis& axis, int value) const;
    std::vector<Settings> together(const Candidate& best) const;
    /// All measured settings, the surest to be fast first.
    std::vector<Candidate> fastestSoFar() const;
    /// Where to climb from: the best with an engine not yet climbed with in this part, then the
    /// best with one whose last climb has gained.
    std::optional<Candidate> nextStart(Part part) const;
    double climbsExpected() const;
    double itemsExpected() const;

    Machine& machine_;
    Settings start_, winner_;
    Candidate beginning_;  ///< start_, as a reference
    SharedScene scene_;
    AutotuneWish wish_;
    DeviceInfo device_;
    std::mt19937 random_;
    std::vector<AutotuneRound> rounds_;
    Clock::time_point roundBegan_;
    /// When climbing in Part::code began; empty once it has ended or its time is up.
    std::optional<Clock::time_point> climbingSince_;
    std::unique_ptr<StudyJob> job_;
    /// Of a value alone, from the first round.
    std::map<std::pair<std::string_view, int>, double> weights_;
    struct Climb {
        Variant best{};                                       ///< what the last one began with
        double speed = 0;                                     ///< of that
        std::set<std::pair<std::string_view, int>> losses{};  ///< axes and values
    };
    std::map<std::pair<Engine, Part>, Climb> climbs_;
    std::vector<Single> climbing_;  ///< the last round's of single changes, as it has them
    bool proving_ = false, done_ = false;
    std::optional<PairResult> proof_;
    std::vector<std::string> rejected_;
};

/// Whether its values differ in speed alone (Effect::nothing).
bool tunable(const Axis& axis);

/// What a round was about and its fastest candidates.
std::string roundText(const Autotune& job, size_t round);

/// The winner, how much faster it is, the work, and the options that choose it.
std::string winnerText(const Autotune& job);

/// Everything that is needed to repeat it, and the way to the winner. `state`: scene, camera and
/// settings that the search began with.
nlohmann::json reportOf(const Autotune& job, const AutotuneWish& wish, const State& state);

/// A line for a candidate.
std::string csvOf(const Autotune& job);

}  // namespace rayscope
