#include "ui/lab_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "renderer/choices/axes.h"
#include "ui/format.h"

namespace rayscope {

namespace {

constexpr float kButtonUnits = 76;

std::string wordOf(const LabRecord& record) {
    const std::string time = record.date.size() >= 16 ? record.date.substr(11, 5) : "";
    return fmt::format("{}  {}", time, record.title);
}

void experimentCombo(const Ui& ui, LabChoice& choice) {
    ImGui::SetNextItemWidth(-1);
    if (ImGui::BeginCombo("##experiment", labelOf(choice.experiment))) {
        for (int i = 0; i < kExperiments; ++i) {
            const Experiment e = Experiment(i);
            if (ImGui::Selectable(labelOf(e), e == choice.experiment)) choice.experiment = e;
            ui.drawn[fmt::format("lab.experiment.{}", i)] = {itemRect()};
        }
        ImGui::EndCombo();
    } else {
        ui.drawn["lab.experiment"] = {itemRect()};
    }
}

void nameCombo(const Ui& ui, const char* id, const std::vector<std::string>& names, float width,
               const char* before, std::string& choice) {
    ImGui::SetNextItemWidth(width);
    const std::string shown = before + choice;
    const float room = width - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
    const std::string preview = width > 0 ? fitted(ui.theme.body, shown, room) : shown;
    if (ImGui::BeginCombo(fmt::format("##lab-{}", id).c_str(), preview.c_str(),
                          ImGuiComboFlags_HeightLarge)) {
        for (const std::string& name : names) {
            if (ImGui::Selectable(name.c_str(), name == choice)) choice = name;
            ui.drawn[fmt::format("lab.{}.{}", id, name)] = {itemRect()};
        }
        ImGui::EndCombo();
    } else {
        ui.drawn[fmt::format("lab.{}", id)] = {itemRect()};
    }
}

void choiceRows(const Ui& ui, const LabFacts& facts, LabChoice& choice) {
    experimentCombo(ui, choice);
    switch (choice.experiment) {
        case Experiment::steps:
        case Experiment::addOne:
        case Experiment::leaveOneOut:
            nameCombo(ui, "ladder", facts.ladders, -1, "", choice.ladder);
            break;
        case Experiment::sweep: {
            std::vector<std::string> names = sweepAxes(facts.state.settings);
            const float gap = ImGui::GetStyle().ItemSpacing.x;
            const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
            nameCombo(ui, "x", names, half, "x: ", choice.x);
            ImGui::SameLine(0, gap);
            names.insert(names.begin(), "none");
            nameCombo(ui, "y", names, half, "y: ", choice.y);
            break;
        }
        default:
            break;
    }
}

void measureRow(const Ui& ui, const LabFacts& facts, LabRequests& requests) {
    const Laboratory& lab = facts.lab;
    const float width = ui.theme.units(kButtonUnits);
    if (lab.running()) {
        requests.cancel |= ImGui::Button("Cancel", {width, 0});
    } else {
        requests.measure |= ImGui::Button("Measure", {width, 0});
    }
    ui.drawn["button.measure"] = {itemRect()};
    ImGui::SameLine();
    const float room = ImGui::GetContentRegionAvail().x;
    if (lab.running()) {
        const float share = static_cast<float>(lab.share());
        ImGui::ProgressBar(share, {room, 0}, fmt::format("{:.0f} %", 100 * share).c_str());
        return;
    }
    ImGui::BeginDisabled(lab.shown() == nullptr);
    requests.save |= ImGui::Button("Save", {width, 0});
    ImGui::EndDisabled();
    ui.drawn["button.save"] = {itemRect(), lab.shown() != nullptr};
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        ImGui::SetTooltip("Writes what is shown as JSON and CSV files into the current folder.");
}

/// What was found out so far, to show one again.
void historyRow(const Ui& ui, const Laboratory& lab, LabRequests& requests) {
    if (lab.history().size() < 2 || lab.running()) return;
    ImGui::SetNextItemWidth(-1);
    const int now = lab.shownIndex();
    const float room = ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() -
                       2 * ImGui::GetStyle().FramePadding.x;
    const std::string preview = fitted(ui.theme.body, wordOf(*lab.shown()), room);
    if (ImGui::BeginCombo("##history", preview.c_str(), ImGuiComboFlags_HeightLarge)) {
        for (int i = static_cast<int>(lab.history().size()) - 1; i >= 0; --i) {
            const std::string word =
                fmt::format("{}##{}", wordOf(*lab.history()[static_cast<size_t>(i)]), i);
            if (ImGui::Selectable(word.c_str(), i == now)) requests.show = i;
            ui.drawn[fmt::format("lab.history.{}", i)] = {itemRect()};
        }
        ImGui::EndCombo();
    } else {
        ui.drawn["lab.history"] = {itemRect()};
    }
}

void hint(const Ui& ui, const LabFacts& facts, Experiment experiment) {
    constexpr std::array<const char*, kExperiments> kHints{
        "Compares every other value of every axis with the present settings. The ratios also "
        "appear beside the controls.",
        "Compares each rung of the ladder with the one that it changes.",
        "Makes each of the ladder's changes alone, to its first rung: the order of a ladder "
        "decides what a step seems to be worth.",
        "Takes each of the ladder's changes back alone, from its last rung.",
        "Measures the settings on a line, or on a grid of two axes.",
        "Looks for the fastest settings that trace the same paths, by successive halving, and "
        "proves the winner."};
    ImGui::PushStyleColor(ImGuiCol_Text, colors::dim);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(kHints[static_cast<size_t>(experiment)]);
    if (facts.state.settings.backend == Backend::cpu)
        ImGui::TextUnformatted("On the CPU pictures are a quarter of the window each way.");
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::Dummy({1, ui.theme.units(2)});
}

}  // namespace

void drawLabPanel(const Ui& ui, const LabFacts& facts, LabChoice& choice, LabRequests& requests) {
    if (beginSidePanel(ui, SideTab::lab)) {
        choiceRows(ui, facts, choice);
        measureRow(ui, facts, requests);
        historyRow(ui, facts.lab, requests);
        const LabRecord* record = facts.lab.shown();
        const float below = ImGui::GetStyle().WindowPadding.y;
        const float room = ui.layout.throughput.height - ImGui::GetCursorPosY() - below;
        if (record == nullptr)
            hint(ui, facts, choice.experiment);
        else if (record->tuned)
            drawTuned(ui, *record, facts.lab.running(), room, requests);
        else if (facts.study().grid && !facts.study().grid->rows.empty())
            drawGrid(ui, facts.study(), facts.lab.current(), room, requests);
        else
            drawStudy(ui, facts.study(), facts.lab.current(), room, requests);
    }
    endSidePanel(ui, SideTab::lab);
}

}  // namespace rayscope
