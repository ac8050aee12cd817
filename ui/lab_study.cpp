#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "renderer/choices/axes.h"
#include "renderer/lab/autotune.h"
#include "renderer/lab/comparison.h"
#include "ui/format.h"
#include "ui/lab_panel.h"

namespace rayscope {

namespace {

constexpr float kItemBar = 5, kItemGap = 6, kItemInset = 4;
/// The end of a bar, as a factor. What is beyond is cut: its figure stands beside it.
constexpr double kLeastScale = 1.25, kMostScale = 5;

/// The largest factor away from 1.
double scaleOf(const Study& study) {
    double scale = kLeastScale;
    for (const StudyItem& item : study.items) {
        if (!item.result) continue;
        const double r = item.result->speed.samples.value;
        if (r > 0 && std::isfinite(r)) scale = std::max({scale, r, 1 / r});
    }
    return std::min(scale, kMostScale);
}

float itemHeight(const Theme& theme) {
    return std::ceil(theme.body.size + theme.units(2 + kItemBar + kItemGap));
}

/// From the middle to the ratio, logarithmic, with the interval as a line.
void drawRatio(const Ui& ui, const StudyItem& item, double scale, const Rect& area) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float middle = area.x + area.width / 2, bottom = area.y + area.height;
    const auto at = [&](double ratio) {
        const double share = std::clamp(std::log(ratio) / std::log(scale), -1., 1.);
        return middle + static_cast<float>(share) * area.width / 2;
    };
    list.AddRectFilled({area.x, area.y}, {area.x + area.width, bottom}, packed(colors::faint, .6f),
                       area.height / 2);
    if (item.result) {
        const Interval& r = item.result->speed.samples;
        if (r.value > 0 && std::isfinite(r.value)) {
            const float end = at(r.value);
            list.AddRectFilled({std::min(middle, end), area.y}, {std::max(middle, end), bottom},
                               packed(ratioColor(item), .85f));
            const float y = area.y + area.height / 2, over = ui.theme.units(1);
            const float low = at(std::max(r.lower, 1e-6)), high = at(r.upper);
            list.AddLine({low, y}, {high, y}, packed(colors::text), ui.theme.units(1));
            for (const float x : {low, high})
                list.AddLine({x, area.y - over}, {x, bottom + over}, packed(colors::text),
                             ui.theme.units(1));
        }
    }
    const float over = ui.theme.units(2);
    list.AddLine({middle, area.y - over}, {middle, bottom + over}, packed(colors::dim),
                 ui.theme.units(1));
}

/// At the right end of the area, if there is room beside the name; returns the width it took.
float drawInterval(const Ui& ui, const StudyItem& item, const Rect& area) {
    if (!item.result) return 0;
    const Theme& theme = ui.theme;
    const Interval& r = item.result->speed.samples;
    const std::string interval = fmt::format("[{:.2f}, {:.2f}]", r.lower, r.upper);
    const float width = textSize(theme.small, interval).x + theme.units(12);
    if (textSize(theme.body, item.name).x + width + theme.units(8) > area.width) return 0;
    drawText(*ImGui::GetWindowDrawList(), theme.small,
             {area.x + area.width - width + theme.units(6),
              area.y + (theme.body.size - theme.small.size) * kBaseline},
             packed(colors::dim), interval);
    return width;
}

/// What the mouse does with a row.
struct ItemEvents {
    bool hovered = false, clicked = false;
};

ItemEvents itemRow(const Ui& ui, const StudyItem& item, size_t index, bool current, double scale) {
    const Theme& theme = ui.theme;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float whole = ImGui::GetContentRegionAvail().x, height = itemHeight(theme);
    const bool possible = item.problem.empty();
    const bool clicked =
        ImGui::InvisibleButton(fmt::format("item{}", index).c_str(), {whole, height}) && possible;
    const bool hovered = ImGui::IsItemHovered();
    note(ui, fmt::format("lab.item.{}", index), possible);
    if (current) ImGui::SetScrollHereY();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (hovered || current)
        list.AddRectFilled(corner, {corner.x + whole, corner.y + height},
                           packed(colors::faint, .6f), theme.units(4));
    const float inset = theme.units(kItemInset), width = whole - 2 * inset;
    const ImVec2 at{corner.x + inset, corner.y + theme.units(1)};
    const std::string word = current ? "..." : ratioWord(item);
    const float wordWidth = textSize(theme.body, word).x;
    drawText(list, theme.body, {at.x + width - wordWidth, at.y}, packed(ratioColor(item)), word);
    const float rest = width - wordWidth - theme.units(8) -
                       drawInterval(ui, item, {at.x, at.y, width - wordWidth, 0});
    drawText(list, theme.body, at,
             packed(possible ? colors::text : colors::dim, possible ? 1 : .6f),
             fitted(theme.body, item.name, rest));
    drawRatio(ui, item, scale,
              {at.x, at.y + theme.body.size + theme.units(2), width, theme.units(kItemBar)});
    return {hovered, clicked};
}

/// Ended studies of single changes stand with the fastest first; others in their own order.
std::vector<size_t> orderOf(const Study& study, int current) {
    std::vector<size_t> order(study.items.size());
    std::iota(order.begin(), order.end(), 0);
    if (current >= 0 || study.kind == "steps" || study.grid) return order;
    const auto speed = [&](size_t i) {
        const StudyItem& item = study.items[i];
        return item.result ? item.result->speed.samples.value : -1;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return speed(a) > speed(b); });
    return order;
}

}  // namespace

std::string ratioWord(const StudyItem& item) {
    if (!item.result) return item.problem.empty() ? "" : "\u2013";
    const CompareResult& speed = item.result->speed;
    return speed.measurable ? fmt::format("{:.2f}x", speed.samples.value) : "=";
}

ImVec4 ratioColor(const StudyItem& item) {
    if (!item.result || !item.result->speed.measurable) return colors::dim;
    if (item.result->code.relation == CodeRelation::noise) return colors::dim;
    if (item.result->different()) return colors::warning;
    return item.result->speed.samples.value > 1 ? colors::accent : colors::text;
}

void itemTooltip(const Ui& ui, const StudyItem& item) {
    beginTooltip(ui);
    strongLine(ui, item.name, colors::text);
    textLine(item.problem, colors::warning);
    if (item.result) {
        const PairResult& r = *item.result;
        textLine(sentenceOf(r.speed), colors::accent);
        textLine(fmt::format("A {}, B {}", formatRate(r.speed.sides[0].kernelRate.median),
                             formatRate(r.speed.sides[1].kernelRate.median)),
                 colors::text);
        if (r.work)
            textLine(fmt::format("{}: {}", nameOf(r.work->verdict), r.work->sentence),
                     r.different() ? colors::warning : colors::text);
        textLine(r.code.sentence, colors::text);
        if (const std::optional<Interval> e = efficiencyOf(r))
            textLine(fmt::format("efficiency, 1 / (MSE x time): {:.2f}x [{:.2f}, {:.2f}]", e->value,
                                 e->lower, e->upper),
                     colors::text);
        textLine(r.conditions.warning, colors::warning);
    }
    textLine(fmt::format("A: {}", difference(item.b, item.a)), colors::dim);
    textLine(fmt::format("B: {}", difference(item.a, item.b)), colors::dim);
    if (item.problem.empty()) textLine("A click takes B's settings.", colors::dim);
    endTooltip();
}

const StudyItem* drawStudy(const Ui& ui, const Study& study, int current, float room) {
    const double scale = scaleOf(study);
    const float needed = itemHeight(ui.theme) * static_cast<float>(study.items.size());
    const float legend = ui.theme.small.size + ui.theme.units(4);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const float height = std::min(needed, std::max(room - legend, itemHeight(ui.theme)));
    ImGui::BeginChild("items", {0, height});
    const StudyItem *hovered = nullptr, *clicked = nullptr;
    for (const size_t i : orderOf(study, current)) {
        const StudyItem& item = study.items[i];
        const ItemEvents row = itemRow(ui, item, i, static_cast<int>(i) == current, scale);
        if (row.hovered) hovered = &item;
        if (row.clicked) clicked = &item;
    }
    noteWindow(ui, "lab.items");
    ImGui::EndChild();
    ImGui::PopStyleVar();
    smallLine(ui, fmt::format("{:.3g}x slower to {:.3g}x faster, logarithmic", scale, scale));
    if (hovered != nullptr) itemTooltip(ui, *hovered);
    return clicked;
}

static void roundRows(const Autotune& job, const AutotuneRound& round) {
    const std::vector<const Candidate*> order = ranking(round);
    paragraph(fmt::format("{}, {:.2g} s each", round.name, round.seconds), colors::dim);
    for (size_t i = 0; i < std::min(order.size(), kShownCandidates); ++i) {
        paragraph(fmt::format("{:.2f}x  {}", order[i]->ratio.value,
                              difference(job.start(), order[i]->settings)),
                  colors::text);
    }
}

bool drawTuned(const Ui& ui, const Autotune& job, bool running, float room) {
    bool apply = false;
    ImGui::BeginChild("tuned", {0, room});
    if (!running) {
        if (job.proof()) {
            paragraph(sentenceOf(*job.proof()), colors::accent);
            paragraph(difference(job.start(), job.winner()), colors::text);
            apply = button(ui, "Apply", "button.apply", {ui.theme.units(64)});
        } else if (job.share() >= 1) {
            paragraph("Nothing is measurably faster than the settings it began with.",
                      colors::accent);
        } else {
            paragraph("Cancelled before there was a winner.", colors::warning);
        }
        for (const std::string& reason : job.rejected())
            paragraph("turned down: " + reason, colors::warning);
        ImGui::Separator();
    }
    for (const AutotuneRound& round : job.rounds()) roundRows(job, round);
    if (running) ImGui::SetScrollHereY(1);
    noteWindow(ui, "lab.tuned");
    ImGui::EndChild();
    return apply;
}

}  // namespace rayscope
