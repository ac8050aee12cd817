#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/devices/backends.h"
#include "renderer/lab/run_ladder.h"

namespace rayscope {

/// Where a rung stands on this machine.
struct Standing {
    SharedScene scene;
    Settings settings;                 ///< that the window takes to show it
    std::string reason;                ///< why it cannot be had; empty where it can
    std::optional<RungResult> result;  ///< when it was last measured, or could not be

    bool measured() const { return result && result->problem.empty(); }
    /// Why the last measurement left it out.
    std::string skipped() const { return result ? result->problem : std::string(); }
};

/// The ladder that the window shows: in which rung the state is, what was measured of each, and the
/// job that measures them, all or one, with films and renderers of its own: the same as `rayscope
/// ladder` plays, so that a rung has one figure. It changes no state, but says which rung to enter.
class LadderClimb {
public:
    /// `wish`: of its runs; `open` opens the renderers when they are needed first.
    explicit LadderClimb(
        std::function<Machine()> open = [] { return openMachine(); }, ClimbWish wish = {})
        : open_(std::move(open)), wish_(std::move(wish)) {}

    /// Shows another ladder; results of those shown before stay. A sentence where it cannot be
    /// read.
    std::string choose(const std::string& name);

    /// Reads one again whose file has changed, and shows it; what was measured of its rungs stays.
    std::string reload(const std::string& name);

    /// nullptr before the first was chosen.
    const Ladder* ladder() const { return shown_ ? &shown_->ladder : nullptr; }
    const std::vector<Standing>& standings() const { return shown_->standings; }

    /// Higher is faster; nothing before the rung was measured.
    std::optional<double> speed(int rung) const;
    /// "350.7 Mrays/s", by the rung's own clock; empty before it was measured.
    std::string figure(int rung) const;
    /// "half of its passes: 340.1 to 352.9 Mrays/s"; empty before it was measured.
    std::string spread(int rung) const;
    /// Why the figure may be too low, such as other programs on the same cores; else empty.
    std::string warning(int rung) const;
    /// How many times as fast as measuredBefore() it is; nothing where one of both is not measured.
    std::optional<double> gain(int rung) const;
    /// The nearest on the way to this rung that is measured in the same kind of unit; -1: none.
    int measuredBefore(int rung) const;

    /// Finds out what can be had and where the state is.
    void look(const Backends& backends, const State& state);
    /// The rung whose settings and scene are the state's, or -1.
    int current() const { return current_; }

    /// Begins to measure all rungs.
    void start();
    /// The state is in the rung now, which begins to be measured where nobody climbs.
    void entered(int rung);
    /// Goes on measuring for about so long; a sentence when a climb, or the CPU, has come to its
    /// end.
    std::string step(double budgetMs);
    /// What was measured stays.
    void cancel();
    /// Likewise; the next run opens renderers anew.
    void reopen();

    bool measuring() const { return run_ != nullptr; }
    /// All rungs are being measured.
    bool climbing() const { return climbing_; }
    /// Until all rungs are; nothing where that is not known.
    std::optional<double> secondsLeft() const {
        return climbing_ ? run_->secondsLeft() : std::nullopt;
    }
    /// The rung that is being measured, or -1,
    int target() const { return run_ ? run_->current() : -1; }
    /// the processor that it uses,
    Backend backend() const { return standings()[target()].settings.backend; }
    /// and whether it wants the machine for itself.
    bool elsewhere() const { return run_ && run_->elsewhere(); }

    /// The rung that the climb has come to, once; nothing where it cannot be entered. Ends the
    /// climb where somebody else has changed the settings.
    std::optional<int> next();

    /// What is known of its rungs, as the command's --json has it; null where nothing is.
    const nlohmann::json& report() const { return shown_->report; }

    /// What was found out of a rung.
    void take(const RungResult& result) { shown_->standings[result.rung].result = result; }

private:
    struct Shown {
        Ladder ladder;
        std::vector<Standing> standings;
        nlohmann::json report{};
    };
    bool matches(int rung, const State& state) const;
    void keepReport();
    std::string begin(std::optional<int> rung);

    std::function<Machine()> open_;
    ClimbWish wish_;
    std::optional<Machine> machine_;
    std::unique_ptr<LadderRun> run_;
    std::size_t taken_ = 0;  ///< results of the run
    std::map<std::string, Shown> known_;
    Shown* shown_ = nullptr;
    int current_ = -1, entered_ = -1, offered_ = -1;
    bool climbing_ = false;
    std::string problem_;  ///< why there is no run, to be said
};

}  // namespace rayscope
