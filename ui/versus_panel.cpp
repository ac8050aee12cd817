#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/choices/axes.h"
#include "ui/format.h"
#include "ui/panels.h"
#include "ui/plots.h"

namespace rayscope {

namespace {

constexpr float kGap = 14, kPlotHeight = 168;
constexpr const char* kUnpinned =
    "Pin the present settings as A, then change something: B. Both pictures are rendered at the "
    "same time and shown side by side.";
constexpr const char* kLabels[] = {"Samples", "Kernel time", "Rays/s", "Error"};
constexpr const char* kShowings[] = {"Split", "Difference", "A", "B"};

/// A is pinned and grey, B is alive.
const ImVec4& colorOf(Side side) {
    return side == Side::a ? colors::text : colors::accent;
}

/// One of several buttons that share the width.
bool shareButton(const Ui& ui, const char* label, const char* name, int count, bool lit = false) {
    const float gap = ImGui::GetStyle().ItemSpacing.x / 2;
    const float whole = ImGui::GetWindowContentRegionMax().x - ImGui::GetWindowContentRegionMin().x;
    const float width =
        std::floor((whole - gap * static_cast<float>(count - 1)) / static_cast<float>(count));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
    if (lit) ImGui::PushStyleColor(ImGuiCol_Text, colors::accent);
    const bool pressed = ImGui::Button(label, {width, 0});
    if (lit) ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    ui.drawn[name] = {itemRect()};
    return pressed;
}

void nextButton() {
    ImGui::SameLine(0, ImGui::GetStyle().ItemSpacing.x / 2);
}

void space(const Ui& ui) {
    ImGui::Dummy({1, ui.theme.units(1)});
}

void pinRow(const Ui& ui) {
    VersusRequests& asked = ui.requests.versus;
    asked.pin |= shareButton(ui, "Pin as A", "button.pin", 3);
    hint(ui, "The present settings become A, in place of those there (P).");
    nextButton();
    asked.unpin |= shareButton(ui, "Unpin", "button.unpin", 3);
    hint(ui, "Ends the comparison; B goes on (P).");
    nextButton();
    asked.swap |= shareButton(ui, "Swap", "button.swap", 3);
    hint(ui, "A's settings become B's, to be changed, and B's are pinned.");
}

void showingRow(const Ui& ui, Pinned& pinned) {
    constexpr const char* kHints[] = {
        "A left of the line, B right of it; drag the line (V).",
        "How far the radiance of A and B lies apart, in false colours: noise fades while both go "
        "on, what stays is a difference (V).",
        "A alone (V).", "B alone (V)."};
    for (int i = 0; i < 4; ++i) {
        if (i > 0) nextButton();
        const Showing showing = static_cast<Showing>(i);
        const std::string name = fmt::format("showing.{}", nameOf(showing));
        if (shareButton(ui, kShowings[i], name.c_str(), 4, pinned.showing == showing))
            pinned.showing = showing;
        hint(ui, kHints[i]);
    }
}

void differenceRow(const Ui& ui, Pinned& pinned) {
    ImGui::Checkbox("sign", &pinned.withSign);
    ui.drawn["difference.sign"] = {itemRect()};
    hint(ui, "Blue where A is brighter, red where B is.");
    ImGui::SameLine();
    float gain = static_cast<float>(pinned.gain);
    ImGui::SetNextItemWidth(-1);
    const std::string text = fmt::format("gain {:.3g}", std::exp2(pinned.gain));
    if (ImGui::SliderFloat("##gain", &gain, 0, static_cast<float>(kMostGain), text.c_str()))
        pinned.gain = std::round(2 * gain) / 2;
    ui.drawn["difference.gain"] = {itemRect()};
    hint(ui, "At gain 1 the last colour is the radiance that is shown as white.");
}

/// "A" or "B" and a text that is cut where it is too long.
void settingsLine(const Ui& ui, Side side, const std::string& text, const std::string& whole) {
    const char* name = side == Side::a ? "A" : "B";
    const float width = ImGui::GetContentRegionAvail().x, gap = ui.theme.units(kGap);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, ui.theme.strong, at, packed(colorOf(side)), name);
    const float left = textSize(ui.theme.strong, "A").x + gap;
    drawText(list, ui.theme.body, {at.x + left, at.y}, packed(colors::text),
             fitted(ui.theme.body, text, width - left));
    ImGui::Dummy({width, ui.theme.body.size});
    ui.drawn[side == Side::a ? "settings.a" : "settings.b"] = {itemRect()};
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
    ImGui::PushStyleColor(ImGuiCol_Text, noise ? colors::warning : colors::dim);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(code.sentence.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ui.drawn["versus.code"] = {itemRect()};
}

std::string shortRate(std::optional<double> rate) {
    if (!rate) return "\u2014";
    const Quantity q = formatQuantity(*rate, "");
    return q.unit.empty() ? q.number : fmt::format("{} {}", q.number, q.unit.front());
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
    const float width = ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, ui.theme.body, at, packed(colors::dim), label);
    const float right = at.x + width;
    const float middle =
        right - std::max(figureWidth(ui.theme), width * .27f) - ui.theme.units(kGap);
    drawText(list, face, {middle - textSize(face, a).x, at.y}, packed(colorOf(Side::a)), a);
    drawText(list, face, {right - textSize(face, b).x, at.y}, packed(colorOf(Side::b)), b);
    ImGui::Dummy({width, ui.theme.body.size});
    hint(ui, help);
}

void table(const Ui& ui, const SideRecord& a, const SideRecord& b) {
    row(ui, "", "A", "B", "", ui.theme.strong);
    const Face& face = ui.theme.body;
    row(ui, kLabels[0], formatNumber(a.samples()), formatNumber(b.samples()),
        "Of every pixel, since the film of the side began.", face);
    row(ui, kLabels[1], shortTime(a.stats.kernelMs), shortTime(b.stats.kernelMs),
        "That the side's film has taken: GPU time between events, on the CPU wall time of the "
        "workers.",
        face);
    row(ui, kLabels[2], shortRate(a.raysPerSecond()), shortRate(b.raysPerSecond()),
        "Rays over kernel time, since the film began.", face);
    row(ui, kLabels[3], shortError(a.error()), shortError(b.error()),
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

void raceRow(const Ui& ui, const Versus& versus) {
    const std::optional<Lead> lead = leadOf(versus.record(Side::a), versus.record(Side::b));
    if (versus.racing()) {
        ui.requests.versus.stopRace |= shareButton(ui, "Stop the race", "button.race", 1);
        hint(ui, "From now on the sides take turns frame by frame.");
    } else {
        ui.requests.versus.race |= shareButton(ui, "Race", "button.race", 1);
        hint(ui,
             "Both begin anew and get the same kernel time: the side that has had less is next.");
    }
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::BeginChild("lead", {width, 2 * ImGui::GetTextLineHeightWithSpacing()});
    ImGui::PushTextWrapPos(0);
    ImGui::PushStyleColor(ImGuiCol_Text, lead && lead->clear() ? colors::accent : colors::dim);
    ImGui::TextUnformatted(leadText(lead).c_str());
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
    ImGui::EndChild();
    ui.drawn["lead"] = {itemRect()};
    hint(ui,
         "Mean square error times kernel time, B's over A's, with two standard errors. It hardly "
         "depends on how far the films have come. Bias is not seen.");
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

float versusWidth(const Theme& theme) {
    float labels = 0;
    for (const char* label : kLabels) labels = std::max(labels, textSize(theme.body, label).x);
    return labels + 2 * (figureWidth(theme) + theme.units(kGap));
}

void drawVersusPanel(const Ui& ui, const Versus& versus, const CodeVerdict& code, State& state) {
    if (beginSidePanel(ui, SideTab::versus)) {
        if (state.pinned) {
            pinRow(ui);
            showingRow(ui, *state.pinned);
            if (state.pinned->showing == Showing::difference) differenceRow(ui, *state.pinned);
            space(ui);
            settingsLines(ui, state.pinned->settings, state.settings, state.scene);
            codeLine(ui, code);
            space(ui);
            table(ui, versus.record(Side::a), versus.record(Side::b));
            space(ui);
            raceRow(ui, versus);
            drawErrorPlot(ui.theme, {curveOf(versus, Side::a), curveOf(versus, Side::b)},
                          ui.theme.units(kPlotHeight));
            ui.drawn["plot.error"] = {itemRect()};
        } else {
            ui.requests.versus.pin |= shareButton(ui, "Pin as A", "button.pin", 1);
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(kUnpinned);
            ImGui::PopTextWrapPos();
        }
    }
    endSidePanel(ui, SideTab::versus);
}

}  // namespace rayscope
