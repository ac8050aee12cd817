#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/lab_panel.h"

namespace rayscope {

namespace {

constexpr float kCellPadding = 5;
constexpr float kMostLabels = .35f;  ///< of the width, for the labels of the rows

double rateOf(const StudyItem& item) {
    return item.result ? item.result->speed.sides[1].kernelRate.median : -1;
}

/// From slow to fast on a logarithmic scale.
struct Heat {
    double low = INFINITY, high = 0;
    explicit Heat(const Study& study) {
        for (const StudyItem& item : study.items) {
            const double rate = rateOf(item);
            if (!(rate > 0)) continue;
            low = std::min(low, rate);
            high = std::max(high, rate);
        }
    }
    float operator()(double rate) const {
        if (!(high > low)) return 1;
        return static_cast<float>(std::log(rate / low) / std::log(high / low));
    }
};

/// The number alone; the legend has the unit.
std::string shortNumber(double rate, double unit) {
    return formatNumber(rate / unit);
}

void cell(const Ui& ui, const StudyItem& item, size_t index, const Rect& area, const Heat& heat,
          double unit, bool current) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 from{area.x, area.y}, to{area.x + area.width - 1, area.y + area.height - 1};
    const double rate = rateOf(item);
    const float share = rate > 0 ? heat(rate) : 0;
    list.AddRectFilled(from, to,
                       rate > 0 ? packed(colors::accent, .12f + .78f * share)
                                : packed(colors::faint, current ? 1 : .5f));
    const std::string text = rate > 0 ? shortNumber(rate, unit) : current ? "..." : "\u2013";
    const ImVec2 size = textSize(ui.theme.small, text);
    ui.drawn[fmt::format("lab.cell.{}", index)] = {area, item.problem.empty()};
    if (size.x > area.width) return;  // the colour says enough, and the tooltip the rest
    drawText(list, ui.theme.small,
             {area.x + (area.width - size.x) / 2, area.y + (area.height - size.y) / 2},
             share > .55f ? packed(colors::panel) : packed(colors::text, rate > 0 ? 1 : .5f), text);
}

float labelsWidth(const Ui& ui, const Study& study, float whole) {
    float width = textSize(ui.theme.small, study.grid->y).x;
    for (const std::string& row : study.grid->rows)
        width = std::max(width, textSize(ui.theme.small, row).x);
    return std::min(width + ui.theme.units(2 * kCellPadding), kMostLabels * whole);
}

}  // namespace

const StudyItem* drawGrid(const Ui& ui, const Study& study, int current, float room) {
    const StudyGrid& grid = *study.grid;
    const Heat heat(study);
    const double unit = heat.high >= 1e9 ? 1e9 : 1e6;
    const float whole = ImGui::GetContentRegionAvail().x;
    const float labels = labelsWidth(ui, study, whole);
    const float width = (whole - labels) / static_cast<float>(grid.columns.size());
    const float height = ui.theme.small.size + ui.theme.units(2 * kCellPadding);
    const float legend = ui.theme.small.size + ui.theme.units(4);
    const float needed = height * static_cast<float>(grid.rows.size() + 1);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("grid", {0, std::min(needed, std::max(room - legend, 2 * height))});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const auto label = [&](const std::string& text, float x, float y, float space) {
        drawText(list, ui.theme.small, {x, y + ui.theme.units(kCellPadding)}, packed(colors::dim),
                 fitted(ui.theme.small, text, space - ui.theme.units(2)));
    };
    label(grid.y, at.x, at.y, labels);
    for (size_t c = 0; c < grid.columns.size(); ++c)
        label(grid.columns[c], at.x + labels + width * static_cast<float>(c) + ui.theme.units(2),
              at.y, width);
    const StudyItem *hovered = nullptr, *clicked = nullptr;
    for (size_t r = 0; r < grid.rows.size(); ++r) {
        const float y = at.y + height * static_cast<float>(r + 1);
        label(grid.rows[r], at.x, y, labels);
        for (size_t c = 0; c < grid.columns.size(); ++c) {
            const size_t i = r * grid.columns.size() + c;
            const Rect area{at.x + labels + width * static_cast<float>(c), y, width, height};
            ImGui::SetCursorScreenPos({area.x, area.y});
            const StudyItem& item = study.items[i];
            if (ImGui::InvisibleButton(fmt::format("cell{}", i).c_str(), {width, height}) &&
                item.problem.empty())
                clicked = &item;
            if (ImGui::IsItemHovered()) hovered = &item;
            cell(ui, item, i, area, heat, unit, static_cast<int>(i) == current);
        }
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
    smallLine(ui, fmt::format("{} rays/s; {} runs to the right", unit == 1e9 ? "G" : "M", grid.x));
    if (hovered != nullptr) itemTooltip(ui, *hovered);
    return clicked;
}

}  // namespace rayscope
