#include "ui/widgets.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "renderer/base/say.h"
#include "ui/feature.h"

namespace rayscope {

namespace {

constexpr float kUnitGap = 8;  ///< between a large figure and its unit
constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoSavedSettings;

/// The keyboard walks through panels only while it belongs to one.
ImGuiWindowFlags fixedFlags() {
    const bool walks = (ImGui::GetIO().ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) != 0;
    return walks ? kFixed : kFixed | ImGuiWindowFlags_NoNav;
}

constexpr float kLabelGap = 8, kLabelInset = 7;
constexpr float kBarWidth = 200, kBarHeight = 10;

float labelHeight(const Theme& theme) {
    return std::round(theme.strong.size + theme.units(kLabelInset));
}

constexpr double kToastSeconds = 4, kErrorSeconds = 10;
constexpr size_t kMost = 4;

void add(Toasts& toasts, Toast toast) {
    std::vector<Toast>& shown = toasts.shown;
    // The same sentence again only stays longer.
    std::erase_if(shown, [&](const Toast& t) { return t.text == toast.text; });
    if (shown.size() >= kMost) shown.erase(shown.begin());
    toasts.last = toast.text;
    shown.push_back(std::move(toast));
}

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
    if (!ui.frame.keyboard || !ImGui::IsItemFocused()) return;
    const Rect item = itemRect();
    ImGui::GetWindowDrawList()->AddRect(item.low(), item.high(), packed(colors::accent),
                                        ui.theme.units(4), 0, 2);
    ui.frame.focused = name;
}

void noteWindow(const Ui& ui, const std::string& name) {
    ui.drawn[name] = {windowRect()};
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

bool clickArea(const char* id, const ImVec2& size) {
#if IMGUI_VERSION_NUM >= 19110
    return ImGui::InvisibleButton(id, size, ImGuiButtonFlags_EnableNav);
#else
    return ImGui::InvisibleButton(id, size);
#endif
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

bool partButton(const Ui& ui, const char* label, const std::string& name, int count, bool first,
                const std::string& help, bool lit) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float gap = style.ItemSpacing.x / 2;
    if (!first) ImGui::SameLine(0, gap);
    // What is left of the line, and what the buttons before have taken.
    const float left = ImGui::GetCursorPosX() - ImGui::GetCursorStartPos().x;
    const float whole = left + ImGui::GetContentRegionAvail().x;
    const float width =
        std::floor((whole - gap * static_cast<float>(count - 1)) / static_cast<float>(count));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, style.FramePadding.y});
    const bool pressed = button(ui, label, name, {.width = width, .lit = lit}, help);
    ImGui::PopStyleVar();
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

std::string textOf(const NumberRange& range, int value) {
    return value == range.low && !range.word.empty() ? std::string(range.word)
                                                     : std::to_string(value);
}

float fieldWidth(const Theme& theme, const NumberRange& range) {
    // A digit more, for the cursor and while typing.
    const std::string longest = std::to_string(range.high) + "0";
    return std::max(textSize(theme.body, longest).x,
                    textSize(theme.body, std::string(range.word)).x) +
           2 * ImGui::GetStyle().FramePadding.x;
}

void numberControl(const Ui& ui, const std::string& name, const NumberRange& range, float field,
                   int& value, const std::function<void()>& after) {
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - field - gap);
    const ImGuiSliderFlags scale = range.logarithmic ? ImGuiSliderFlags_Logarithmic : 0;
    ImGui::SliderInt(("##" + name).c_str(), &value, range.low, range.high, "",
                     ImGuiSliderFlags_AlwaysClamp | scale);
    note(ui, name);
    after();
    ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(field);
    std::array<char, 16> text{};
    textOf(range, value).copy(text.data(), text.size() - 1);
    const bool typed =
        ImGui::InputText(("##field." + name).c_str(), text.data(), text.size(),
                         ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll);
    if (typed) std::from_chars(text.data(), text.data() + text.size(), value);
    note(ui, name + ".field");
    after();
    value = std::clamp(value, range.low, range.high);
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

float rowHeight(const Theme& theme) {
    return std::ceil(theme.body.size + theme.units(2 + kRowBar + 6));
}

void beginRows(const char* id, float rowHeight, size_t count, float room) {
    const float needed = rowHeight * static_cast<float>(count);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild(id, {0, std::min(needed, std::max(room, rowHeight))});
}

void endRows(const Ui& ui, const std::string& name) {
    noteWindow(ui, name);
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

ListRow listRow(const Ui& ui, const std::string& name, bool possible) {
    const Theme& theme = ui.theme;
    const float whole = ImGui::GetContentRegionAvail().x, inset = theme.units(kRowInset);
    ImGui::BeginDisabled(!possible);
    const bool clicked = clickArea(name.c_str(), {whole, rowHeight(theme)});
    ImGui::EndDisabled();
    note(ui, name, possible);
    const bool hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
    const bool explains = explained(ui);
    const Rect area = itemRect();
    const ImVec2 text{area.x + inset, area.y + theme.units(1)};
    const float width = whole - 2 * inset;
    return {hovered,
            explains,
            clicked,
            area,
            text,
            width,
            {text.x, text.y + theme.body.size + theme.units(2), width, theme.units(kRowBar)}};
}

void ListRow::lightUp(const Theme& theme, float opacity) const {
    ImGui::GetWindowDrawList()->AddRectFilled(area.low(), area.high(),
                                              packed(colors::faint, opacity), theme.units(4));
}

bool beginPanel(const char* title, const Rect& area, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos({area.x, area.y});
    ImGui::SetNextWindowSizeConstraints({area.width, 1}, {area.width, area.height});
    return ImGui::Begin(title, nullptr, fixedFlags() | ImGuiWindowFlags_AlwaysAutoResize | flags);
}

void beginPane(const char* title, const Rect& area, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos({area.x, area.y});
    ImGui::SetNextWindowSize({area.width, area.height});
    ImGui::Begin(title, nullptr, fixedFlags() | flags);
}

void endPanel(const Ui& ui, const std::string& name) {
    noteWindow(ui, name);
    ImGui::End();
}

Rect drawLabel(const Ui& ui, const std::string& text, float x, float align) {
    const Theme& theme = ui.theme;
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const float width = textSize(theme.strong, text).x + 2 * theme.units(kLabelInset);
    const float height = labelHeight(theme);
    const ImVec2 at{std::round(x - align * width), ui.layout.free.y};
    list.AddRectFilled(at, {at.x + width, at.y + height}, packed(colors::panel), theme.units(5));
    drawText(list, theme.strong,
             {at.x + theme.units(kLabelInset), std::round(at.y + (height - theme.strong.size) / 2)},
             packed(colors::text), text);
    return {at.x, at.y, width, height};
}

void drawRampLegend(const Ui& ui, const std::string& name, const std::string& low,
                    const std::string& high, const ColorRamp& ramp) {
    const Theme& theme = ui.theme;
    const float gap = theme.units(kLabelGap), inset = theme.units(kLabelInset);
    const float lowWidth = textSize(theme.body, low).x, highWidth = textSize(theme.body, high).x;
    const float texts = lowWidth + highWidth + 2 * gap + 2 * inset;
    const float room = ui.layout.free.width - texts;
    const float bar = std::clamp(theme.units(kBarWidth), 1.f, std::max(room, 1.f));
    const float width = texts + bar, height = labelHeight(theme);
    const Rect& free = ui.layout.free;
    const ImVec2 at{std::round(free.x + (free.width - width) / 2), free.y};
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list.AddRectFilled(at, {at.x + width, at.y + height}, packed(colors::panel), theme.units(5));
    const float textTop = std::round(at.y + (height - theme.body.size) / 2);
    drawText(list, theme.body, {at.x + inset, textTop}, packed(colors::text), low);
    const float left = at.x + inset + lowWidth + gap, thick = theme.units(kBarHeight);
    const float top = std::round(at.y + (height - thick) / 2);
    const float step = bar / static_cast<float>(ramp.size() - 1);
    const auto color = [](const std::array<float, 3>& c) { return packed({c[0], c[1], c[2], 1}); };
    for (size_t i = 0; i + 1 < ramp.size(); ++i) {
        const float x = left + step * static_cast<float>(i);
        const ImU32 from = color(ramp[i]), to = color(ramp[i + 1]);
        list.AddRectFilledMultiColor({x, top}, {x + step, top + thick}, from, to, to, from);
    }
    drawText(list, theme.body, {left + bar + gap, textTop}, packed(colors::text), high);
    ui.drawn[name] = {{at.x, at.y, width, height}};
}

void Toasts::say(const std::string& text, double now) {
    add(*this, {text, false, now + kToastSeconds});
}

void Toasts::warn(const std::string& text, double now) {
    const auto same = [&](const Toast& t) { return t.text == text; };
    if (std::none_of(shown.begin(), shown.end(), same)) complain(text);
    add(*this, {text, true, now + kErrorSeconds});
}

void Toasts::draw(const Ui& ui, double now) {
    std::erase_if(shown, [now](const Toast& t) { return t.until < now; });
    const Theme& theme = ui.theme;
    const Rect& free = ui.layout.free;
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    const float padding = theme.units(12);
    const float most = std::min(free.width, theme.units(620));
    float y = free.y + free.height;  // upwards from the status strip, newest lowest
    for (auto it = shown.rbegin(); it != shown.rend(); ++it) {
        const Toast& toast = *it;
        const float wrap = most - 2 * padding;
        const ImVec2 size = theme.body.font->CalcTextSizeA(
            theme.body.size, 1e6f, wrap, toast.text.data(), toast.text.data() + toast.text.size());
        const float width = size.x + 2 * padding, height = size.y + 1.2f * padding;
        const float x = std::floor(free.x + (free.width - width) / 2);
        y -= height;
        list.AddRectFilled({x, y}, {x + width, y + height}, packed(colors::popup), theme.units(6));
        list.AddRect({x, y}, {x + width, y + height},
                     packed(toast.error ? colors::warning : colors::accent, .6f), theme.units(6));
        list.AddText(theme.body.font, theme.body.size, {x + padding, std::floor(y + .6f * padding)},
                     packed(colors::text), toast.text.data(), toast.text.data() + toast.text.size(),
                     wrap);
        y -= theme.units(8);
    }
}

}  // namespace rayscope
