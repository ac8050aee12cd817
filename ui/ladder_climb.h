#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/devices/backends.h"
#include "renderer/lab/ladder.h"

namespace rayscope {

/// Where a rung stands on this machine.
struct Standing {
    Settings settings;
    std::string reason;          ///< why it cannot be had; empty where it can
    std::string skipped;         ///< why the last climb left it out
    std::optional<double> rate;  ///< rays a second of kernel time, when it was last measured
};

/// The ladder that the window shows: in which rung the state is, what was measured of each, and the
/// climb that goes through all of them while the picture goes on. It measures nothing itself and
/// changes nothing: it is told the viewer's own rates, and says which rung to enter next.
class LadderClimb {
public:
    /// Shows another ladder; results of those shown before stay. A sentence where it cannot be
    /// read.
    std::string choose(const std::string& name);

    /// nullptr before the first was chosen.
    const Ladder* ladder() const { return shown_ ? &shown_->ladder : nullptr; }
    const std::vector<Standing>& standings() const { return shown_->standings; }
    const Scene& sceneOf(int rung) const {
        return shown_->scenes.at(shown_->ladder.rungs[rung].scene);
    }

    /// The nearest measured rung on the way to this one; -1: none.
    int measuredBefore(int rung) const;

    /// Finds out what can be had and where the state is.
    void look(const Backends& backends, const State& state);
    /// The rung whose settings and scene are the state's, or -1.
    int current() const { return current_; }

    /// `settled`: what was traced since the settings last changed and the rate settled. Enough of
    /// it becomes the rate of the present rung.
    void note(const FrameStats& settled);

    void start();
    void cancel() { climbing_ = false; }
    bool climbing() const { return climbing_; }
    /// The rung that the climb is at.
    int target() const { return target_; }

    /// After a frame of so many seconds: the rung to enter now, or nothing while the present one is
    /// measured. `problem`: why the present one does not run after all. Ends the climb after the
    /// last rung, and where somebody else has changed the settings.
    std::optional<int> next(double seconds, const std::string& problem);
    /// The state is in the rung now.
    void entered(int rung);
    /// It could not be entered.
    void skip(int rung, const std::string& reason);

private:
    struct Shown {
        Ladder ladder;
        std::map<std::string, Scene> scenes;
        std::vector<Standing> standings;
    };
    bool matches(int rung, const State& state) const;

    std::map<std::string, Shown> known_;
    Shown* shown_ = nullptr;
    int current_ = -1, entered_ = -1, target_ = -1;
    bool climbing_ = false;
    bool measured_ = false;  ///< the rung entered last, since then
    double settledMs_ = 0;   ///< of the last note()
    double dwelt_ = 0;       ///< seconds in the target
};

}  // namespace rayscope
