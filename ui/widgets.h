#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ui/theme.h"

// The controls that panels are made of. Each notes where it was drawn under a name, and whether it
// can be used: "button.pin", "axis.math", "axis.math.fast" (an entry of an open list). Tests and
// the status file find them by it.

namespace rayscope {

struct Frame;

struct DrawnItem {
    Rect rect;
    bool enabled = true;
};
/// Of this frame, by name.
using Drawn = std::map<std::string, DrawnItem>;

/// What is drawn with and into.
struct Ui {
    const Theme& theme;
    const Layout& layout;
    Drawn& drawn;
    Frame& frame;
};

/// Of the item before, whatever it is.
void note(const Ui& ui, const std::string& name, bool enabled = true);
void noteWindow(const Ui& ui, const std::string& name);

/// A tooltip of the item before, also of a greyed one; none where the text is empty.
void hint(const Ui& ui, const std::string& text);
/// One of several lines, which are drawn between the two.
void beginTooltip(const Ui& ui);
void endTooltip();

/// A line in a colour; none where the text is empty.
void textLine(const std::string& text, const ImVec4& color);
/// Lines broken at the window's edge.
void paragraph(const std::string& text, const ImVec4& color);
void strongLine(const Ui& ui, const std::string& text, const ImVec4& color);
/// Empty, in lengths for scale 1.
void space(const Ui& ui, float length);

/// A number, and behind it on its baseline what it counts.
void largeFigure(const Ui& ui, const std::string& number, const std::string& unit);

/// A text that ends so far from the left.
struct Column {
    std::string text;
    float right;
    ImVec4 color;
};
/// A label at the left and what stands in columns; `below`: space, in lengths for scale 1.
void columns(const Ui& ui, const Face& face, const std::string& label,
             const std::vector<Column>& texts, float below, const ImVec4& color = colors::dim);
/// As wide as the window; cut where it is too long.
void smallLine(const Ui& ui, const std::string& text);

/// Of `count` controls that share the rest of the line.
float shareOfLine(int count);
float buttonWidth(const char* label);

struct ButtonLook {
    float width = 0;  ///< 0: of its text; -1: the rest of the line
    bool enabled = true;
    bool lit = false;  ///< what it stands for is the case
};
bool button(const Ui& ui, const char* label, const std::string& name, const ButtonLook& look = {},
            const std::string& help = {});
bool smallButton(const Ui& ui, const char* label, const std::string& name,
                 const std::string& help = {});
bool checkbox(const Ui& ui, const char* label, const std::string& name, bool& on,
              bool enabled = true, const std::string& help = {});

/// A line of a list, greyed where it cannot be had. True where it was chosen.
bool entry(const Ui& ui, const std::string& text, const std::string& name, bool selected,
           bool enabled = true);
/// The rest of the line. Where it is open: its entries, then ImGui::EndCombo(). Only the closed one
/// has the name. `preview` is cut to fit.
bool beginCombo(const Ui& ui, const std::string& name, const std::string& preview,
                ImGuiComboFlags flags = 0);
/// An entry of a combo, noted as NAME.ID.
struct Option {
    std::string id, text;
};
/// The number of the entry that was chosen.
std::optional<int> combo(const Ui& ui, const std::string& name, const std::vector<Option>& options,
                         int now, const std::string& before = {});
/// Of a combo that shows the whole text.
float choiceWidth(const Theme& theme, const std::string& text);
/// Of names, which are their own texts.
bool nameCombo(const Ui& ui, const std::string& name, const std::vector<std::string>& names,
               std::string& choice, const std::string& before = {});

/// A window of the program's look at a fixed place, as high as its contents up to the rectangle's
/// height.
bool beginPanel(const char* title, const Rect& area, ImGuiWindowFlags flags = 0);
/// One that fills the rectangle.
void beginPane(const char* title, const Rect& area, ImGuiWindowFlags flags = 0);
/// Ends either, and notes it.
void endPanel(const Ui& ui, const std::string& name);

/// Where the present ImGui window or item lies.
Rect windowRect();
Rect itemRect();

}  // namespace rayscope
