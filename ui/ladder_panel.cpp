#include "ui/ladder_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/lab/own_ladder.h"
#include "renderer/lab/run_ladder.h"
#include "renderer/scene/json.h"
#include "ui/format.h"
#include "ui/stored_figures.h"
#include "ui/versus_panel.h"

namespace rayscope {

namespace {

/// Speeds that lie further apart than this are drawn on a logarithmic scale.
constexpr double kLinearRange = 20;
constexpr const char* kWidestName = "(experiment) one material";

/// "716 M" or "2500 ms".
std::string shortFigure(const Figure& f) {
    return f.unit->rate ? shortRate(f.base()) : fmt::format("{} {}", f.value, f.unit->id);
}

/// "716 M" or "12.3 ms", as it was measured here; empty before.
std::string shortFigure(const LadderClimb& climb, int rung) {
    const Standing& standing = climb.standings()[rung];
    if (!standing.measured()) return {};
    const double value = standing.result->value.median;
    if (climb.ladder()->rungs[rung].measures == Measures::rate) return shortRate(value);
    return value < .9995 ? formatNumber(1e3 * value) + " ms" : formatNumber(value) + " s";
}

/// Beside the user's screenshots.
std::string ownLadder() {
    return (std::filesystem::path(outputFolder()) / "rayscope-ladder.json").string();
}

std::string labelOf(const std::string& ladder) {
    return isPath(ladder) ? std::filesystem::path(ladder).stem().string() : ladder;
}

float valueColumn(const Theme& theme) {
    return textSize(theme.body, "888.8 M").x;
}

/// The published figures as speeds of this machine, as if its first measured rung had been the
/// published one; before there is one, relative to each other.
std::vector<std::optional<double>> publishedSpeeds(const LadderClimb& climb) {
    const std::vector<Rung>& rungs = climb.ladder()->rungs;
    double scale = 1;
    std::optional<Measures> measures;
    for (size_t i = 0; i < rungs.size(); ++i) {
        if (!rungs[i].published) continue;
        if (!measures) measures = rungs[i].measures;
        const std::optional<double> speed = climb.speed(static_cast<int>(i));
        if (rungs[i].measures != *measures || !speed) continue;
        scale = *speed / rungs[i].published->speed();
        break;
    }
    std::vector<std::optional<double>> speeds(rungs.size());
    for (size_t i = 0; i < rungs.size(); ++i) {
        const Rung& rung = rungs[i];
        if (rung.published && rung.measures == *measures)
            speeds[i] = scale * rung.published->speed();
    }
    return speeds;
}

/// From speeds to shares of a bar's width.
struct BarScale {
    double low = 0, high = 1;
    bool logarithmic = false;
    float operator()(double speed) const {
        const double share =
            logarithmic ? std::log(speed / low) / std::log(high / low) : speed / high;
        return static_cast<float>(std::clamp(share, 0., 1.));
    }
};

BarScale scaleFor(const LadderClimb& climb, const std::vector<std::optional<double>>& published) {
    double low = INFINITY, high = 0;
    const auto include = [&](const std::optional<double>& rate) {
        if (!rate || !(*rate > 0)) return;
        low = std::min(low, *rate);
        high = std::max(high, *rate);
    };
    for (size_t i = 0; i < published.size(); ++i) {
        include(climb.speed(static_cast<int>(i)));
        include(published[i]);
    }
    if (!(high > 0)) return {};
    // The slowest rung keeps a bar that can be seen.
    if (high > kLinearRange * low) return {low / 2, high, true};
    return {0, high, false};
}

std::string wholeFigure(const Figure& f) {
    return fmt::format("{} {} on {}{}{}", f.value, f.unit->id, f.device, f.what.empty() ? "" : ", ",
                       f.what);
}

std::string ratioText(const LadderClimb& climb, int rung) {
    const std::string figure = climb.figure(rung);
    if (figure.empty()) return {};
    const Rung& r = climb.ladder()->rungs[rung];
    const std::string text = fmt::format("measured here: {}, clock: {}\n{}", figure,
                                         nameOf(r.clock), climb.spread(rung));
    const std::optional<double> gain = climb.gain(rung);
    if (!gain) return text;
    return text + fmt::format("\n{:.2f}x {}", *gain,
                              climb.ladder()->rungs[climb.measuredBefore(rung)].name);
}

void rungTooltip(const Ui& ui, const LadderClimb& climb, int index, const Rect& area) {
    const Rung& rung = climb.ladder()->rungs[index];
    const TourText text = tourText(climb, index);
    beginTooltip(ui, area);
    strongLine(ui, rung.name, colors::text);
    textLine(rung.why, colors::text);
    textLine(text.changes, colors::dim);
    if (rung.published) textLine("published: " + wholeFigure(*rung.published), colors::text);
    for (const Figure& f : rung.references) textLine(wholeFigure(f), colors::text);
    textLine(ratioText(climb, index), gainColor(climb, index));
    textLine(text.problem, colors::warning);
    if (!text.problem.empty())
        textLine(storedFigure(climb.ladder()->name, rung.name), colors::text);
    textLine(climb.warning(index), colors::warning);
    endTooltip(ui);
}

void drawBar(const Ui& ui, const LadderClimb& climb, int index, const BarScale& scale,
             const std::optional<double>& published, const Rect& area) {
    const std::optional<double> speed = climb.speed(index);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float bottom = area.y + area.height, round = area.height / 2;
    list.AddRectFilled(area.low(), area.high(), packed(colors::faint, .6f), round);
    if (speed) {
        const float end = area.x + std::max(scale(*speed) * area.width, area.height);
        const bool here = index == climb.current();
        list.AddRectFilled({area.x, area.y}, {end, bottom}, packed(colors::accent, here ? 1 : .6f),
                           round);
    }
    if (!published) return;
    const float x = area.x + scale(*published) * area.width, width = ui.theme.units(1.5f);
    const float over = ui.theme.units(2);
    list.AddRectFilled({x - width, area.y - over}, {x, bottom + over}, packed(colors::text, .85f));
}

ListRow rungRow(const Ui& ui, const LadderClimb& climb, int index, bool toured,
                const BarScale& scale, const std::optional<double>& published) {
    const Theme& theme = ui.theme;
    const Standing& standing = climb.standings()[index];
    const Rung& rung = climb.ladder()->rungs[index];
    const bool possible = standing.reason.empty(), here = index == climb.current();
    const bool measuring = climb.target() == index;
    const ListRow row = listRow(ui, fmt::format("ladder.rung.{}", index), possible);
    if ((measuring && climb.climbing()) || toured) ImGui::SetScrollHereY();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (here || toured || (possible && row.hovered)) row.lightUp(theme, here || toured ? 1 : .6f);
    const auto [at, width] = std::pair(row.text, row.width);
    const std::string figure = shortFigure(climb, index);
    const std::string value = figure.empty() && measuring ? "..." : figure;
    drawText(list, theme.body, {at.x + width - textSize(theme.body, value).x, at.y},
             packed(colors::text), value);
    const std::string theirs = rung.published ? shortFigure(*rung.published) : "";
    const float gap = theme.units(8), figureWidth = textSize(theme.small, theirs).x;
    const float rest = width - valueColumn(theme) - gap - figureWidth;
    drawText(list, theme.small,
             {at.x + rest, at.y + (theme.body.size - theme.small.size) * kBaseline},
             packed(colors::dim), theirs);
    const ImVec4& color = here ? colors::accent : possible ? colors::text : colors::dim;
    drawText(list, theme.body, at, packed(color), fitted(theme.body, rung.name, rest - gap));
    drawBar(ui, climb, index, scale, published, row.bar);
    return row;
}

}  // namespace

ImVec4 gainColor(const LadderClimb& climb, int rung) {
    const std::optional<double> gain = climb.gain(rung);
    return gain && *gain > 1 ? colors::accent : colors::text;
}

float LadderTab::width(const Theme& theme) const {
    return textSize(theme.body, kWidestName).x + textSize(theme.small, "8888 ms").x +
           valueColumn(theme) + theme.units(2 * 8 + 2 * kRowInset);
}

void LadderTab::drawPanel(const Ui& ui) {
    drawChooser(ui);
    if (climb_.ladder() == nullptr) return;
    drawButtons(ui);
    drawBack(ui);
    drawReach(ui);
    const ImGuiStyle& style = ImGui::GetStyle();
    const float below = ui.theme.small.size + style.ItemSpacing.y + style.WindowPadding.y;
    drawRungs(ui, ui.layout.throughput.height - ImGui::GetCursorPosY() - below);
    smallLine(ui, "bar: here   tick and grey figure: published");
    hint(ui,
         "Figures are those of rayscope ladder: each rung is measured beside the picture by the "
         "story's own clock. A longer bar is faster; where rungs lie more than 20 times apart the "
         "scale is logarithmic. Ticks are the published figures, which stand in grey, scaled so "
         "that the first measured rung agrees.");
}

void LadderTab::drawRungs(const Ui& ui, float room) {
    const std::vector<std::optional<double>> published = publishedSpeeds(climb_);
    const BarScale scale = scaleFor(climb_, published);
    const int count = static_cast<int>(climb_.ladder()->rungs.size());
    beginRows("rungs", rowHeight(ui.theme), published.size(), room);
    int explains = -1;
    Rect place;
    for (int i = 0; i < count; ++i) {
        const ListRow row = rungRow(ui, climb_, i, i == tour_, scale, published[i]);
        if (row.explained) explains = i, place = row.area;
        if (!row.clicked) continue;
        ui.frame.then([this, &frame = ui.frame, i] {
            climb_.cancel();
            frame.warn(enter(i, frame));
        });
    }
    endRows(ui, "ladder.rungs");
    if (explains >= 0) rungTooltip(ui, climb_, explains, place);
}

void LadderTab::drawChooser(const Ui& ui) {
    Frame& frame = ui.frame;
    ImGui::SetNextItemWidth(-1);
    const std::string now = climb_.ladder() != nullptr ? climb_.ladder()->name : "";
    if (beginCombo(ui, "ladder", now)) {
        for (const std::string& name : names_) {
            const std::string label = labelOf(name);
            if (entry(ui, label, "ladder." + label, name == chosen_) && name != chosen_)
                frame.then([this, &frame, name] { choose(name, frame); });
            const LadderReach& known = reach(name, frame);
            hint(ui, known.title + "\n" + known.sentence());
            smallLine(ui, known.title);
        }
        return ImGui::EndCombo();
    }
    if (climb_.ladder() == nullptr || !explained(ui)) return;
    beginTooltip(ui, itemRect());
    textLine(climb_.ladder()->title, colors::text);
    textLine(climb_.ladder()->source, colors::dim);
    endTooltip(ui);
}

/// Once for all rungs, where most of them cannot be had.
void LadderTab::drawReach(const Ui& ui) {
    const LadderReach& reach = this->reach(chosen_, ui.frame);
    if (!reach.hardly()) return;
    paragraph(reach.why, colors::warning);
    note(ui, "ladder.reach");
}

void LadderTab::drawButtons(const Ui& ui) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float width = std::max(buttonWidth("Cancel"), buttonWidth("Climb"));
    if (button(ui, climb_.climbing() ? "Cancel" : "Climb", "button.climb", {width})) {
        ui.frame.then([this, &frame = ui.frame] { climb_.climbing() ? cancel() : start(frame); });
    }
    ImGui::SameLine(0, gap);
    if (button(ui, "Tour", "button.tour", {width},
               "Goes through the rungs one by one: what each does, what its story makes of it, and "
               "what it is worth here.")) {
        ui.frame.then([this, &frame = ui.frame] { tour(0, frame); });
    }
    ImGui::SameLine(0, gap);
    if (button(ui, "Add", "button.add_rung", {width},
               fmt::format("Adds the present settings as a rung to {}, a ladder of your own, and "
                           "measures it.",
                           ownLadder())))
        ui.frame.then([this, &frame = ui.frame] { addRung(frame); });
    ImGui::SameLine(0, gap);
    const bool known = climb_.ladder() != nullptr && !climb_.report().is_null();
    if (button(ui, "Page", "button.ladder_page", {width, known && !climb_.measuring()},
               "Saves the rungs that were measured as a page for a browser, with the picture and "
               "the conditions: one file to print or to hand in."))
        ui.frame.then([this, &frame = ui.frame] { frame.host.savePage(climb_.report()); });
    ImGui::SameLine(0, gap);
    ImGui::AlignTextToFramePadding();
    const std::vector<Standing>& all = climb_.standings();
    const auto possible =
        std::count_if(all.begin(), all.end(), [](const Standing& s) { return s.reason.empty(); });
    const std::string text = climb_.climbing()
                                 ? fmt::format("rung {} of {}", climb_.target() + 1, all.size())
                                 : fmt::format("{} of {} run here", possible, all.size());
    textLine(fitted(ui.theme.body, text, ImGui::GetContentRegionAvail().x), colors::dim);
}

/// Where a rung has been entered.
void LadderTab::drawBack(const Ui& ui) {
    const State& state = ui.frame.state;
    if (!before_ || climb_.climbing()) return;
    if (before_->settings == state.settings && before_->scene == state.scene) return;
    if (button(ui, "Back to before the climb", "button.before", {-1},
               fmt::format("{} with the settings that were there before the first rung.",
                           before_->scene->name)))
        ui.frame.then([this, &frame = ui.frame] { goBack(frame); });
}

void LadderTab::key(const KeyPress& press, Frame& frame) {
    if (press.key == Key::previous && tour_ > 0) tour(tour_ - 1, frame);
    if (press.key == Key::next && tour_ >= 0) tour(tour_ + 1, frame);
    if (press.key != Key::escape) return;
    climb_.cancel();
    tour_ = -1;
}

void LadderTab::act(Frame& frame) {
    if (frame.tab != id() || climb_.ladder() != nullptr) return;
    std::error_code error;  // a ladder of the user's may have come from another window
    if (std::filesystem::exists(ownLadder(), error) &&
        std::ranges::find(names_, ownLadder()) == names_.end())
        names_.push_back(ownLadder());
    if (!names_.empty())
        choose(reaches_.first(names_, frame.backends, frame.state.settings.backend), frame);
}

void LadderTab::start(Frame& frame) {
    frame.paused = false;
    climb_.look(frame.backends, frame.state);
    keep(frame.state);
    climb_.start();
}

void LadderTab::addRung(Frame& frame) {
    const std::string file = ownLadder();
    const auto added = rayscope::addRung(file, frame.state.scene, frame.state.settings);
    if (!added) return frame.warn(added.reason());
    if (std::ranges::find(names_, file) == names_.end()) names_.push_back(file);
    reaches_.forget(file);
    tour_ = -1;
    chosen_ = file;
    std::string problem = climb_.reload(file);
    if (problem.empty()) problem = enter(*added, frame);
    added_ = problem.empty() ? *added : -1;
    frame.warn(problem);
}

/// Once a rung that was added has been measured.
void LadderTab::keepAdded(Frame& frame) {
    if (added_ < 0 || climb_.measuring()) return;
    const int rung = std::exchange(added_, -1);
    if (chosen_ != ownLadder() || rung >= static_cast<int>(climb_.standings().size())) return;
    const Standing& standing = climb_.standings()[static_cast<size_t>(rung)];
    if (!standing.measured()) return frame.warn(standing.skipped());
    const std::string figure = climb_.figure(rung), name = climb_.ladder()->rungs[rung].name;
    std::string problem = keepFigure(chosen_, *standing.result).reason();
    if (problem.empty()) problem = climb_.reload(chosen_);
    if (!problem.empty()) return frame.warn(problem);
    frame.say(fmt::format("Added {}: {}", name, figure));
}

/// What comes from a rung is no place to go back to.
void LadderTab::keep(const State& state) {
    if (climb_.ladder() != nullptr && (!before_ || climb_.current() < 0)) before_ = state;
}

/// The camera stays where the scene does.
void LadderTab::goBack(Frame& frame) {
    if (!before_) return;
    climb_.cancel();
    tour_ = -1;
    State before = *std::exchange(before_, std::nullopt);
    frame.rates.name("before the climb", frame.now);
    if (before.scene == frame.state.scene) {
        frame.state.settings = before.settings;
    } else {
        frame.host.adopt(std::move(before));
    }
}

std::string LadderTab::enter(int rung, Frame& frame) {
    State& state = frame.state;
    climb_.look(frame.backends, state);
    const Standing standing = climb_.standings()[rung];
    if (!standing.reason.empty()) return standing.reason;
    if (!climb_.climbing()) keep(state);
    frame.rates.name(climb_.ladder()->rungs[rung].name, frame.now);
    const SharedScene& scene = standing.scene;
    if (state.scene == scene) {
        state.settings = standing.settings;
    } else {
        State next = state;
        next.enter(scene);
        if (scene->camera == state.scene->camera) next.camera = state.camera;
        next.settings = standing.settings;
        adoptWithPinned(std::move(next), frame);
    }
    climb_.entered(rung);
    return frame.backends.unsupported(state.settings);
}

/// Where the state is; a climb enters the rung that it has come to.
void LadderTab::step(Frame& frame) {
    keepAdded(frame);
    if (frame.tab != id() && !climb_.climbing() && tour_ < 0) return;
    climb_.look(frame.backends, frame.state);
    if (!climb_.climbing()) return;
    if (const std::optional<int> rung = climb_.next()) enter(*rung, frame);
    if (!climb_.climbing()) frame.say("The climb has ended");
}

std::string LadderTab::doing() const {
    if (!climb_.climbing()) return {};
    const std::optional<double> left = climb_.secondsLeft();
    return fmt::format("climbing {} of {}{}", climb_.target() + 1, climb_.standings().size(),
                       left ? ": " + durationText(*left) : "");
}

void LadderTab::describe(const Frame&, nlohmann::json& status) const {
    status["tour"] = tour_;
    nlohmann::json& ladder = status["ladder"] = nlohmann::json::object();
    if (climb_.ladder() == nullptr) return;
    ladder = {{"name", climb_.ladder()->name},
              {"rung", climb_.current()},
              {"climbing", climb_.climbing()},
              {"rungs", nlohmann::json::array()}};
    for (size_t i = 0; i < climb_.standings().size(); ++i) {
        const Standing& standing = climb_.standings()[i];
        ladder["rungs"].push_back(
            {{"name", climb_.ladder()->rungs[i].name},
             {"value", standing.measured() ? standing.result->value.median : 0},
             {"figure", climb_.figure(static_cast<int>(i))},
             {"reason", standing.reason},
             {"skipped", standing.skipped()}});
    }
}

}  // namespace rayscope
