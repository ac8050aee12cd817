#pragma once

#include "ui/feature.h"
#include "ui/laboratory.h"

namespace rayscope {

/// The panel on the left: the scene, every axis of the table, what the running kernel is, and how
/// the picture is shown.
class KernelPanel : public WindowFeature {
public:
    /// `lab`: what it knows of the alternatives stands beside them.
    explicit KernelPanel(const Laboratory* lab = nullptr) : lab_(lab) {}

    void draw(const Ui& ui) override;
    /// "view": {"exposure", "tone_mapper", "shown"}
    void describe(const Frame& frame, nlohmann::json& status) const override;
    /// That its contents need, without its padding.
    float width(const Theme& theme) const;

private:
    const Laboratory* lab_;
    std::map<std::string_view, int> pending_;  ///< numbers whose slider has not been let go
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
    /// Of the item before: what it is, how it is spelled elsewhere, why it cannot be had.
    void tooltip(const std::string& text, const std::string& spelling,
                 const std::string& reason = {}) const;
};

/// All axes that matter to the state's settings, which they change. `known`: of their alternatives.
void drawAxes(const Rows& rows, const KnownSwitches& known,
              std::map<std::string_view, int>& pending);
/// That an axis's control needs.
float axisControlWidth(const Theme& theme);

}  // namespace rayscope
