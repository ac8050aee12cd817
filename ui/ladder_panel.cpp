#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/choices/axes.h"
#include "renderer/lab/ladder_report.h"
#include "ui/format.h"
#include "ui/panels.h"

namespace rayscope {

namespace {

constexpr float kTooltipWidth = 360;
constexpr float kBarHeight = 5, kRowGap = 6, kInset = 4;
constexpr float kBaseline = .8f;  ///< of a line of text, from its top
/// Speeds that lie further apart than this are drawn on a logarithmic scale.
constexpr double kLinearRange = 20;
constexpr const char* kWidestName = "(experiment) one material";

/// "46.29 G", of rays a second.
std::string shortRate(double raysPerSecond) {
    const Quantity q = formatQuantity(raysPerSecond, "");
    return q.number + (q.unit.empty() ? "" : " " + q.unit);
}

/// "716 M" or "2500 ms".
std::string shortFigure(const Figure& f) {
    return f.unit->rate ? shortRate(f.base()) : fmt::format("{} {}", f.value, f.unit->id);
}

/// "716 M" or "12.3 ms", as it was measured here; empty before.
std::string shortFigure(const LadderClimb& climb, int rung) {
    const Standing& standing = climb.standings()[rung];
    if (!standing.measured()) return {};
    const double value = standing.result->value.median;
    if (climb.ladder()->rungs[rung].measures == Measures::rate) return shortRate(value);
    return value < .9995 ? formatNumber(1e3 * value) + " ms" : formatNumber(value) + " s";
}

float valueColumn(const Theme& theme) {
    return textSize(theme.body, "888.8 M").x;
}

/// The published figures as speeds of this machine, as if its first measured rung had been the
/// published one; before there is one, relative to each other.
std::vector<std::optional<double>> publishedSpeeds(const LadderClimb& climb) {
    const std::vector<Rung>& rungs = climb.ladder()->rungs;
    double scale = 1;
    std::optional<Measures> measures;
    for (size_t i = 0; i < rungs.size(); ++i) {
        if (!rungs[i].published) continue;
        if (!measures) measures = rungs[i].measures;
        const std::optional<double> speed = climb.speed(static_cast<int>(i));
        if (rungs[i].measures != *measures || !speed) continue;
        scale = *speed / rungs[i].published->speed();
        break;
    }
    std::vector<std::optional<double>> speeds(rungs.size());
    for (size_t i = 0; i < rungs.size(); ++i) {
        const Rung& rung = rungs[i];
        if (rung.published && rung.measures == *measures)
            speeds[i] = scale * rung.published->speed();
    }
    return speeds;
}

/// From speeds to shares of a bar's width.
struct BarScale {
    double low = 0, high = 1;
    bool logarithmic = false;
    float operator()(double speed) const {
        const double share =
            logarithmic ? std::log(speed / low) / std::log(high / low) : speed / high;
        return static_cast<float>(std::clamp(share, 0., 1.));
    }
};

BarScale scaleFor(const LadderClimb& climb, const std::vector<std::optional<double>>& published) {
    double low = INFINITY, high = 0;
    const auto include = [&](const std::optional<double>& rate) {
        if (!rate || !(*rate > 0)) return;
        low = std::min(low, *rate);
        high = std::max(high, *rate);
    };
    for (size_t i = 0; i < published.size(); ++i) {
        include(climb.speed(static_cast<int>(i)));
        include(published[i]);
    }
    if (!(high > 0)) return {};
    // The slowest rung keeps a bar that can be seen.
    if (high > kLinearRange * low) return {low / 2, high, true};
    return {0, high, false};
}

std::string settingsText(const Rung& rung) {
    std::string text;
    for (const auto& [axis, value] : rung.changes) text += axis + "=" + value + "   ";
    return text;
}

std::string figureText(const Figure& f) {
    return fmt::format("{} {} on {}{}{}", f.value, f.unit->id, f.device, f.what.empty() ? "" : ", ",
                       f.what);
}

std::string ratioText(const LadderClimb& climb, int rung) {
    const std::string figure = climb.figure(rung);
    if (figure.empty()) return {};
    const Rung& r = climb.ladder()->rungs[rung];
    const std::string text = fmt::format("measured here: {}, clock: {}", figure, nameOf(r.clock));
    const int from = climb.measuredBefore(rung);
    if (from < 0) return text;
    return text + fmt::format("\n{:.2f}x {}", *climb.speed(rung) / *climb.speed(from),
                              climb.ladder()->rungs[from].name);
}

void rungTooltip(const Ui& ui, const LadderClimb& climb, int index) {
    const Rung& rung = climb.ladder()->rungs[index];
    const Standing& standing = climb.standings()[index];
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ui.theme.units(kTooltipWidth));
    pushFace(ui.theme.strong);
    ImGui::TextUnformatted(rung.name.c_str());
    popFace();
    ImGui::TextUnformatted(rung.why.c_str());
    textLine(settingsText(rung), colors::dim);
    if (rung.published) textLine("published: " + figureText(*rung.published), colors::text);
    for (const Figure& f : rung.references) textLine(figureText(f), colors::text);
    textLine(ratioText(climb, index), colors::accent);
    textLine(standing.reason.empty() ? standing.skipped() : standing.reason, colors::warning);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

float rowHeight(const Theme& theme) {
    return std::ceil(theme.body.size + theme.units(2 + kBarHeight + kRowGap));
}

void drawBar(const Ui& ui, const LadderClimb& climb, int index, const BarScale& scale,
             const std::optional<double>& published, const Rect& area) {
    const std::optional<double> speed = climb.speed(index);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float right = area.x + area.width, bottom = area.y + area.height;
    const float round = area.height / 2;
    list.AddRectFilled({area.x, area.y}, {right, bottom}, packed(colors::faint, .6f), round);
    if (speed) {
        const float end = area.x + std::max(scale(*speed) * area.width, area.height);
        const bool here = index == climb.current();
        list.AddRectFilled({area.x, area.y}, {end, bottom}, packed(colors::accent, here ? 1 : .6f),
                           round);
    }
    if (!published) return;
    const float x = area.x + scale(*published) * area.width, width = ui.theme.units(1.5f);
    const float over = ui.theme.units(2);
    list.AddRectFilled({x - width, area.y - over}, {x, bottom + over}, packed(colors::text, .85f));
}

/// True where the cursor is on it.
bool rungRow(const Ui& ui, const LadderClimb& climb, int index, bool toured, const BarScale& scale,
             const std::optional<double>& published) {
    const Theme& theme = ui.theme;
    const Standing& standing = climb.standings()[index];
    const Rung& rung = climb.ladder()->rungs[index];
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float whole = ImGui::GetContentRegionAvail().x, height = rowHeight(theme);
    const bool possible = standing.reason.empty(), here = index == climb.current();
    ImGui::BeginDisabled(!possible);
    if (ImGui::InvisibleButton(fmt::format("rung{}", index).c_str(), {whole, height}))
        ui.requests.rung = index;
    ImGui::EndDisabled();
    const bool hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
    ui.drawn[fmt::format("ladder.rung.{}", index)] = {itemRect(), possible};
    const bool measuring = climb.target() == index;
    if ((measuring && climb.climbing()) || toured) ImGui::SetScrollHereY();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (here || toured || (possible && hovered)) {
        list.AddRectFilled(corner, {corner.x + whole, corner.y + height},
                           packed(colors::faint, here || toured ? 1 : .6f), theme.units(4));
    }
    const float inset = theme.units(kInset), width = whole - 2 * inset;
    const ImVec2 at{corner.x + inset, corner.y + theme.units(1)};
    const std::string figure = shortFigure(climb, index);
    const std::string value = figure.empty() && measuring ? "..." : figure;
    drawText(list, theme.body, {at.x + width - textSize(theme.body, value).x, at.y},
             packed(colors::text), value);
    const std::string theirs = rung.published ? shortFigure(*rung.published) : "";
    const float gap = theme.units(8), figureWidth = textSize(theme.small, theirs).x;
    const float rest = width - valueColumn(theme) - gap - figureWidth;
    drawText(list, theme.small,
             {at.x + rest, at.y + (theme.body.size - theme.small.size) * kBaseline},
             packed(colors::dim, possible ? 1 : .6f), theirs);
    const ImVec4& color = here ? colors::accent : possible ? colors::text : colors::dim;
    drawText(list, theme.body, at, packed(color, possible ? 1 : .6f),
             fitted(theme.body, rung.name, rest - gap));
    drawBar(ui, climb, index, scale, published,
            {at.x, at.y + theme.body.size + theme.units(2), width, theme.units(kBarHeight)});
    return hovered;
}

void rungRows(const Ui& ui, const LadderClimb& climb, int tour, float room) {
    const std::vector<std::optional<double>> published = publishedSpeeds(climb);
    const BarScale scale = scaleFor(climb, published);
    const size_t count = climb.ladder()->rungs.size();
    const float needed = rowHeight(ui.theme) * static_cast<float>(count);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("rungs", {0, std::min(needed, std::max(room, rowHeight(ui.theme)))});
    int hovered = -1;
    for (size_t i = 0; i < count; ++i) {
        const int index = static_cast<int>(i);
        if (rungRow(ui, climb, index, index == tour, scale, published[i])) hovered = index;
    }
    ui.drawn["ladder.rungs"] = {windowRect()};
    ImGui::EndChild();
    ImGui::PopStyleVar();
    if (hovered >= 0) rungTooltip(ui, climb, hovered);
}

void chooser(const Ui& ui, const LadderClimb& climb, const std::vector<std::string>& names) {
    ImGui::SetNextItemWidth(-1);
    const std::string now = climb.ladder() ? climb.ladder()->name : "";
    if (ImGui::BeginCombo("##ladder", now.c_str(), ImGuiComboFlags_HeightLargest)) {
        for (const std::string& name : names) {
            if (ImGui::Selectable(name.c_str(), name == now)) ui.requests.ladder = name;
            ui.drawn["ladder." + name] = {itemRect()};
        }
        ImGui::EndCombo();
        return;
    }
    ui.drawn["ladder"] = {itemRect()};
    if (!climb.ladder() || !ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ui.theme.units(kTooltipWidth));
    ImGui::TextUnformatted(climb.ladder()->title.c_str());
    textLine(climb.ladder()->source, colors::dim);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void climbRow(const Ui& ui, const LadderClimb& climb) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float width =
        std::max(textSize(ui.theme.body, "Cancel").x, textSize(ui.theme.body, "Climb").x) +
        2 * ImGui::GetStyle().FramePadding.x;
    if (climb.climbing()) {
        ui.requests.cancelClimb |= ImGui::Button("Cancel", {width, 0});
    } else {
        ui.requests.climb |= ImGui::Button("Climb", {width, 0});
    }
    ui.drawn["button.climb"] = {itemRect()};
    ImGui::SameLine(0, gap);
    if (ImGui::Button("Tour", {width, 0})) ui.requests.tour = std::max(climb.current(), 0);
    ui.drawn["button.tour"] = {itemRect()};
    hint(ui,
         "Goes through the rungs one by one: what each does, what its story makes of it, and "
         "what it is worth here.");
    ImGui::SameLine(0, gap);
    ImGui::AlignTextToFramePadding();
    const int count = static_cast<int>(climb.ladder()->rungs.size());
    const auto possible = std::count_if(climb.standings().begin(), climb.standings().end(),
                                        [](const Standing& s) { return s.reason.empty(); });
    const std::string text = climb.climbing()
                                 ? fmt::format("rung {} of {}", climb.target() + 1, count)
                                 : fmt::format("{} of {} rungs run here", possible, count);
    ImGui::PushStyleColor(ImGuiCol_Text, colors::dim);
    ImGui::TextUnformatted(fitted(ui.theme.body, text, ImGui::GetContentRegionAvail().x).c_str());
    ImGui::PopStyleColor();
}

void legend(const Ui& ui) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    drawText(*ImGui::GetWindowDrawList(), ui.theme.small, at, packed(colors::dim),
             fitted(ui.theme.small, "bar: here   tick and grey figure: published", width));
    ImGui::Dummy({width, ui.theme.small.size});
    if (!ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ui.theme.units(kTooltipWidth));
    ImGui::TextUnformatted(
        "Figures are those of rayscope ladder: each rung is measured beside the picture by the "
        "story's own clock. A longer bar is faster; where rungs lie more than 20 times apart the "
        "scale is logarithmic. Ticks are the published figures, which stand in grey, scaled so "
        "that "
        "the first measured rung agrees.");
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

}  // namespace

float ladderWidth(const Theme& theme) {
    return textSize(theme.body, kWidestName).x + textSize(theme.small, "8888 ms").x +
           valueColumn(theme) + theme.units(2 * 8 + 2 * kInset);
}

void drawLadderPanel(const Ui& ui, const LadderClimb& climb, int tour,
                     const std::vector<std::string>& names) {
    if (beginSidePanel(ui, SideTab::ladder)) {
        chooser(ui, climb, names);
        if (climb.ladder()) {
            climbRow(ui, climb);
            const ImGuiStyle& style = ImGui::GetStyle();
            const float below = ui.theme.small.size + style.ItemSpacing.y + style.WindowPadding.y;
            const float room = ui.layout.throughput.height - ImGui::GetCursorPosY() - below;
            rungRows(ui, climb, tour, room);
            legend(ui);
        }
    }
    endSidePanel(ui, SideTab::ladder);
}

}  // namespace rayscope
