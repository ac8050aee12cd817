#pragma once

#include "ui/feature.h"
#include "ui/ladder_climb.h"
#include "ui/ladder_reach.h"

namespace rayscope {

/// What the guided tour says of a rung.
struct TourText {
    std::string place;      ///< "3 of 24"
    std::string changes;    ///< "memory=pinned"; empty: none
    std::string predicted;  ///< the published gain, or that there is none; never empty
    std::string measured;   ///< here; empty: not yet
    std::string problem;    ///< why it does not run here; empty: it does
};
TourText tourText(const LadderClimb& climb, int rung);

/// Of what a rung gains over the one before; a slow-down is no gain.
ImVec4 gainColor(const LadderClimb& climb, int rung);

/// The rungs of a ladder: a user enters one, climbs all, or takes a tour through them, whose card
/// lies over the picture.
class LadderTab : public Tab {
public:
    /// `open` opens the renderers that measure rungs, when they are first needed.
    explicit LadderTab(std::function<Machine()> open, ClimbWish wish = {})
        : Tab("ladder", "Ladder"), climb_(std::move(open), std::move(wish)) {}

    void key(const KeyPress& press, Frame& frame) override;
    void drawPanel(const Ui& ui) override;
    float width(const Theme& theme) const override;
    void draw(const Ui& ui) override;
    void act(Frame& frame) override;
    void step(Frame& frame) override;
    /// "tour": the rung that it is at, or -1. "ladder": {"name", "rung", "climbing", "rungs":
    /// [{"name", "value" (rays a second or seconds), "figure", "reason", "skipped"}]}
    void describe(const Frame& frame, nlohmann::json& status) const override;
    void leaveGpu(Frame&) override { climb_.reopen(); }
    /// "climbing 3 of 24: 40 s"
    std::string doing() const override;
    bool measuring() const override { return climb_.measuring(); }
    bool working() const override { return climb_.measuring(); }
    Backend processor(const Frame&) const override { return climb_.backend(); }
    void work(Frame& frame, double ms) override { frame.say(climb_.step(ms)); }
    bool needsSilence() const override { return climb_.elsewhere(); }

    const LadderClimb& climb() const { return climb_; }
    /// Shows another ladder.
    void choose(const std::string& name, Frame& frame) {
        tour_ = -1;
        chosen_ = name;
        frame.warn(climb_.choose(name));
    }
    /// Adds the present settings to the user's own ladder, enters the rung, and keeps what is
    /// measured of it.
    void addRung(Frame& frame);
    /// Measures all rungs, and shows the current one meanwhile.
    void start(Frame& frame);
    void cancel() { climb_.cancel(); }
    /// Shows the settings and scene of the rung; returns why it cannot, or an empty string. The
    /// view stays if both scenes have the same camera.
    std::string enter(int rung, Frame& frame);
    /// Back to what was shown before the first rung was entered.
    void goBack(Frame& frame);
    /// Goes to this rung of the tour and enters it if it runs here; below 0: ends the tour.
    void tour(int rung, Frame& frame);

private:
    void drawChooser(const Ui& ui);
    void drawButtons(const Ui& ui);
    void drawBack(const Ui& ui);
    void drawReach(const Ui& ui);
    const LadderReach& reach(const std::string& ladder, const Frame& frame) {
        return reaches_.of(ladder, frame.backends, frame.state.settings.backend);
    }
    void keep(const State& state);
    void drawRungs(const Ui& ui, float room);
    void drawTourButtons(const Ui& ui);

    LadderClimb climb_;
    void keepAdded(Frame& frame);

    std::vector<std::string> names_ = ladderNames();
    std::string chosen_;  ///< a name, or the file of the user's own
    int added_ = -1;      ///< rung of the user's ladder that is being measured
    LadderReaches reaches_;
    std::optional<State> before_;  ///< that was shown before the first rung was entered
    int tour_ = -1;
};

}  // namespace rayscope
