#include "ui/widgets.h"

#include <algorithm>

namespace rayscope {

namespace {

constexpr float kTooltipWidth = 380;
constexpr float kUnitGap = 8;  ///< between a large figure and its unit
constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;

}  // namespace

Rect windowRect() {
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    return {at.x, at.y, size.x, size.y};
}

Rect itemRect() {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

void note(const Ui& ui, const std::string& name, bool enabled) {
    ui.drawn[name] = {itemRect(), enabled};
}

void noteWindow(const Ui& ui, const std::string& name) {
    ui.drawn[name] = {windowRect()};
}

void beginTooltip(const Ui& ui) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ui.theme.units(kTooltipWidth));
}

void endTooltip() {
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void hint(const Ui& ui, const std::string& text) {
    if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    beginTooltip(ui);
    ImGui::TextUnformatted(text.c_str());
    endTooltip();
}

void textLine(const std::string& text, const ImVec4& color) {
    if (text.empty()) return;
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
}

void paragraph(const std::string& text, const ImVec4& color) {
    ImGui::PushTextWrapPos(0);
    textLine(text, color);
    ImGui::PopTextWrapPos();
}

void strongLine(const Ui& ui, const std::string& text, const ImVec4& color) {
    pushFace(ui.theme.strong);
    textLine(text, color);
    popFace();
}

void space(const Ui& ui, float length) {
    ImGui::Dummy({1, ui.theme.units(length)});
}

void largeFigure(const Ui& ui, const std::string& number, const std::string& unit) {
    const Theme& theme = ui.theme;
    const ImVec2 at = ImGui::GetCursorScreenPos(), size = textSize(theme.large, number);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, theme.large, at, packed(colors::text), number);
    const float top = at.y + theme.large.size * kBaseline - theme.body.size * kBaseline;
    drawText(list, theme.body, {at.x + size.x + theme.units(kUnitGap), top}, packed(colors::dim),
             unit);
    ImGui::Dummy({ImGui::GetContentRegionAvail().x, size.y});
}

void columns(const Ui& ui, const Face& face, const std::string& label,
             const std::vector<Column>& texts, float below, const ImVec4& color) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, face, at, packed(color), label);
    for (const Column& column : texts) {
        drawText(list, face, {at.x + column.right - textSize(face, column.text).x, at.y},
                 packed(column.color), column.text);
    }
    ImGui::Dummy({ImGui::GetContentRegionAvail().x, face.size + ui.theme.units(below)});
}

void smallLine(const Ui& ui, const std::string& text) {
    columns(ui, ui.theme.small, fitted(ui.theme.small, text, ImGui::GetContentRegionAvail().x), {},
            0);
}

float shareOfLine(int count) {
    const float gaps = static_cast<float>(count - 1) * ImGui::GetStyle().ItemSpacing.x;
    return (ImGui::GetContentRegionAvail().x - gaps) / static_cast<float>(count);
}

float buttonWidth(const char* label) {
    return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

bool button(const Ui& ui, const char* label, const std::string& name, const ButtonLook& look,
            const std::string& help) {
    ImGui::BeginDisabled(!look.enabled);
    if (look.lit) ImGui::PushStyleColor(ImGuiCol_Text, colors::accent);
    const bool pressed = ImGui::Button(label, {look.width, 0});
    if (look.lit) ImGui::PopStyleColor();
    ImGui::EndDisabled();
    note(ui, name, look.enabled);
    hint(ui, help);
    return pressed;
}

bool smallButton(const Ui& ui, const char* label, const std::string& name,
                 const std::string& help) {
    const bool pressed = ImGui::SmallButton(label);
    note(ui, name);
    hint(ui, help);
    return pressed;
}

bool checkbox(const Ui& ui, const char* label, const std::string& name, bool& on, bool enabled,
              const std::string& help) {
    ImGui::BeginDisabled(!enabled);
    const bool changed = ImGui::Checkbox(label, &on);
    ImGui::EndDisabled();
    note(ui, name, enabled);
    hint(ui, help);
    return changed;
}

bool entry(const Ui& ui, const std::string& text, const std::string& name, bool selected,
           bool enabled) {
    ImGui::BeginDisabled(!enabled);
    const bool chosen = ImGui::Selectable(text.c_str(), selected);
    ImGui::EndDisabled();
    note(ui, name, enabled);
    return chosen;
}

bool beginCombo(const Ui& ui, const std::string& name, const std::string& preview,
                ImGuiComboFlags flags) {
    const float width = ImGui::CalcItemWidth();
    const float arrow = ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().FramePadding.x;
    const bool open = ImGui::BeginCombo(
        ("##" + name).c_str(), fitted(ui.theme.body, preview, width - arrow).c_str(), flags);
    if (!open) note(ui, name);
    return open;
}

std::optional<int> combo(const Ui& ui, const std::string& name, const std::vector<Option>& options,
                         int now, const std::string& before) {
    std::optional<int> chosen;
    const std::string text = now >= 0 ? options[static_cast<std::size_t>(now)].text : std::string();
    if (!beginCombo(ui, name, before + text.substr(0, text.find("##")),
                    ImGuiComboFlags_HeightLargest))
        return chosen;
    for (int i = 0; i < static_cast<int>(options.size()); ++i) {
        const Option& option = options[static_cast<std::size_t>(i)];
        if (entry(ui, option.text, name + "." + option.id, i == now)) chosen = i;
    }
    ImGui::EndCombo();
    return chosen;
}

float choiceWidth(const Theme& theme, const std::string& text) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float arrow = theme.em() + 2 * style.FramePadding.y;
    return textSize(theme.body, text).x + 2 * style.FramePadding.x + arrow;
}

bool nameCombo(const Ui& ui, const std::string& name, const std::vector<std::string>& names,
               std::string& choice, const std::string& before) {
    std::vector<Option> options;
    for (const std::string& text : names) options.push_back({text, text});
    const auto at = std::find(names.begin(), names.end(), choice);
    const int now = at == names.end() ? -1 : static_cast<int>(at - names.begin());
    const auto chosen = combo(ui, name, options, now, before);
    if (chosen) choice = names[static_cast<std::size_t>(*chosen)];
    return chosen.has_value();
}

bool beginPanel(const char* title, const Rect& area, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos({area.x, area.y});
    ImGui::SetNextWindowSizeConstraints({area.width, 1}, {area.width, area.height});
    return ImGui::Begin(title, nullptr, kFixed | ImGuiWindowFlags_AlwaysAutoResize | flags);
}

void beginPane(const char* title, const Rect& area, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos({area.x, area.y});
    ImGui::SetNextWindowSize({area.width, area.height});
    ImGui::Begin(title, nullptr, kFixed | flags);
}

void endPanel(const Ui& ui, const std::string& name) {
    noteWindow(ui, name);
    ImGui::End();
}

}  // namespace rayscope
