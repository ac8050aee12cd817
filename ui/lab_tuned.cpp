#include <fmt/format.h>

#include <algorithm>

#include "renderer/choices/axes.h"
#include "renderer/lab/autotune_report.h"
#include "renderer/lab/comparison_report.h"
#include "ui/format.h"
#include "ui/lab_panel.h"

namespace rayscope {

namespace {

void roundRows(const Autotune& job, const AutotuneRound& round) {
    const std::vector<const Candidate*> order = ranking(round);
    paragraph(fmt::format("{}, {:.2g} s each", round.name, round.seconds), colors::dim);
    for (size_t i = 0; i < std::min(order.size(), kShownCandidates); ++i) {
        paragraph(fmt::format("{:.2f}x  {}", order[i]->ratio.value,
                              difference(job.start(), order[i]->settings)),
                  colors::text);
    }
}

}  // namespace

void drawTuned(const Ui& ui, const LabRecord& record, bool running, float room,
               LabRequests& requests) {
    const Autotune& job = *record.tuned;
    ImGui::BeginChild("tuned", {0, room});
    if (!running) {
        if (job.proof()) {
            paragraph(sentenceOf(*job.proof()), colors::accent);
            paragraph(difference(job.start(), job.winner()), colors::text);
            if (ImGui::Button("Apply", {ui.theme.units(64), 0})) {
                requests.apply = job.winner();
                requests.scene = record.state.scene;
            }
            ui.drawn["button.apply"] = {itemRect()};
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
    ui.drawn["lab.tuned"] = {windowRect()};
    ImGui::EndChild();
}

}  // namespace rayscope
