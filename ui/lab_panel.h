#pragma once

#include <string>
#include <vector>

#include "ui/lab_drive.h"
#include "ui/panels.h"

namespace rayscope {

/// What the Lab tab shows.
struct LabFacts {
    const Laboratory& lab;
    const State& state;
    const std::vector<std::string>& ladders;

    /// What is shown, as far as it has come.
    const Study& study() const { return lab.study(); }
};

void drawLabPanel(const Ui& ui, const LabFacts& facts, LabChoice& choice, LabRequests& requests);

// The results of the tab, no higher than `room`.

/// A row and a bar for every item: to the right of the middle is faster. `current`: the item under
/// way, or -1.
void drawStudy(const Ui& ui, const Study& study, int current, float room, LabRequests& requests);

/// A heat map.
void drawGrid(const Ui& ui, const Study& study, int current, float room, LabRequests& requests);

/// The rounds of a search, and its winner.
void drawTuned(const Ui& ui, const LabRecord& record, bool running, float room,
               LabRequests& requests);

/// "1.54x", "=" where there is no measurable difference.
std::string ratioWord(const StudyItem& item);
/// Of the word: what is faster stands out, other work warns.
ImVec4 ratioColor(const StudyItem& item);
/// Everything that is known of the item.
void itemTooltip(const Ui& ui, const StudyItem& item);

}  // namespace rayscope
