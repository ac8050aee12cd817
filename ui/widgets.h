#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "renderer/film/false_color.h"
#include "ui/theme.h"

// The controls that panels are made of. Each notes, under a name, where it was drawn and whether it
// is enabled: "button.pin", "axis.math", "axis.math.fast" (an entry of an open list). Tests and the
// status file find it by that name.

namespace rayscope {

struct Frame;

struct DrawnItem {
    Rect rect;
    bool enabled = true;
};
/// The items of this frame, by name.
using Drawn = std::map<std::string, DrawnItem>;

/// What widgets draw with, and where they note themselves.
struct Ui {
    const Theme& theme;
    const Layout& layout;
    Drawn& drawn;
    Frame& frame;
};

/// Notes ImGui's last item, whatever it is.
void note(const Ui& ui, const std::string& name, bool enabled = true);
void noteWindow(const Ui& ui, const std::string& name);

/// ImGui's last item is to be explained, even if disabled: the cursor rests on it, and has not
/// clicked there.
bool explained(const Ui& ui);
/// A tooltip of ImGui's last item; none if the text is empty.
void hint(const Ui& ui, const std::string& text);
/// A tooltip of several lines, drawn between these two calls. It stands over the picture, beside
/// the panel or above the pane that ImGui's current window is or lies in, at the height of `item`.
void beginTooltip(const Ui& ui, const Rect& item);
void endTooltip(const Ui& ui);

/// A line in a colour; none if the text is empty.
void textLine(const std::string& text, const ImVec4& color);
/// The same, wrapped at the window's edge.
void paragraph(const std::string& text, const ImVec4& color);
void strongLine(const Ui& ui, const std::string& text, const ImVec4& color);
/// Vertical space, in pixels at scale 1.
void space(const Ui& ui, float length);

/// A number in large type, followed on its baseline by its unit.
void largeFigure(const Ui& ui, const std::string& number, const std::string& unit);

/// A text that ends at `right`, measured from the left of the line.
struct Column {
    std::string text;
    float right;
    ImVec4 color;
};
/// A label at the left, then the columns; `below`: the space under them, in pixels at scale 1.
void columns(const Ui& ui, const Face& face, const std::string& label,
             const std::vector<Column>& texts, float below, const ImVec4& color = colors::dim);
/// A line of small text, cut at the window's edge.
void smallLine(const Ui& ui, const std::string& text);

/// A place to click, without a look of its own, that the keyboard reaches, too.
bool clickArea(const char* id, const ImVec2& size);

/// The width of each of `count` controls that share the rest of the line.
float shareOfLine(int count);
float buttonWidth(const char* label);

struct ButtonLook {
    float width = 0;  ///< 0: fits its text; -1: the rest of the line
    bool enabled = true;
    bool lit = false;  ///< highlighted: what it stands for is on
};
bool button(const Ui& ui, const char* label, const std::string& name, const ButtonLook& look = {},
            const std::string& help = {});
/// One of `count` that stand closely and share the line; `first` begins it.
bool partButton(const Ui& ui, const char* label, const std::string& name, int count, bool first,
                const std::string& help, bool lit = false);
bool smallButton(const Ui& ui, const char* label, const std::string& name,
                 const std::string& help = {});
bool checkbox(const Ui& ui, const char* label, const std::string& name, bool& on,
              bool enabled = true, const std::string& help = {});

/// Whole numbers from `low` to `high`.
struct NumberRange {
    int low = 0, high = 0;
    std::string_view word = {};  ///< instead of the lowest: "none"
    bool logarithmic = false;    ///< along the slider
};
std::string textOf(const NumberRange& range, int value);
/// Of a field for any of them.
float fieldWidth(const Theme& theme, const NumberRange& range);
/// A slider (noted as NAME) and a field of this width to type into (NAME.field), which share the
/// rest of the line; `after` is called after each.
void numberControl(const Ui& ui, const std::string& name, const NumberRange& range, float field,
                   int& value, const std::function<void()>& after);

/// A line of a list, greyed where not `enabled`. True when it was chosen.
bool entry(const Ui& ui, const std::string& text, const std::string& name, bool selected,
           bool enabled = true);
/// A combo; if it is open (true), draw its entries, then call ImGui::EndCombo(). It notes its name
/// only while closed. `preview` is cut to fit.
bool beginCombo(const Ui& ui, const std::string& name, const std::string& preview,
                ImGuiComboFlags flags = 0);
/// An entry of a combo, noted as NAME.ID.
struct Option {
    std::string id, text;
};
/// The index of the entry that was chosen, if any. `before` precedes the text in the closed combo.
std::optional<int> combo(const Ui& ui, const std::string& name, const std::vector<Option>& options,
                         int now, const std::string& before = {});
/// The width of a combo that shows the whole text.
float choiceWidth(const Theme& theme, const std::string& text);
/// A combo of names, shown as they are; true when `choice` was set.
bool nameCombo(const Ui& ui, const std::string& name, const std::vector<std::string>& names,
               std::string& choice, const std::string& before = {});

/// A list of rows, each a line of text with a bar below it; no higher than `room`.
inline constexpr float kRowBar = 5, kRowInset = 4;  ///< at scale 1
float rowHeight(const Theme& theme);
void beginRows(const char* id, float rowHeight, size_t count, float room);
void endRows(const Ui& ui, const std::string& name);
/// A row as wide as the list.
struct ListRow {
    bool hovered, explained, clicked;
    Rect area;    ///< of the whole,
    ImVec2 text;  ///< of what stands in it,
    float width;  ///< and its width
    Rect bar;
    void lightUp(const Theme& theme, float opacity) const;
};
/// It cannot be clicked where it is not `possible`.
ListRow listRow(const Ui& ui, const std::string& name, bool possible);

/// An ImGui window in the program's style at a fixed place, as high as its contents but no higher
/// than the rectangle.
bool beginPanel(const char* title, const Rect& area, ImGuiWindowFlags flags = 0);
/// The same, but it fills the rectangle.
void beginPane(const char* title, const Rect& area, ImGuiWindowFlags flags = 0);
/// Ends either, and notes it.
void endPanel(const Ui& ui, const std::string& name);

/// The rectangle of ImGui's current window or last item.
Rect windowRect();
Rect itemRect();

/// Left of a place (align 1), right of it (0), or with its middle there.
Rect drawLabel(const Ui& ui, const std::string& text, float x, float align);

/// The colours in the middle of the picture, between what their ends mean.
void drawRampLegend(const Ui& ui, const std::string& name, const std::string& low,
                    const std::string& high, const ColorRamp& ramp);

/// A sentence that is shown for a few seconds.
struct Toast {
    std::string text;
    bool error = false;
    double until = 0;  ///< seconds
};

struct Toasts {
    std::vector<Toast> shown;  ///< oldest first
    std::string last;          ///< the newest text, also after it has gone

    void say(const std::string& text, double now);
    /// Stays longer; also written to stderr, where it can be found again.
    void warn(const std::string& text, double now);
    /// Over the picture, without those whose time is over.
    void draw(const Ui& ui, double now);
};

}  // namespace rayscope
