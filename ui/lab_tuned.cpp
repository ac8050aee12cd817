#include <fmt/format.h>

#include <algorithm>

#include "renderer/axes.h"
#include "renderer/lab/autotune_report.h"
#include "renderer/lab/comparison_report.h"
#include "ui/format.h"
#include "ui/lab_panel.h"

namespace rayscope {

namespace {

constexpr size_t kShown = 3;  ///< candidates of a round

void wrapped(const std::string& text, const ImVec4& color) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void roundRows(const Autotune& job, const AutotuneRound& round) {
    std::vector<const Candidate*> order;
    for (const Candidate& c : round.candidates) {
        if (c.problem.empty() && c.ratio.value > 0) order.push_back(&c);
    }
    std::sort(order.begin(), order.end(), [](const Candidate* a, const Candidate* b) {
        return a->ratio.value > b->ratio.value;
    });
    wrapped(fmt::format("{}, {:.2g} s each", round.name, round.seconds), colors::kDim);
    for (size_t i = 0; i < std::min(order.size(), kShown); ++i) {
        wrapped(fmt::format("{:.2f}x  {}", order[i]->ratio.value,
                            difference(job.start(), order[i]->settings)),
                colors::kText);
    }
}

}  // namespace

void drawTuned(const Ui& ui, const LabRecord& record, bool running, float room,
               LabRequests& requests) {
    const Autotune& job = *record.tuned;
    ImGui::BeginChild("tuned", {0, room});
    if (!running) {
        if (job.proof()) {
            wrapped(sentenceOf(*job.proof()), colors::kAccent);
            wrapped(difference(job.start(), job.winner()), colors::kText);
            if (ImGui::Button("Apply", {ui.theme.units(64), 0})) {
                requests.apply = job.winner();
                requests.scene = record.state.scene;
            }
            ui.drawn["button.apply"] = {itemRect()};
        } else if (job.share() >= 1) {
            wrapped("Nothing is measurably faster than the settings it began with.",
                    colors::kAccent);
        } else {
            wrapped("Cancelled before there was a winner.", colors::kWarning);
        }
        for (const std::string& reason : job.rejected())
            wrapped("turned down: " + reason, colors::kWarning);
        ImGui::Separator();
    }
    for (const AutotuneRound& round : job.rounds()) roundRows(job, round);
    if (running) ImGui::SetScrollHereY(1);
    ui.drawn["lab.tuned"] = {windowRect()};
    ImGui::EndChild();
}

}  // namespace rayscope
