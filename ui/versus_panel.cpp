#include "ui/versus_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/choices/axes.h"
#include "ui/code_panel.h"
#include "ui/format.h"
#include "ui/plots.h"
#include "ui/present.h"

namespace rayscope {

namespace {

constexpr float kColumnGap = 14, kErrorPlotHeight = 168;
constexpr const char* kUnpinned =
    "Pin the present settings as A, then change something: B. Both pictures are rendered at the "
    "same time and shown side by side.";
constexpr const char* kFigureLabels[] = {"Samples", "Kernel time", "Rays/s", "Error"};
constexpr const char* kShowings[] = {"Split", "Difference", "A", "B"};

/// A is pinned and grey, B is alive.
const ImVec4& colorOf(Side side) {
    return side == Side::a ? colors::text : colors::accent;
}

void showingRow(const Ui& ui, Pinned& pinned) {
    constexpr const char* kHints[] = {
        "A left of the line, B right of it; drag the line (V).",
        "How far the radiance of A and B lies apart, in false colours: noise fades while both go "
        "on, what stays is a difference (V).",
        "A alone (V).", "B alone (V)."};
    for (int i = 0; i < 4; ++i) {
        const Showing showing = static_cast<Showing>(i);
        const std::string name = fmt::format("showing.{}", nameOf(showing));
        if (partButton(ui, kShowings[i], name, 4, i == 0, kHints[i], pinned.showing == showing))
            pinned.showing = showing;
    }
}

void differenceRow(const Ui& ui, Pinned& pinned) {
    checkbox(ui, "sign", "difference.sign", pinned.withSign, true,
             "Blue where A is brighter, red where B is.");
    ImGui::SameLine();
    float gain = static_cast<float>(pinned.gain);
    ImGui::SetNextItemWidth(-1);
    const std::string text = fmt::format("{:.3g} errors", std::exp2(kNoiseStops - pinned.gain));
    if (ImGui::SliderFloat("##gain", &gain, 0, static_cast<float>(kMostGain), text.c_str()))
        pinned.gain = std::round(2 * gain) / 2;
    note(ui, "difference.gain");
    hint(ui,
         "The difference that has the last colour, in standard errors of a pixel of both pictures: "
         "what is noise alone stays dark, however many samples there are.");
}

/// "A" or "B" and a text that is cut where it is too long.
void settingsLine(const Ui& ui, Side side, const std::string& text, const std::string& whole) {
    const char* name = side == Side::a ? "A" : "B";
    const float width = ImGui::GetContentRegionAvail().x, gap = ui.theme.units(kColumnGap);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, ui.theme.strong, at, packed(colorOf(side)), name);
    const float left = textSize(ui.theme.strong, "A").x + gap;
    drawText(list, ui.theme.body, {at.x + left, at.y}, packed(colors::text),
             fitted(ui.theme.body, text, width - left));
    ImGui::Dummy({width, ui.theme.body.size});
    note(ui, side == Side::a ? "settings.a" : "settings.b");
    hint(ui, whole);
}

std::string onLines(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '\n');
    return text;
}

void settingsLines(const Ui& ui, const Settings& a, const Settings& b, const Scene& scene) {
    const std::string own = difference(defaultSettings(a.backend, scene), a);
    settingsLine(
        ui, Side::a,
        fmt::format("{} {}", valueOf(*findAxis("backend"), a), own.empty() ? "defaults" : own),
        onLines(describe(a)));
    std::string changes = difference(a, b);
    if (a.seed != b.seed) changes += fmt::format("{}seed={}", changes.empty() ? "" : " ", b.seed);
    settingsLine(ui, Side::b, changes.empty() ? "the same as A" : changes, onLines(changes));
}

/// Where the machine code is the same: then the rates say something else than they seem to.
void codeLine(const Ui& ui, const CodeVerdict& code) {
    const bool noise = code.relation == CodeRelation::noise;
    if (!noise && code.relation != CodeRelation::sameCode) return;
    paragraph(code.sentence, noise ? colors::warning : colors::dim);
    note(ui, "versus.code");
}

std::string shortTime(double ms) {
    return ms < 1e4 ? formatNumber(ms) + " ms" : formatNumber(ms / 1e3) + " s";
}

std::string shortError(std::optional<double> error) {
    if (!error) return "\u2014";
    const double percent = 100 * *error;
    return (percent < .1 ? fmt::format("{:.2g}", percent) : formatNumber(percent)) + " %";
}

float figureWidth(const Theme& theme) {
    return textSize(theme.body, "888.8 M").x;
}

void row(const Ui& ui, const char* label, const std::string& a, const std::string& b,
         const char* help, const Face& face) {
    const float right = ImGui::GetContentRegionAvail().x;
    const float middle =
        right - std::max(figureWidth(ui.theme), right * .27f) - ui.theme.units(kColumnGap);
    columns(ui, face, label, {{a, middle, colorOf(Side::a)}, {b, right, colorOf(Side::b)}}, 0);
    hint(ui, help);
}

void table(const Ui& ui, const SideRecord& a, const SideRecord& b) {
    row(ui, "", "A", "B", "", ui.theme.strong);
    const Face& face = ui.theme.body;
    row(ui, kFigureLabels[0], formatNumber(a.samples()), formatNumber(b.samples()),
        "Of every pixel, since the film of the side began.", face);
    row(ui, kFigureLabels[1], shortTime(a.stats.kernelMs), shortTime(b.stats.kernelMs),
        "That the side's film has taken: GPU time between events, on the CPU wall time of the "
        "workers.",
        face);
    row(ui, kFigureLabels[2], shortRate(a.raysPerSecond()), shortRate(b.raysPerSecond()),
        "Rays over kernel time, since the film began.", face);
    row(ui, kFigureLabels[3], shortError(a.error()), shortError(b.error()),
        "The standard error of a pixel, in percent of the picture's mean radiance. Whenever a film "
        "has twice as many samples as it had when it was last looked at, the difference says how "
        "noisy it is; in between the error falls with the root of the samples. No reference is "
        "needed, but what every sample has in common is not seen: neither bias nor light that is "
        "never found. The difference of the pictures shows that.",
        face);
}

std::string leadText(const std::optional<Lead>& lead) {
    if (!lead) return "Which of the two has less error in the same time? Measuring...";
    if (!lead->clear())
        return fmt::format(
            "No measurable difference: B has the same error in {:.2f} \u00b1 {:.2f} "
            "of the time",
            lead->ratio, 2 * lead->spread * lead->ratio);
    const bool b = lead->ratio < 1;
    const double ratio = b ? lead->ratio : 1 / lead->ratio;
    return fmt::format("{} has the same error in {:.2f} \u00b1 {:.2f} of the time", b ? "B" : "A",
                       ratio, 2 * lead->spread * ratio);
}

/// What was measured, and where the side is now.
ErrorCurve curveOf(const Versus& versus, Side side) {
    const SideRecord& record = versus.record(side);
    ErrorCurve curve{record.history, colorOf(side)};
    if (const auto error = record.error()) curve.points.push_back({record.stats.kernelMs, *error});
    std::erase_if(curve.points,
                  [](const ErrorPoint& p) { return !(p.kernelMs > 0 && p.error > 0); });
    return curve;
}

}  // namespace

float VersusTab::width(const Theme& theme) const {
    float labels = 0;
    for (const char* label : kFigureLabels)
        labels = std::max(labels, textSize(theme.body, label).x);
    return labels + 2 * (figureWidth(theme) + theme.units(kColumnGap));
}

void VersusTab::drawPinButtons(const Ui& ui) {
    Frame& frame = ui.frame;
    if (partButton(ui, "Pin as A", "button.pin", 3, true,
                   "The present settings become A, in place of those there (P)."))
        frame.then([this, &frame] { pin(frame); });
    if (partButton(ui, "Unpin", "button.unpin", 3, false, "Ends the comparison; B goes on (P)."))
        frame.then([this, &frame] { unpin(frame); });
    if (partButton(ui, "Swap", "button.swap", 3, false,
                   "A's settings become B's, to be changed, and B's are pinned."))
        frame.then([this, &frame] { swap(frame); });
}

void VersusTab::drawRace(const Ui& ui) {
    Frame& frame = ui.frame;
    if (versus_.racing()) {
        if (partButton(ui, "Stop the race", "button.race", 1, true,
                       "From now on the sides take turns frame by frame."))
            stopRace();
    } else if (partButton(ui, "Race", "button.race", 1, true,
                          "Both begin anew and get the same kernel time: the side that has had "
                          "less is next.")) {
        frame.then([this, &frame] { race(frame); });
    }
    const std::optional<Lead> lead = leadOf(versus_.record(Side::a), versus_.record(Side::b));
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::BeginChild("lead", {width, 2 * ImGui::GetTextLineHeightWithSpacing()});
    const bool gain = lead && lead->ratio < 1;
    paragraph(leadText(lead), !lead || !lead->clear() ? colors::dim
                              : gain                  ? colors::accent
                                                      : colors::text);
    ImGui::EndChild();
    note(ui, "lead");
    hint(ui,
         "Mean square error times kernel time, B's over A's, with two standard errors. It hardly "
         "depends on how far the films have come, but on the size of the picture: a larger pixel "
         "sees more of the scene. Bias is not seen.");
}

void VersusTab::drawPinned(const Ui& ui) {
    State& state = ui.frame.state;
    drawPinButtons(ui);
    showingRow(ui, *state.pinned);
    if (state.pinned->showing == Showing::difference) differenceRow(ui, *state.pinned);
    space(ui, 1);
    settingsLines(ui, state.pinned->settings, state.settings, state.scene);
    if (code_ != nullptr) codeLine(ui, code_->verdict());
    space(ui, 1);
    table(ui, versus_.record(Side::a), versus_.record(Side::b));
    space(ui, 1);
    drawRace(ui);
    drawErrorPlot(ui.theme, {curveOf(versus_, Side::a), curveOf(versus_, Side::b)},
                  ui.theme.units(kErrorPlotHeight));
    note(ui, "plot.error");
    if (button(ui, "Save as a page", "button.versus_page", {-1},
               "Both sides and the picture as one file for a browser."))
        ui.frame.then([&frame = ui.frame] { frame.host.savePage(nullptr); });
}

void VersusTab::drawPanel(const Ui& ui) {
    if (ui.frame.state.pinned) return drawPinned(ui);
    if (partButton(ui, "Pin as A", "button.pin", 1, true, ""))
        ui.frame.then([this, &frame = ui.frame] { pin(frame); });
    paragraph(kUnpinned, colors::text);
}

}  // namespace rayscope
