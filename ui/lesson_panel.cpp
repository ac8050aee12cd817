#include "ui/lesson_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "renderer/base/text.h"
#include "renderer/choices/sources.h"
#include "ui/format.h"

namespace rayscope {

namespace {

/// Of a comparison, at most: whoever has saved a file waits for it.
constexpr double kLessonSeconds = 6;
constexpr float kGoalHeight = 14, kTickWidth = 2;  ///< at scale 1
/// The bar reaches to the goal and so much of the way again, on a logarithmic scale.
constexpr double kBeyond = 1.5;

float goalPlace(double ratio, double goal) {
    const double place = std::log(std::max(ratio, 1.)) / (kBeyond * std::log(goal));
    return static_cast<float>(std::clamp(place, 0., 1.));
}

/// How fast it is, with a tick at the goal.
void drawGoalBar(const Ui& ui, const Lesson& lesson, const Interval& ratio, bool solved) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, height = ui.theme.units(kGoalHeight);
    const auto x = [&](double value) { return at.x + width * goalPlace(value, lesson.goal); };
    list.AddRectFilled(at, {at.x + width, at.y + height}, packed(colors::dim, .25f));
    list.AddRectFilled(at, {x(ratio.value), at.y + height},
                       packed(solved ? colors::accent : colors::warning));
    const float tick = x(lesson.goal);
    list.AddRectFilled({tick, at.y}, {tick + ui.theme.units(kTickWidth), at.y + height},
                       packed(colors::text));
    ImGui::Dummy({width, height});
    note(ui, "lesson.bar");
    hint(ui, fmt::format("{}; the tick is the goal, {}x. Logarithmic, from the lesson's own "
                         "kernels on.",
                         timesText(ratio), lesson.goal));
}

void figureRows(const Ui& ui, const std::vector<MovedFigure>& figures) {
    const float width = ImGui::GetContentRegionAvail().x;
    for (const MovedFigure& figure : figures) {
        if (!figure.known()) continue;
        columns(ui, ui.theme.small, figure.fact.label,
                {{factText(figure.fact, figure.fact.value), width,
                  figure.moved() ? colors::accent : colors::text},
                 {factText(figure.fact, figure.before), .76f * width, colors::text}},
                2);
    }
}

int movedOf(const std::vector<MovedFigure>& figures) {
    return static_cast<int>(std::ranges::count_if(figures, &MovedFigure::moved));
}

}  // namespace

void LessonView::begin(LessonWish wish) {
    wish.seconds = std::min(wish.seconds, kLessonSeconds);
    wish.explains = true;
    wish_ = std::move(wish);
}

/// Empty where something can be measured, as far as is known.
std::string LessonView::noGpu(const Frame& frame) const {
    if (machine_ || !noGpu_.empty() || wish_->b.backend == Backend::cpu) return noGpu_;
    return frame.backends.has(Backend::cuda) ? std::string() : frame.backends.noCuda();
}

/// Only what differs from the lesson's own is worth a measurement.
void LessonView::noticeSources() {
    const unsigned version = kernelSourcesVersion(wish_->b.source);
    if (version_ == version) return;
    version_ = version;
    changed_ = kernelSources(wish_->b.source) != kernelSources(wish_->state.settings.source);
    due_ = changed_ && noGpu_.empty();
    codeDue_ = true;
    problem_.clear();
    if (job_) job_->cancel();
}

void LessonView::step(Frame& frame) {
    if (!wish_) return;
    noticeSources();
    if (reading_ && reading_->step(0)) {
        code_ = reading_->result();
        reading_.reset();
    }
    if (codeDue_ && !reading_ && !frame.host.measuring()) {
        codeDue_ = false;
        const int architecture = frame.backends.has(Backend::cuda)
                                     ? frame.backends.get(Backend::cuda).device().architecture
                                     : kUsualArchitecture;
        reading_ = std::make_unique<ThreadJob<CodeMoves>>(
            [wish = *wish_, architecture](const std::stop_token& stop) {
                return codeMoves(wish, architecture, [&stop] { return !stop.stop_requested(); });
            });
    }
    const bool busy = frame.host.measuring() || frame.host.working() || reading_;
    if (due_ && !busy && !frame.paused && !frame.steering.moving(frame.now)) measure(frame);
}

/// Renderers of its own.
void LessonView::openMachine() {
    if (machine_) return;
    machine_ = open_();
    if (Renderer* const own = machine_->of(wish_->b.backend)) own->setScene(wish_->state.scene);
}

void LessonView::measure(Frame& frame) {
    due_ = false;
    problem_.clear();
    try {
        openMachine();
        Renderer* const own = machine_->of(wish_->b.backend);
        if (own == nullptr) {
            noGpu_ = machine_->noCuda;
            return machine_.reset();
        }
        job_ = std::make_unique<LessonJob>(*own, *wish_, watches_);
        resultVersion_ = *version_;
    } catch (const std::runtime_error& error) {
        machine_.reset();
        frame.warn(error.what());
    }
}

void LessonView::work(Frame& frame, double ms) {
    try {
        if (!job_->step(ms)) return;
    } catch (const std::runtime_error& error) {
        problem_ = error.what();
        frame.warn(fmt::format("{}: given up ({})", titleOf(wish_->lesson), problem_));
        job_.reset();
        return machine_.reset();
    }
    problem_ = job_->problem();
    if (problem_.empty() && job_->complete()) {
        result_ = job_->result();
        ++measured_;
        if (result_->solved()) frame.say(titleOf(wish_->lesson) + ": solved");
    }
    job_.reset();
}

void LessonView::key(const KeyPress& press, Frame&) {
    if (press.key == Key::escape && job_) job_->cancel();
}

void LessonView::leaveGpu(Frame&) {
    job_.reset();
    machine_.reset();
    noGpu_.clear();
    version_.reset();
}

std::string LessonView::doing() const {
    if (!job_) return {};
    const std::optional<double> seconds = job_->secondsLeft();
    return fmt::format("lesson{}", seconds ? ": " + durationText(*seconds) : "");
}

void LessonView::drawTask(const Ui& ui) {
    const Lesson& lesson = wish_->lesson;
    strongLine(ui, fmt::format("Lesson {}: {}", lesson.number, lesson.title), colors::text);
    if (taskShown_) paragraph(lesson.task, colors::text);
    if (smallButton(ui, taskShown_ ? "Hide the task" : "Show the task", "lesson.task"))
        taskShown_ = !taskShown_;
    space(ui, 2);
}

/// Measured against the goal.
void LessonView::drawGoal(const Ui& ui) {
    const Lesson& lesson = wish_->lesson;
    const bool now = result_ && resultVersion_ == version_;
    const std::string goal = fmt::format("goal {}x, {}", lesson.goal, nameOf(lesson.work));
    if (!result_) return paragraph(goal, colors::dim);
    const PairResult& pair = result_->pair;
    const float width = ImGui::GetContentRegionAvail().x;
    columns(ui, ui.theme.body, fmt::format("{:.2f}x", pair.speed.samples.value),
            {{goal, width, colors::dim}}, 2, result_->solved() ? colors::accent : colors::warning);
    drawGoalBar(ui, lesson, pair.speed.samples, result_->solved());
    const std::string text =
        result_->solved() ? "Solved: " + sentenceOf(pair) : "Not yet: " + result_->missing;
    paragraph(now ? text : "Of the kernels before. " + text,
              result_->solved() ? colors::accent : colors::text);
    note(ui, "lesson.verdict");
}

void LessonView::drawMoves(const Ui& ui) {
    const bool solved = result_ && result_->solved();
    const auto known = [](const std::vector<MovedFigure>& figures) {
        return std::ranges::any_of(figures, &MovedFigure::known);
    };
    const bool counted = solved && known(result_->counters);
    if (known(code_.figures) || counted) {
        const float width = ImGui::GetContentRegionAvail().x;
        columns(ui, ui.theme.small, "what is to move",
                {{"own", width, colors::dim}, {"weak", .76f * width, colors::dim}}, 2);
        figureRows(ui, code_.figures);
        if (counted) figureRows(ui, result_->counters);
        space(ui, 2);
    }
    if (!solved) return;
    if (!result_->noCounters.empty())
        paragraph("Counters are missing: " + result_->noCounters, colors::dim);
    paragraph(wish_->lesson.why, colors::accent);
    note(ui, "lesson.why");
}

void LessonView::drawButtons(const Ui& ui, bool gpu) {
    Frame& frame = ui.frame;
    const bool idle = job_ == nullptr;
    const bool possible = gpu && (!idle || (!frame.host.measuring() && !frame.host.working()));
    if (button(ui, idle ? "Measure" : "Cancel", "lesson.measure", {.enabled = possible},
               "Compares your kernels with the lesson's own; done by itself when you save."))
        frame.then([this, &frame] { job_ ? job_->cancel() : measure(frame); });
    if (idle) return;
    ImGui::SameLine();
    const float share = static_cast<float>(job_->share());
    ImGui::ProgressBar(share, {ImGui::GetContentRegionAvail().x, 0},
                       job_->explaining() ? "what moved" : nullptr);
}

void LessonView::drawPanel(const Ui& ui) {
    if (!wish_) return;
    drawTask(ui);
    const std::string noGpu = this->noGpu(ui.frame);
    if (!noGpu.empty())
        paragraph(fmt::format("Nothing can be measured here: {}. The lesson is about a GPU's "
                              "kernels.",
                              noGpu),
                  colors::warning);
    drawGoal(ui);
    if (!problem_.empty()) paragraph(problem_, colors::warning);
    if (!changed_)
        paragraph(fmt::format("Nothing is changed yet: edit the files in {}.",
                              sourceFolder(wish_->b.source)),
                  colors::dim);
    drawButtons(ui, noGpu.empty());
    drawMoves(ui);
    ImGui::Separator();
    space(ui, 2);
}

void LessonView::describe(const Frame&, nlohmann::json& status) const {
    if (!wish_) return;
    nlohmann::json& lesson = status["lesson"] = {{"name", wish_->lesson.name},
                                                 {"running", job_ != nullptr},
                                                 {"share", job_ ? job_->share() : 1.},
                                                 {"changed", changed_},
                                                 {"measured", measured_},
                                                 {"problem", problem_},
                                                 {"code", movedOf(code_.figures)}};
    if (!result_) return;
    lesson.update({{"solved", result_->solved()},
                   {"missing", result_->missing},
                   {"counters", movedOf(result_->counters)}});
}

}  // namespace rayscope
