#include "ui/tour.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/format.h"

namespace rayscope {

namespace {

constexpr float kWidth = 560;

std::string figureText(const Figure& f) {
    return fmt::format("{} {}", f.value, f.unit->id);
}

/// The nearest rung on the way to this one that has a published figure of the same kind; -1: none.
int publishedBefore(const Ladder& ladder, int rung) {
    for (int from = ladder.rungs[rung].from; from >= 0; from = ladder.rungs[from].from) {
        const Rung& r = ladder.rungs[from];
        if (r.published && r.measures == ladder.rungs[rung].measures) return from;
    }
    return -1;
}

std::string predictedText(const Ladder& ladder, int index) {
    const Rung& rung = ladder.rungs[index];
    if (!rung.published) return "no figure was published";
    const std::string figure = figureText(*rung.published);
    const int before = publishedBefore(ladder, index);
    if (before < 0) return fmt::format("{} on {}", figure, rung.published->device);
    const Rung& from = ladder.rungs[before];
    return fmt::format("{:.2f}x {}, {} to {} on {}",
                       rung.published->speed() / from.published->speed(), from.name,
                       figureText(*from.published), figure, rung.published->device);
}

std::string measuredText(const LadderClimb& climb, int index) {
    const std::string figure = climb.figure(index);
    const int from = climb.measuredBefore(index);
    if (figure.empty() || from < 0) return figure;
    return fmt::format("{:.2f}x {}, now {}", *climb.speed(index) / *climb.speed(from),
                       climb.ladder()->rungs[from].name, figure);
}

/// "Predicted" and what it says.
void line(const Ui& ui, const char* label, const std::string& text, const ImVec4& color) {
    textLine(label, colors::dim);
    ImGui::SameLine(textSize(ui.theme.body, "Predicted").x + ui.theme.units(30));
    paragraph(text, color);
}

void buttons(const Ui& ui, int rung, int count) {
    const float third =
        (ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().ItemSpacing.x) / 3;
    const float width =
        std::min(textSize(ui.theme.body, "End the tour").x + ui.theme.units(20), third);
    const auto to = [&](const char* label, const char* name, int target, bool possible) {
        ImGui::BeginDisabled(!possible);
        if (ImGui::Button(label, {width, 0})) ui.requests.tour = target;
        ImGui::EndDisabled();
        ui.drawn[name] = {itemRect(), possible};
    };
    to("Back", "tour.back", rung - 1, rung > 0);
    ImGui::SameLine();
    to("Next", "tour.next", rung + 1, rung + 1 < count);
    ImGui::SameLine();
    to("End the tour", "tour.end", -1, true);
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    textLine(fitted(ui.theme.body, "Page Up, Page Down", ImGui::GetContentRegionAvail().x),
             colors::dim);
}

}  // namespace

TourText tourText(const LadderClimb& climb, int index) {
    const Ladder& ladder = *climb.ladder();
    const Rung& rung = ladder.rungs[index];
    const Standing& standing = climb.standings()[index];
    TourText text;
    text.place = fmt::format("{} of {}", index + 1, ladder.rungs.size());
    text.name = rung.name;
    text.why = rung.why;
    for (const auto& [axis, value] : rung.changes)
        text.changes += fmt::format("{}{}={}", text.changes.empty() ? "" : "   ", axis, value);
    text.predicted = predictedText(ladder, index);
    text.measured = measuredText(climb, index);
    text.problem = standing.reason.empty() ? standing.skipped() : standing.reason;
    return text;
}

void drawTour(const Ui& ui, const LadderClimb& climb, int rung) {
    const TourText text = tourText(climb, rung);
    const Rect& free = ui.layout.free;
    const float width = std::min(free.width, ui.theme.units(kWidth));
    const float top = ui.theme.units(12);
    if (beginPanel("Tour", {free.x + (free.width - width) / 2, free.y + top, width,
                            std::max(free.height - top, 1.f)})) {
        pushFace(ui.theme.strong);
        textLine(text.name, colors::accent);
        popFace();
        ImGui::SameLine();
        textLine(fmt::format("{}, {}", climb.ladder()->name, text.place), colors::dim);
        paragraph(text.why, colors::text);
        if (!text.changes.empty()) paragraph(text.changes, colors::dim);
        ImGui::Dummy({1, ui.theme.units(2)});
        line(ui, "Predicted", text.predicted, colors::text);
        if (!text.problem.empty())
            line(ui, "Measured", text.problem, colors::warning);
        else if (text.measured.empty())
            line(ui, "Measured", "...", colors::dim);
        else
            line(ui, "Measured", text.measured, colors::accent);
        buttons(ui, rung, static_cast<int>(climb.standings().size()));
    }
    ui.drawn["panel.tour"] = {windowRect()};
    ImGui::End();
}

}  // namespace rayscope
