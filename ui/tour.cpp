#include <fmt/format.h>

#include <algorithm>

#include "ui/format.h"
#include "ui/ladder_panel.h"
#include "ui/stored_figures.h"

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
    return fmt::format("{:.2f}x {}, now {}", *climb.gain(index), climb.ladder()->rungs[from].name,
                       figure);
}

/// "Predicted" and what it says.
void line(const Ui& ui, const char* label, const std::string& text, const ImVec4& color) {
    textLine(label, colors::dim);
    ImGui::SameLine(textSize(ui.theme.body, "Predicted").x + ui.theme.units(30));
    paragraph(text, color);
}

}  // namespace

TourText tourText(const LadderClimb& climb, int index) {
    const Ladder& ladder = *climb.ladder();
    const Rung& rung = ladder.rungs[index];
    const Standing& standing = climb.standings()[index];
    TourText text;
    text.place = fmt::format("{} of {}", index + 1, ladder.rungs.size());
    for (const auto& [axis, value] : rung.changes)
        text.changes += fmt::format("{}{}={}", text.changes.empty() ? "" : "   ", axis, value);
    text.predicted = predictedText(ladder, index);
    text.measured = measuredText(climb, index);
    text.problem = standing.reason.empty() ? standing.skipped() : standing.reason;
    return text;
}

void LadderTab::drawTourButtons(const Ui& ui) {
    const float width =
        std::min(textSize(ui.theme.body, "End the tour").x + ui.theme.units(20), shareOfLine(3));
    const auto to = [&](const char* label, const char* name, int target, bool possible) {
        if (button(ui, label, name, {width, possible}))
            ui.frame.then([this, &frame = ui.frame, target] { tour(target, frame); });
    };
    const int count = static_cast<int>(climb_.standings().size());
    to("Back", "tour.back", tour_ - 1, tour_ > 0);
    ImGui::SameLine();
    to("Next", "tour.next", tour_ + 1, tour_ + 1 < count);
    ImGui::SameLine();
    to("End the tour", "tour.end", -1, true);
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    textLine(fitted(ui.theme.body, "Page Up, Page Down", ImGui::GetContentRegionAvail().x),
             colors::dim);
}

void LadderTab::draw(const Ui& ui) {
    if (tour_ < 0 || climb_.ladder() == nullptr) return;
    const TourText text = tourText(climb_, tour_);
    const Rung& rung = climb_.ladder()->rungs[tour_];
    const Rect& free = ui.layout.free;
    const float width = std::min(free.width, ui.theme.units(kWidth));
    const float top = ui.theme.units(12);
    if (beginPanel("Tour", {free.x + (free.width - width) / 2, free.y + top, width,
                            std::max(free.height - top, 1.f)})) {
        strongLine(ui, rung.name, colors::accent);
        ImGui::SameLine();
        textLine(fmt::format("{}, {}", climb_.ladder()->name, text.place), colors::dim);
        drawTourButtons(ui);  // where they stay, however long the text is
        space(ui, 2);
        paragraph(rung.why, colors::text);
        if (!text.changes.empty()) paragraph(text.changes, colors::dim);
        space(ui, 2);
        line(ui, "Predicted", text.predicted, colors::text);
        if (!text.problem.empty())
            line(ui, "Measured", text.problem, colors::warning);
        else if (text.measured.empty())
            line(ui, "Measured", "...", colors::dim);
        else
            line(ui, "Measured", text.measured, gainColor(climb_, tour_));
        const std::string there = storedFigure(climb_.ladder()->name, rung.name);
        if (!text.problem.empty() && !there.empty()) line(ui, "Elsewhere", there, colors::text);
        if (const std::string spread = climb_.spread(tour_); !spread.empty())
            line(ui, " ", spread, colors::dim);
        if (const std::string warning = climb_.warning(tour_); !warning.empty())
            line(ui, " ", warning, colors::warning);
    }
    endPanel(ui, "panel.tour");
}

void LadderTab::tour(int rung, Frame& frame) {
    const int count = climb_.ladder() != nullptr ? static_cast<int>(climb_.standings().size()) : 0;
    tour_ = std::min(rung, count - 1);
    if (tour_ < 0 || !climb_.standings()[tour_].reason.empty()) return;
    frame.paused = false;
    if (tour_ == climb_.current()) return;
    climb_.cancel();
    frame.warn(enter(tour_, frame));
}

}  // namespace rayscope
