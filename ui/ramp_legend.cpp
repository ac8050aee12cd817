#include "ui/ramp_legend.h"

#include <algorithm>
#include <cmath>

namespace rayscope {

namespace {

constexpr float kRampGap = 8, kRampInset = 7;
constexpr float kRampWidth = 200, kRampHeight = 10;

float labelHeight(const Theme& theme) {
    return std::round(theme.strong.size + theme.units(kRampInset));
}

}  // namespace

Rect drawLabel(const Ui& ui, const std::string& text, float x, float align) {
    const Theme& theme = ui.theme;
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const float width = textSize(theme.strong, text).x + 2 * theme.units(kRampInset);
    const float height = labelHeight(theme);
    const ImVec2 at{std::round(x - align * width), ui.layout.free.y};
    list.AddRectFilled(at, {at.x + width, at.y + height}, packed(colors::panel), theme.units(5));
    drawText(list, theme.strong,
             {at.x + theme.units(kRampInset), std::round(at.y + (height - theme.strong.size) / 2)},
             packed(colors::text), text);
    return {at.x, at.y, width, height};
}

void drawRampLegend(const Ui& ui, const std::string& name, const std::string& low,
                    const std::string& high, const ColorRamp& ramp) {
    const Theme& theme = ui.theme;
    const float gap = theme.units(kRampGap), inset = theme.units(kRampInset);
    const float lowWidth = textSize(theme.body, low).x, highWidth = textSize(theme.body, high).x;
    const float texts = lowWidth + highWidth + 2 * gap + 2 * inset;
    const float room = ui.layout.free.width - texts;
    const float bar = std::clamp(theme.units(kRampWidth), 1.f, std::max(room, 1.f));
    const float width = texts + bar, height = labelHeight(theme);
    const Rect& free = ui.layout.free;
    const ImVec2 at{std::round(free.x + (free.width - width) / 2), free.y};
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list.AddRectFilled(at, {at.x + width, at.y + height}, packed(colors::panel), theme.units(5));
    const float textTop = std::round(at.y + (height - theme.body.size) / 2);
    drawText(list, theme.body, {at.x + inset, textTop}, packed(colors::text), low);
    const float left = at.x + inset + lowWidth + gap, thick = theme.units(kRampHeight);
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

}  // namespace rayscope
