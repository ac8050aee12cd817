#pragma once

#include "renderer/lab/ladder.h"
#include "ui/feature.h"
#include "ui/laboratory.h"
#include "ui/ladder_reach.h"

namespace rayscope {

/// Experiments, and what they have found out.
class LabTab : public Tab {
public:
    explicit LabTab(std::function<Machine()> open);

    void key(const KeyPress& press, Frame& frame) override;
    void drawPanel(const Ui& ui) override;
    /// "lab": {"running", "share", "items", "answered", "history"} and of what is shown
    /// "where" and "elsewhere" (LabRecord)
    void describe(const Frame& frame, nlohmann::json& status) const override;
    void leaveGpu(Frame&) override { lab_.reopen(); }
    /// "all switches: 2 min 10 s"
    std::string doing() const override;
    bool measuring() const override { return lab_.running(); }
    bool working() const override { return lab_.running(); }
    Backend processor(const Frame&) const override { return lab_.backend(); }
    void work(Frame& frame, double ms) override { frame.say(lab_.step(ms)); }

    const Laboratory& lab() const { return lab_; }
    /// Settings to be in, with this scene where it is another one.
    void take(const Settings& settings, const SharedScene& scene, Frame& frame);

private:
    void drawFolded(const Ui& ui);
    void drawChoice(const Ui& ui);
    void drawButtons(const Ui& ui);
    void drawHistory(const Ui& ui);
    void drawHint(const Ui& ui);
    void drawPlace(const Ui& ui);
    void drawResult(const Ui& ui, float room);
    void measure(Frame& frame);
    void save(Frame& frame);

    Laboratory lab_;
    std::vector<std::string> ladders_ = ladderNames();
    LadderReaches reaches_;
    LabChoice choice_;
    bool unfolded_ = false;  ///< all experiments are listed
};

// The results of the tab, no higher than `room`.

/// A row and a bar for every item: to the right of the middle is faster. `current`: the item under
/// way, or -1. Returns the one that was clicked, which can be had, or nullptr.
const StudyItem* drawStudy(const Ui& ui, const Study& study, int current, float room);

/// A heat map, likewise.
const StudyItem* drawGrid(const Ui& ui, const Study& study, int current, float room);

/// The rounds of a search, and its winner; true where that was asked for.
bool drawTuned(const Ui& ui, const Autotune& job, bool running, float room);

/// The items in the order in which they stand: of an ended study of single changes, what is worth
/// most first, what is of other work behind the rest.
std::vector<size_t> orderOf(const Study& study, int current);
/// Of worthOf(), else of samples a second: "1.54x", "=" where there is no measurable difference,
/// "?" where nobody can tell.
std::string ratioWord(const StudyItem& item);
/// Of the word: a gain stands out, another picture warns.
ImVec4 ratioColor(const StudyItem& item);
/// Everything that is known of the item.
void itemTooltip(const Ui& ui, const StudyItem& item, const Rect& area);

}  // namespace rayscope
