#include "ui/lab_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/ladder_panel.h"
#include "ui/versus_panel.h"

namespace rayscope {

namespace {

constexpr float kButtonUnits = 76;
constexpr std::array<const char*, kExperiments> kHints{
    "Compares every other value of every axis with the present settings. The ratios also appear "
    "beside the controls.",
    "Compares each rung of the ladder with the one that it changes.",
    "Makes each of the ladder's changes alone, to its first rung: the order of a ladder decides "
    "what a step seems to be worth.",
    "Takes each of the ladder's changes back alone, from its last rung.",
    "Measures the settings on a line, or on a grid of two axes.",
    "Looks for the fastest settings that trace the same paths, by successive halving, and proves "
    "the winner."};

std::string wordOf(const LabRecord& record) {
    const std::string time = record.date.size() >= 16 ? record.date.substr(11, 5) : "";
    const std::string scene =
        record.study.scenes.size() == 1 ? record.state.scene->name + ": " : "";
    return fmt::format("{}  {}{}", time, scene, record.title);
}

}  // namespace

LabTab::LabTab(std::function<Machine()> open) : Tab("lab", "Lab"), lab_(std::move(open)) {}

/// Until somebody wants another experiment than the first.
void LabTab::drawFolded(const Ui& ui) {
    ImGui::AlignTextToFramePadding();
    strongLine(ui, labelOf(choice_.experiment), colors::text);
    const char* const label = "More experiments";
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - buttonWidth(label));
    if (button(ui, label, "lab.more", {},
               "Ladders step by step, sweeps over one or two choices, a search for the fastest."))
        unfolded_ = true;
}

void LabTab::drawChoice(const Ui& ui) {
    if (!unfolded_) return drawFolded(ui);
    std::vector<Option> experiments;
    for (int i = 0; i < kExperiments; ++i)
        experiments.push_back({std::to_string(i), labelOf(Experiment(i))});
    ImGui::SetNextItemWidth(-1);
    const auto chosen =
        combo(ui, "lab.experiment", experiments, static_cast<int>(choice_.experiment));
    if (chosen) choice_.experiment = Experiment(*chosen);
    if (choice_.usesLadder()) {
        const Frame& frame = ui.frame;
        if (choice_.ladder.empty())
            choice_.ladder = reaches_.first(ladders_, frame.backends, frame.state.settings.backend);
        ImGui::SetNextItemWidth(-1);
        nameCombo(ui, "lab.ladder", ladders_, choice_.ladder);
    } else if (choice_.experiment == Experiment::sweep) {
        std::vector<std::string> names = sweepAxes(ui.frame.state.settings);
        const float half = shareOfLine(2);
        ImGui::SetNextItemWidth(half);
        nameCombo(ui, "lab.x", names, choice_.x, "x: ");
        ImGui::SameLine();
        names.insert(names.begin(), "none");
        ImGui::SetNextItemWidth(half);
        nameCombo(ui, "lab.y", names, choice_.y, "y: ");
    }
}

void LabTab::drawButtons(const Ui& ui) {
    const float width = ui.theme.units(kButtonUnits);
    Frame& frame = ui.frame;
    if (button(ui, lab_.running() ? "Cancel" : "Measure", "button.measure", {width}))
        frame.then([this, &frame] { lab_.running() ? lab_.cancel() : measure(frame); });
    ImGui::SameLine();
    if (lab_.running()) {
        const float share = static_cast<float>(lab_.share());
        ImGui::ProgressBar(share, {ImGui::GetContentRegionAvail().x, 0},
                           lab_.timeLeft().empty()
                               ? fmt::format("{:.0f} %", 100 * share).c_str()
                               : fmt::format("{} left", lab_.timeLeft()).c_str());
        return;
    }
    if (button(ui, "Save", "button.save", {width, lab_.shown() != nullptr},
               "Writes what is shown as JSON and CSV files into the current folder."))
        frame.then([this, &frame] { save(frame); });
    ImGui::SameLine();
    if (button(ui, "Page", "button.page", {width, lab_.shown() != nullptr},
               "Saves what is shown as a page for a browser, with the picture and the conditions: "
               "one file to print or to hand in."))
        frame.then([this, &frame] {
            if (lab_.shown() != nullptr) frame.host.savePage(pageReport(*lab_.shown()));
        });
}

/// What was found out so far, to show one again.
void LabTab::drawHistory(const Ui& ui) {
    const int count = static_cast<int>(lab_.history().size());
    if (count < 2 || lab_.running()) return;
    std::vector<Option> records;  // the newest first
    for (int i = count - 1; i >= 0; --i) {
        const LabRecord& record = *lab_.history()[static_cast<size_t>(i)];
        records.push_back({std::to_string(i), fmt::format("{}##{}", wordOf(record), i)});
    }
    ImGui::SetNextItemWidth(-1);
    if (const auto chosen = combo(ui, "lab.history", records, count - 1 - lab_.shownIndex()))
        lab_.show(count - 1 - *chosen);
}

void LabTab::drawHint(const Ui& ui) {
    paragraph(kHints[static_cast<size_t>(choice_.experiment)], colors::dim);
    if (ui.frame.state.settings.backend == Backend::cpu)
        paragraph("On the CPU pictures are a quarter of the window each way.", colors::dim);
    space(ui, 2);
}

void LabTab::drawResult(const Ui& ui, float room) {
    const LabRecord& record = *lab_.shown();
    Frame& frame = ui.frame;
    if (record.tuned) {
        if (drawTuned(ui, *record.tuned, lab_.running(), room)) {
            frame.then([this, &frame, job = record.tuned, scene = record.state.scene] {
                take(job->winner(), scene, frame);
            });
        }
        return;
    }
    const Study& study = lab_.study();
    const bool grid = study.grid && !study.grid->rows.empty();
    const StudyItem* clicked = grid ? drawGrid(ui, study, lab_.current(), room)
                                    : drawStudy(ui, study, lab_.current(), room);
    if (clicked == nullptr) return;
    frame.then([this, &frame, settings = clicked->b, scene = study.scenes[clicked->scene]] {
        take(settings, scene, frame);
    });
}

/// What the result is of, and a warning where that is not what is shown.
void LabTab::drawPlace(const Ui& ui) {
    if (lab_.shown() == nullptr) return;
    // Which experiment it is of: another may be chosen above.
    const float room = ImGui::GetContentRegionAvail().x;
    strongLine(ui, fitted(ui.theme.strong, "Measured: " + lab_.shown()->title, room), colors::text);
    note(ui, "lab.measured");
    const std::string elsewhere = lab_.shown()->elsewhere(ui.frame.state);
    const std::string where = lab_.shown()->where();
    const std::string text = elsewhere.empty() ? where : elsewhere + ": " + where;
    pushFace(ui.theme.small);
    textLine(fitted(ui.theme.small, text, ImGui::GetContentRegionAvail().x),
             elsewhere.empty() ? colors::dim : colors::warning);
    popFace();
    note(ui, "lab.place");
    hint(ui, elsewhere.empty() ? text : "The picture shows something else. Measured: " + where);
}

void LabTab::drawPanel(const Ui& ui) {
    drawChoice(ui);
    drawButtons(ui);
    drawHistory(ui);
    drawPlace(ui);
    const float below = ImGui::GetStyle().WindowPadding.y;
    const float room = ui.layout.throughput.height - ImGui::GetCursorPosY() - below;
    lab_.shown() == nullptr ? drawHint(ui) : drawResult(ui, room);
}

void LabTab::key(const KeyPress& press, Frame&) {
    if (press.key == Key::escape) lab_.cancel();
}

void LabTab::measure(Frame& frame) {
    const Size film = frame.tracer.size();
    frame.warn(lab_.start(choice_, frame.state, film.width, film.height));
}

void LabTab::save(Frame& frame) {
    if (lab_.running() || lab_.shown() == nullptr) return;
    auto record = lab_.history()[static_cast<std::size_t>(lab_.shownIndex())];
    const std::string stem = frame.files.freshStem(stemOf(*record), {".json", ".csv"});
    frame.errands.send([&frame, stem, record = std::move(record)]() -> Errands::Then {
        return [&frame, stem, problem = rayscope::save(*record, stem)] {
            problem.empty() ? frame.say(fmt::format("Saved {}.json and .csv", stem))
                            : frame.warn(problem);
        };
    });
}

void LabTab::take(const Settings& settings, const SharedScene& scene, Frame& frame) {
    State next = frame.state;
    next.settings = settings;
    next.settings.display = frame.state.settings.display;
    if (!frame.backends.unsupported(next.settings).empty())
        next.settings.display = settings.display;
    if (scene == frame.state.scene) {
        const std::string problem = frame.backends.unsupported(next.settings);
        if (problem.empty()) frame.state.settings = next.settings;
        return frame.warn(problem);
    }
    next.enter(scene);
    adoptWithPinned(std::move(next), frame);
}

std::string LabTab::doing() const {
    return lab_.doing();
}

void LabTab::describe(const Frame& frame, nlohmann::json& status) const {
    const std::vector<StudyItem>& items = lab_.study().items;
    const auto answered = std::count_if(items.begin(), items.end(), [](const StudyItem& item) {
        return item.result || !item.problem.empty();
    });
    status["lab"] = {{"running", lab_.running()},
                     {"share", lab_.share()},
                     {"items", items.size()},
                     {"answered", answered},
                     {"history", lab_.history().size()}};
    if (lab_.shown() != nullptr) {
        status["lab"]["where"] = lab_.shown()->where();
        status["lab"]["elsewhere"] = lab_.shown()->elsewhere(frame.state);
    }
}

}  // namespace rayscope
