#include "ui/simulation_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "renderer/devices/starting.h"
#include "ui/format.h"
#include "ui/kernel_panel.h"
#include "ui/scene_panel.h"

namespace rayscope {

namespace {

// in the order of Start
const std::vector<Option> kStarts{
    {"plummer", "Plummer's sphere"}, {"discs", "two discs"}, {"cube", "cold cube"}};

constexpr NumberRange kBodies{1, kMaxBodies, {}, true};
/// Of the slider; a file may have larger ones.
constexpr int kMostSeed = 9999;
/// Of the slider; a file may have a shorter one.
constexpr double kLeastStep = 1e-6;

/// A picture that takes longer gives way to the next step, as to the next camera.
constexpr double kPicturePatience = .25;
/// The rate of steps is of about so long.
constexpr double kRateSeconds = 1;
/// A second: the picture then moves.
constexpr double kFluentSteps = 20;
/// More take longer to place than a frame may.
constexpr int kPlacedInAFrame = 1 << 14;

bool positive(const Rows& rows, const char* text, const std::string& name, double& value,
              double low, double high, const char* help) {
    rows.field(text);
    const bool changed =
        ImGui::DragScalar(("##" + name).c_str(), ImGuiDataType_Double, &value, .01f, &low, &high,
                          "%.4g", ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
    note(rows.ui, name);
    hint(rows.ui, help);
    return changed;
}

bool whole(const Rows& rows, const char* text, const std::string& name, const NumberRange& range,
           int& value, const char* help) {
    const int before = value;
    rows.field(text);
    numberControl(rows.ui, name, range, fieldWidth(rows.ui.theme, kBodies), value,
                  [&] { hint(rows.ui, help); });
    return value != before;
}

void figure(const Ui& ui, const char* name, const std::string& value, const char* help) {
    columns(ui, ui.theme.body, name, {{value, ImGui::GetContentRegionAvail().x, colors::text}}, 1);
    hint(ui, help);
}

/// "1.85 T/s"
std::string perSecond(double rate) {
    if (rate <= 0) return "\u2014";
    const Quantity q = formatQuantity(rate, "");
    return fmt::format("{} {}/s", q.number, q.unit);
}

/// Of steps, per second; 0: not known yet.
double stepRate(const std::deque<std::pair<double, std::int64_t>>& shown) {
    if (shown.size() < 2) return 0;
    const auto [began, first] = shown.front();
    const auto [now, last] = shown.back();
    return now > began ? static_cast<double>(last - first) / (now - began) : 0;
}

/// With the bodies of this simulation in place of its own.
void replaceBodies(Scene& scene, const Simulation& simulation) {
    scene.spheres.erase(scene.spheres.begin(), scene.spheres.begin() + bodyCount(scene));
    scene.simulation = simulation;
    placeBodies(scene);
}

}  // namespace

void SimulationView::drawSection(const Rows& rows) {
    rows.heading("Simulation");
    drawButtons(rows.ui);
    drawChoices(rows);
    drawFigures(rows.ui);
    drawFewer(rows.ui);
}

void SimulationView::drawButtons(const Ui& ui) {
    const float third = shareOfLine(3);
    if (button(ui, running_ ? "Pause" : "Start", "simulation.run", {third, true, running_},
               "Whether the bodies move. While they stand still the picture gathers samples. How "
               "forces are computed, and steps a frame, are axes: see the Kernel panel."))
        running_ = !running_;
    ImGui::SameLine();
    if (button(ui, "Step", "simulation.step", {third, !running_}, "One step, then stand still."))
        once_ = true;
    ImGui::SameLine();
    if (button(ui, "Reset", "simulation.reset", {third}, "Back to the start: step 0."))
        reset_ = true;
}

void SimulationView::drawChoices(const Rows& rows) {
    const Simulation& now = *rows.ui.frame.state.scene->simulation;
    Simulation chosen = wish_.value_or(now);
    bool changed = whole(rows, "Bodies", "simulation.bodies", kBodies, chosen.bodies,
                         "Each attracts all others: a step takes their square.");
    changed |= positive(rows, "Time step", "simulation.time_step", chosen.step, kLeastStep,
                        kMaxTimeStep, "Of the leapfrog. Shorter ones keep the energy better.");
    changed |= positive(rows, "Softening", "simulation.softening", chosen.softening, kMinSoftening,
                        kMaxSoftening, "The length below which attraction no longer grows.");
    rows.field("Start");
    if (const auto start =
            combo(rows.ui, "simulation.start", kStarts, static_cast<int>(chosen.start))) {
        chosen.start = static_cast<Start>(*start);
        changed = true;
    }
    changed |= whole(rows, "Seed", "simulation.seed", {0, std::max(kMostSeed, now.seed)},
                     chosen.seed, "The same one gives the same bodies.");
    if (changed) wish_ = chosen;
}

void SimulationView::drawFigures(const Ui& ui) {
    const Frame& frame = ui.frame;
    const LiveSimulation::Figures f = live_ ? live_->figures() : LiveSimulation::Figures{};
    figure(
        ui, "Step", fmt::format("{}, time {:.4g}", formatCount(step_), step_ * simulation_.step),
        "Of the bodies shown. Rates of rays belong to the steps during which they were measured.");
    const double rate = stepRate(shown_);
    figure(ui, "Steps / s", rate > 0 ? formatNumber(rate) : "\u2014",
           "Shown in the last second, beside all else that the window does.");
    figure(ui, "Interactions", perSecond(f.interactionsPerSecond),
           "Bodies squared, once a step, over the time of the kernels that compute them.");
    figure(ui, "Energy drift",
           f.energyDrift ? fmt::format("{:.2g} at {}", *f.energyDrift, formatCount(f.driftStep))
                         : "\u2014",
           "Relative, since the start, at this step. It is summed in double precision, every two "
           "seconds at most; on a CPU only of up to 65,536 bodies.");
    paragraph(f.problem.empty() ? standsStill(frame) : f.problem,
              f.problem.empty() ? colors::dim : colors::warning);
}

/// Where a CPU takes long for a step: as many bodies as let it take kFluentSteps a second.
void SimulationView::drawFewer(const Ui& ui) {
    const Frame& frame = ui.frame;
    const double rate = live_ ? live_->figures().interactionsPerSecond : 0;
    if (frame.state.settings.backend != Backend::cpu || !(rate > 0)) return;
    const Simulation& now = *frame.state.scene->simulation;
    const auto most = static_cast<int>(std::bit_floor(
        static_cast<unsigned>(std::clamp(std::sqrt(rate / kFluentSteps), 1., 1. * now.bodies))));
    if (most >= now.bodies || most < kBodies.low) return;
    const std::string label = fmt::format("{} bodies: {:.0f} steps a second",
                                          formatCount(static_cast<unsigned>(most)), kFluentSteps);
    if (!button(ui, label.c_str(), "simulation.fewer", {-1},
                "A step takes the square of the bodies, and this processor is slow for so many. "
                "Fewer fill as much of the picture, as they are larger; Ctrl+Z brings these back."))
        return;
    wish_ = now;
    wish_->bodies = most;
    wish_->radius = now.radius * std::cbrt(1. * now.bodies / most);
}

/// Why, where that is not the user's choice; else empty.
std::string SimulationView::standsStill(const Frame& frame) const {
    if (making_) return "The bodies are being placed.";
    if (!running_ && !once_) return {};
    if (frame.paused) return "It stands still while the picture is paused.";
    if (frame.state.pinned) return "It stands still while A is pinned, as A and B show one step.";
    if (frame.host.measuring() || frame.host.working())
        return "It stands still while a job has the time of the frames.";
    return {};
}

void SimulationView::adopted(Frame& frame, const State& before) {
    wish_.reset();
    if (frame.state.scene.version() != before.scene.version()) begin(frame);
}

void SimulationView::act(Frame& frame) {
    if (wish_ && !ImGui::IsAnyItemActive()) remake(frame);
    const SharedScene& scene = frame.state.scene;
    if (!scene->simulation) {
        live_.reset();
        moved_.reset();
        return;
    }
    const bool moved = std::exchange(reset_, false) && step_ > 0;
    if (moved || !live_ || !(simulation_ == *scene->simulation)) begin(frame);
    if (moved) frame.host.bodiesMoved(nullptr);
    if (moved_ && !frame.moved) takeAlong(frame);
    const bool seen =
        frame.tracer.film().samples > 0 || frame.tracer.age(frame.now) > kPicturePatience;
    if (!frame.editing && standsStill(frame).empty() && seen) {
        if (auto done = live_->take()) {
            step_ = done->step;
            show(std::move(done->scene), done->hierarchy, frame);
        }
    }
    frame.step = step_;
    order(frame);
    countSteps(frame.now);
}

/// Bodies as the panel wants them.
void SimulationView::remake(Frame& frame) {
    const Simulation wish = *std::exchange(wish_, std::nullopt);
    const SharedScene& scene = frame.state.scene;
    if (!scene->simulation || *scene->simulation == wish) return;
    making_ = true;
    const bool quick = std::max(wish.bodies, scene->simulation->bodies) <= kPlacedInAFrame;
    frame.errands.send(
        [this, &frame, scene, wish]() mutable -> Errands::Then {
            SharedScene made = scene;
            made.change([&](Scene& s) {
                replaceBodies(s, wish);
                s.name = editedName(s.name);
            });
            return [this, &frame, was = scene.version(), made] {
                making_ = false;
                if (frame.state.scene.version() != was) return;
                std::string problem;
                Settings& settings = frame.state.settings;
                const int depth = settings.depth;
                settings = startingIn(settings, frame.state.scene, made, &problem);
                settings.depth = depth;
                frame.warn(problem);
                frame.state.scene = made;
                frame.host.sceneEdited(-1);
                frame.steering.noteMove(frame.now);
            };
        },
        quick);
}

/// The state's scene, at step 0.
void SimulationView::begin(Frame& frame) {
    moved_.reset();
    frame.moved.reset();
    step_ = 0;
    energyAsked_ = -1;
    shown_.clear();
    if (!frame.state.scene->simulation) return;
    simulation_ = *frame.state.scene->simulation;
    if (live_)
        live_->restart();
    else
        live_.emplace(open_);
}

void SimulationView::show(MovedScene scene, const SharedBvh& hierarchy, Frame& frame) {
    moved_ = frame.moved = std::move(scene);
    frame.host.bodiesMoved(hierarchy);
}

/// Bodies that have moved into the state's scene, which was edited around them.
void SimulationView::takeAlong(Frame& frame) {
    SharedScene scene = frame.state.scene;
    scene.change([&moved = *moved_->now()](Scene& s) {
        for (int i = 0; i < bodyCount(s); ++i) s.spheres[i].center = moved.spheres[i].center;
    });
    show(std::move(scene), nullptr, frame);
}

void SimulationView::order(Frame& frame) {
    const LiveSimulation::Figures f = live_->figures();
    if (f.problem != warned_) frame.warn(warned_ = f.problem);
    if (frame.editing || making_ || !f.problem.empty() || live_->atWork()) return;
    const Settings& settings = frame.state.settings;
    const bool once = once_;
    if (running_ || once) {
        if (!standsStill(frame).empty()) return;
        once_ = false;
        return live_->step(frame.state.scene, settings, running_ ? settings.steps : 1);
    }
    if (energyAsked_ == step_ || step_ == 0 || frame.host.working()) return;
    energyAsked_ = step_;
    live_->step(frame.state.scene, settings, 0);
}

void SimulationView::countSteps(double now) {
    shown_.emplace_back(now, step_);
    while (shown_.size() > 2 && shown_[1].first < now - kRateSeconds) shown_.pop_front();
}

std::optional<nlohmann::json> SimulationView::place(const Frame& frame) const {
    if (!frame.state.scene->simulation) return std::nullopt;
    return nlohmann::json{{"step", step_}, {"time", static_cast<double>(step_) * simulation_.step}};
}

void SimulationView::describe(const Frame& frame, nlohmann::json& status) const {
    auto json = place(frame);
    if (!json || !live_) return;
    const LiveSimulation::Figures f = live_->figures();
    json->update(
        {{"running", running_},
         {"at_work", live_->atWork()},
         {"start", kStarts[static_cast<std::size_t>(simulation_.start)].id},
         {"bodies", simulation_.bodies},
         {"time_step", simulation_.step},
         {"softening", simulation_.softening},
         {"steps_per_second", stepRate(shown_)},
         {"interactions_per_second", f.interactionsPerSecond},
         {"energy_drift", f.energyDrift ? nlohmann::json(*f.energyDrift) : nlohmann::json()},
         {"problem", f.problem}});
    status["simulation"] = *std::move(json);
}

}  // namespace rayscope
