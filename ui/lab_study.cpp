#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "renderer/choices/axes.h"
#include "renderer/lab/autotune.h"
#include "renderer/lab/comparison.h"
#include "ui/axis_memory.h"
#include "ui/format.h"
#include "ui/lab_panel.h"

namespace rayscope {

namespace {

/// The end of a bar, as a factor. What is beyond is cut: its figure stands beside it.
constexpr double kLeastScale = 1.25, kMostScale = 5;

/// What the bar of a measured item shows.
Interval shownRatio(const StudyItem& item) {
    const std::optional<Worth> worth = worthOf(item);
    return worth ? worth->ratio : item.result->speed.samples;
}

/// The largest factor away from 1.
double scaleOf(const Study& study) {
    double scale = kLeastScale;
    for (const StudyItem& item : study.items) {
        if (!item.result) continue;
        const double r = shownRatio(item).value;
        if (r > 0 && std::isfinite(r)) scale = std::max({scale, r, 1 / r});
    }
    return std::min(scale, kMostScale);
}

/// From the middle to the ratio, logarithmic, with the interval as a line.
void drawRatio(const Ui& ui, const StudyItem& item, double scale, const Rect& area) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float middle = area.x + area.width / 2, bottom = area.y + area.height;
    const auto at = [&](double ratio) {
        const double share = std::clamp(std::log(ratio) / std::log(scale), -1., 1.);
        return middle + static_cast<float>(share) * area.width / 2;
    };
    list.AddRectFilled(area.low(), area.high(), packed(colors::faint, .6f), area.height / 2);
    if (item.result) {
        const Interval r = shownRatio(item);
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

/// What stands beside the ratio, the longest first: of an efficiency the speed, too.
std::vector<std::string> asides(const StudyItem& item) {
    const Interval r = shownRatio(item);
    const std::string interval = fmt::format("[{:.2f}, {:.2f}]", r.lower, r.upper);
    const std::optional<Worth> worth = worthOf(item);
    if (!worth || !worth->efficiency) return {interval};
    const std::string speed = fmt::format("rays/s {:.2f}x", item.result->speed.rays.value);
    return {speed + "   " + interval, speed};
}

/// At the right end of the area, if there is room beside the name; returns the width it took.
float drawAside(const Ui& ui, const StudyItem& item, const Rect& area) {
    if (!item.result) return 0;
    const Theme& theme = ui.theme;
    for (const std::string& text : asides(item)) {
        const float width = textSize(theme.small, text).x + theme.units(12);
        if (textSize(theme.body, item.name).x + width + theme.units(8) > area.width) continue;
        drawText(*ImGui::GetWindowDrawList(), theme.small,
                 {area.x + area.width - width + theme.units(6),
                  area.y + (theme.body.size - theme.small.size) * kBaseline},
                 packed(colors::dim), text);
        return width;
    }
    return 0;
}

ListRow itemRow(const Ui& ui, const StudyItem& item, size_t index, bool current, double scale) {
    const Theme& theme = ui.theme;
    const bool possible = item.problem.empty();
    const ListRow row = listRow(ui, fmt::format("lab.item.{}", index), possible);
    if (current) ImGui::SetScrollHereY();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (row.hovered || current) row.lightUp(theme, .6f);
    const auto [at, width] = std::pair(row.text, row.width);
    const std::string word = current ? "..." : ratioWord(item);
    const float wordWidth = textSize(theme.body, word).x;
    drawText(list, theme.body, {at.x + width - wordWidth, at.y}, packed(ratioColor(item)), word);
    const float rest = width - wordWidth - theme.units(8) -
                       drawAside(ui, item, {at.x, at.y, width - wordWidth, 0});
    drawText(list, theme.body, at, packed(possible ? colors::text : colors::dim),
             fitted(theme.body, item.name, rest));
    drawRatio(ui, item, scale, row.bar);
    return row;
}

constexpr float kCellPadding = 5;
constexpr float kMostLabels = .35f;  ///< of the width, for the labels of the rows

double rateOf(const StudyItem& item) {
    return item.result ? item.result->speed.rates[1].median : -1;
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

void cell(const Ui& ui, const StudyItem& item, size_t index, const Rect& area, const Heat& heat,
          double unit, bool current) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 from{area.x, area.y}, to{area.x + area.width - 1, area.y + area.height - 1};
    const double rate = rateOf(item);
    const float share = rate > 0 ? heat(rate) : 0;
    list.AddRectFilled(from, to,
                       rate > 0 ? packed(colors::accent, .12f + .78f * share)
                                : packed(colors::faint, current ? 1 : .5f));
    const std::string text = rate > 0 ? formatNumber(rate / unit) : current ? "..." : "\u2013";
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

std::vector<size_t> orderOf(const Study& study, int current) {
    std::vector<size_t> order(study.items.size());
    std::iota(order.begin(), order.end(), 0);
    if (current >= 0 || study.kind == "steps" || study.grid) return order;
    const auto rank = [&](size_t i) {
        const StudyItem& item = study.items[i];
        const std::optional<Worth> worth = worthOf(item);
        return worth ? worth->ratio.value : item.result ? -1 : -2;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rank(a) > rank(b); });
    return order;
}

std::string ratioWord(const StudyItem& item) {
    if (!item.result) return item.problem.empty() ? "" : "\u2013";
    const std::optional<Worth> worth = worthOf(item);
    const Speed verdict = worth ? worth->verdict : item.result->speed.speed();
    if (verdict == Speed::noDifference) return "=";
    if (verdict == Speed::cannotTell) return "?";
    return fmt::format("{:.2f}x", shownRatio(item).value);
}

ImVec4 ratioColor(const StudyItem& item) {
    if (!item.result) return colors::dim;
    if (item.result->different() && item.result->speed.measurable) return colors::warning;
    const std::optional<Worth> worth = worthOf(item);
    const bool noise = item.result->code.relation == CodeRelation::noise;
    if (!worth || (noise && !worth->efficiency)) return colors::dim;
    if (worth->verdict == Speed::faster) return colors::accent;
    return worth->verdict == Speed::slower ? colors::text : colors::dim;
}

void itemTooltip(const Ui& ui, const StudyItem& item, const Rect& area) {
    beginTooltip(ui, area);
    strongLine(ui, item.name, colors::text);
    if (const Axis* axis = findAxis(item.group); axis != nullptr && !axis->values.empty()) {
        const AxisValue& value = axis->values[static_cast<std::size_t>(axis->get(item.b))];
        textLine(fmt::format("{}: {}. {}", bothNames(*axis), value.label, value.help), colors::dim);
    }
    textLine(item.problem, colors::warning);
    if (!item.fitted.empty()) textLine("for this scene with " + item.fitted, colors::text);
    if (item.result) {
        const PairResult& r = *item.result;
        textLine(sentenceOf(r.speed), colors::text);
        textLine(fmt::format("A {}, B {}", formatRate(r.speed.rates[0].median),
                             formatRate(r.speed.rates[1].median)),
                 colors::text);
        textLine(fillSentence(r.speed), colors::warning);
        if (r.work)
            textLine(fmt::format("{}: {}", nameOf(r.work->verdict), r.work->sentence),
                     r.different() ? colors::warning : colors::text);
        textLine(r.code.sentence, colors::text);
        if (const std::string text = efficiencyText(item); !text.empty())
            textLine(fmt::format("{}: 1 / (variance x time) at {}x{}", text, r.speed.sides[1].width,
                                 r.speed.sides[1].height),
                     ratioColor(item));
        textLine(r.conditions.warning, colors::warning);
    }
    textLine(fmt::format("A: {}", difference(item.b, item.a)), colors::dim);
    textLine(fmt::format("B: {}", difference(item.a, item.b)), colors::dim);
    if (item.problem.empty()) textLine("A click takes B's settings.", colors::dim);
    endTooltip(ui);
}

const StudyItem* drawStudy(const Ui& ui, const Study& study, int current, float room) {
    const double scale = scaleOf(study);
    const float legend = ui.theme.small.size + ui.theme.units(4);
    beginRows("items", rowHeight(ui.theme), study.items.size(), room - legend);
    // the rows followed the item under way; at the end the best ones are to be seen
    int& before = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("current"), -1);
    if (std::exchange(before, current) >= 0 && current < 0) ImGui::SetScrollY(0);
    const StudyItem *explains = nullptr, *clicked = nullptr;
    Rect place;
    for (const size_t i : orderOf(study, current)) {
        const StudyItem& item = study.items[i];
        const ListRow row = itemRow(ui, item, i, static_cast<int>(i) == current, scale);
        if (row.explained) explains = &item, place = row.area;
        if (row.clicked) clicked = &item;
    }
    endRows(ui, "lab.items");
    smallLine(ui, fmt::format("{:.3g}x slower to {:.3g}x faster, logarithmic", scale, scale));
    if (explains != nullptr) itemTooltip(ui, *explains, place);
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
    const StudyItem *explains = nullptr, *clicked = nullptr;
    Rect place;
    for (size_t r = 0; r < grid.rows.size(); ++r) {
        const float y = at.y + height * static_cast<float>(r + 1);
        label(grid.rows[r], at.x, y, labels);
        for (size_t c = 0; c < grid.columns.size(); ++c) {
            const size_t i = r * grid.columns.size() + c;
            const Rect area{at.x + labels + width * static_cast<float>(c), y, width, height};
            ImGui::SetCursorScreenPos({area.x, area.y});
            const StudyItem& item = study.items[i];
            if (clickArea(fmt::format("cell{}", i).c_str(), {width, height}) &&
                item.problem.empty())
                clicked = &item;
            if (explained(ui)) explains = &item, place = area;
            cell(ui, item, i, area, heat, unit, static_cast<int>(i) == current);
        }
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
    smallLine(ui, fmt::format("{} rays/s; {} runs to the right", unit == 1e9 ? "G" : "M", grid.x));
    if (explains != nullptr) itemTooltip(ui, *explains, place);
    return clicked;
}

}  // namespace rayscope
