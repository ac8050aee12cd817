#pragma once

#include "ui/axis_memory.h"
#include "ui/axis_search.h"
#include "ui/feature.h"
#include "ui/folding.h"
#include "ui/laboratory.h"

namespace rayscope {

/// The scene, every axis of the table, what the running kernel is, and how the picture is shown:
/// the panel on the left, or a tab where there is room for one panel only.
class KernelPanel : public Tab {
public:
    /// `lab`: what it knows of the alternatives stands beside them.
    explicit KernelPanel(const Laboratory* lab = nullptr) : Tab("kernel", "Kernel"), lab_(lab) {}

    /// Ctrl+F searches the axes; Esc ends that.
    void chord(const Chord& chord, Frame& frame) override;
    void key(const KeyPress& press, Frame& frame) override;
    void drawPanel(const Ui& ui) override;
    void draw(const Ui& ui) override;
    /// "view": {"exposure", "tone_mapper", "shown"}, "search": {"query", "found"} while it is shown
    void describe(const Frame& frame, nlohmann::json& status) const override;
    float width(const Theme& theme) const override;

private:
    const Laboratory* lab_;
    AxisMemory memory_;
    AxisSearch search_;
    Folding folding_;
    std::size_t fit_ = 0;  ///< which of the heights of rows
    float beyond_ = 0;     ///< that the contents were higher than planned
};

/// A column of labels, and beside it one of controls.
struct Rows {
    const Ui& ui;
    float labels;  ///< width of their column

    void label(const std::string& text) const;
    /// What follows stands in the second column, as wide as it.
    void toControl() const;
    /// Both.
    void field(const std::string& text) const {
        label(text);
        toControl();
    }
    void heading(const char* text) const;
    /// A heading that a click folds; folded, the summary stands in it, but for what is left free at
    /// its end. True where its rows follow.
    bool group(Folding& folding, const std::string& name, const std::string& summary,
               float free = 0) const;
    /// Of the item before: what it is, how it is spelled elsewhere, why it cannot be had.
    void tooltip(const std::string& text, const std::string& spelling,
                 const std::string& reason = {}) const;
};

/// The axes of a group that matter to the state's settings, and the other rows among them.
struct AxisRows {
    RowGroup group;
    std::vector<const Axis*> axes;
};
std::vector<AxisRows> axisRows(const Frame& frame, const AxisMemory::Hold& hold);

/// All of them; they change the settings. `known`: of their alternatives.
void drawAxes(const Rows& rows, Folding& folding, const KnownSwitches& known, AxisMemory& memory);
/// That an axis's control needs.
float axisControlWidth(const Theme& theme);

}  // namespace rayscope
