#include "ui/why_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "renderer/base/timeline.h"
#include "renderer/code/carried_kernels.h"
#include "renderer/lab/report.h"
#include "renderer/profile/counters.h"
#include "ui/format.h"
#include "ui/plots.h"

namespace rayscope {

namespace {

constexpr float kStackHeight = 150;
/// Depths that fewer paths reach than this, in percent, are not shown; nor more rows than that.
constexpr double kLeastActive = .05;
constexpr size_t kMostRows = 16;

// Told apart by hue and by lightness.
const ImVec4 kFull{.20f, .62f, .57f, 1}, kDivergent{.96f, .62f, .36f, 1},
    kDone{.30f, .32f, .36f, 1};
/// By HitKind.
const ImVec4 kKinds[kHitKinds] = {
    {.36f, .58f, .90f, 1}, {.98f, .88f, .45f, 1}, {.20f, .62f, .57f, 1}, {.96f, .62f, .36f, 1},
    {.74f, .50f, .86f, 1}, {.90f, .42f, .46f, 1}, {.55f, .57f, .60f, 1}};

void efficiency(const Ui& ui, const Recorded& found) {
    largeFigure(ui, fmt::format("{:.1f} %", 100 * found.lanes.share()), "of lanes trace");
    note(ui, "why.lanes");
    hint(ui, found.paths.packets.lanes > 0
                 ? "Rays over the lanes of all steps of the packets, as they have counted them. A "
                   "step traces a ray in each lane that has a path. Below, beside them, models of "
                   "what a GPU's warps would do with the same paths."
                 : "Rays over 32 times the steps of the warps' bounce loops, a step being one ray "
                   "in some of the lanes. Computed from the lengths of all paths by a model of the "
                   "engine in which all rays take the same time and a warp's lanes come together "
                   "after each step. On the CPU: what a GPU's warps would do.");
    paragraph(fmt::format("{:.0f} % of lanes are idle while others trace: {}.",
                          100 * (1 - found.lanes.share()), reasonFor(found.wish.settings.variant)),
              colors::text);
}

void engineRows(const Ui& ui, const std::vector<EngineLanes>& engines) {
    for (const EngineLanes& engine : engines) {
        const ImVec4& color = engine.running ? colors::accent : colors::dim;
        drawShare(ui.theme, engine.name, engine.lanes.share(), color, color);
    }
}

/// Right-aligned cells of equal width, but for the first.
void cells(const Ui& ui, const std::vector<std::string>& texts, const ImVec4& color) {
    const float width = ImGui::GetContentRegionAvail().x, first = 2.6f * ui.theme.small.size;
    const float step = (width - first) / static_cast<float>(std::max<size_t>(texts.size(), 2) - 1);
    std::vector<Column> row;
    for (size_t i = 0; i < texts.size(); ++i)
        row.push_back({texts[i], first + step * static_cast<float>(i), color});
    columns(ui, ui.theme.small, "", row, 2);
}

std::string percent(double value) {
    return fmt::format("{:.1f}", value);
}

/// Rows up to the first that hardly any path goes beyond.
size_t rowsOf(const Divergence& divergence) {
    const std::vector<DivergenceRow>& rows = divergence.rows;
    const auto last = std::find_if(rows.begin(), rows.end(), [](const DivergenceRow& row) {
        return row.active < kLeastActive;
    });
    return static_cast<size_t>(last - rows.begin()) + (last == rows.end() ? 0 : 1);
}

void warpRows(const Ui& ui, const Divergence& divergence) {
    cells(ui, {"after", "active", "done", "full", "diverg."}, colors::dim);
    for (size_t i = 0; i < std::min(rowsOf(divergence), kMostRows); ++i) {
        const DivergenceRow& row = divergence.rows[i];
        cells(ui,
              {std::to_string(i + 1), percent(row.active), percent(row.done), percent(row.full),
               percent(row.divergent)},
              colors::text);
    }
}

/// "1.49M"
std::string shortCount(double n) {
    const auto [size, letter] = prefixOf(n);
    return fmt::format("{:.3g}{}", n / size, letter);
}

void warpPlot(const Ui& ui, const Divergence& divergence) {
    std::vector<StackLayer> layers{
        {"full", kFull, {}}, {"divergent", kDivergent, {}}, {"done", kDone, {}}};
    StackLayer active{"active lanes", colors::text, {}};
    for (size_t i = 0; i < rowsOf(divergence); ++i) {
        const DivergenceRow& row = divergence.rows[i];
        layers[0].percent.push_back(row.full);
        layers[1].percent.push_back(row.divergent);
        layers[2].percent.push_back(row.done);
        active.percent.push_back(row.active);
    }
    drawStack(ui.theme, "warps after so many rays", layers, active, ui.theme.units(kStackHeight));
    note(ui, "plot.divergence");
    hint(ui,
         "Of a megakernel that traces these paths, 32 of them a warp, as samples_as, block and "
         "order say: full, all lanes go on after so many rays; divergent, some go on and the "
         "others wait; done, none goes on. Active: the share of all paths that go on.");
}

/// What nothing hits is left out.
std::vector<StackLayer> hitLayers(const PathLengths& paths, int depths) {
    std::vector<StackLayer> layers;
    for (int k = 0; k < kHitKinds; ++k) {
        StackLayer layer{nameOf(HitKind(k)), kKinds[k], {}};
        for (int d = 0; d < depths; ++d) layer.percent.push_back(hitShare(paths, d, HitKind(k)));
        if (*std::max_element(layer.percent.begin(), layer.percent.end()) > 0)
            layers.push_back(std::move(layer));
    }
    return layers;
}

void hits(const Ui& ui, const PathLengths& paths) {
    const double least = kLeastActive / 100 * static_cast<double>(raysAt(paths, 0));
    int depths = 0;
    while (depths<kMaxDepth&& static_cast<double>(raysAt(paths, depths))> least) ++depths;
    if (depths == 0) return;
    const std::vector<StackLayer> layers = hitLayers(paths, depths);
    drawStack(ui.theme, "what rays meet, by depth", layers, {nullptr, {}, {}},
              ui.theme.units(kStackHeight));
    note(ui, "plot.hits");
    std::vector<std::string> texts{"depth", "rays"};
    for (const StackLayer& layer : layers) texts.emplace_back(layer.name);
    cells(ui, texts, colors::dim);
    for (int d = 0; d < std::min(depths, static_cast<int>(kMostRows)); ++d) {
        texts = {std::to_string(d + 1), shortCount(static_cast<double>(raysAt(paths, d)))};
        for (const StackLayer& layer : layers)
            texts.push_back(percent(layer.percent[static_cast<size_t>(d)]));
        cells(ui, texts, colors::text);
    }
}

void findings(const Ui& ui, const Recorded& found) {
    const RecordWish& wish = found.wish;
    efficiency(ui, found);
    space(ui, 4);
    engineRows(ui, found.engines);
    space(ui, 4);
    warpPlot(ui, found.divergence);
    warpRows(ui, found.divergence);
    space(ui, 4);
    hits(ui, found.paths);
    space(ui, 4);
    if (const std::string warning = subnormalWarning(found.paths); !warning.empty())
        paragraph(warning, colors::warning);
    paragraph(fmt::format("{} \u00d7 {} pixels, {} samples, {:.3f} rays a path", wish.size.width,
                          wish.size.height, wish.samples, found.divergence.raysPerPath),
              colors::dim);
}

}  // namespace

void WhyTab::drawPaths(const Ui& ui) {
    again_ |=
        button(ui, why_.busy() ? "Measuring..." : "Measure again", "button.why", {-1, !why_.busy()},
               "By a twin of the kernel that keeps records, on a thread of its own: never by "
               "the kernel that is timed. Done by itself when the picture rests after a "
               "change.");
    if (ui.frame.state.settings.backend == Backend::cpu) {
        const bool packets = ui.frame.state.settings.variant.engine == Engine::packets;
        paragraph(packets
                      ? "Packets count their lanes. All else is a model: what the warps of a GPU "
                        "would do with the CPU's paths."
                      : "A model: what the warps of a GPU would do with the CPU's paths.",
                  colors::dim);
        note(ui, "why.model");
    }
    const Recorded* found = why_.analysis();
    if (found == nullptr) {
        return paragraph(why_.busy() ? "The lengths of all paths are being recorded..."
                                     : "Records the lengths of all paths when the picture rests.",
                         colors::dim);
    }
    if (!(found->wish.settings == ui.frame.state.settings))
        paragraph("Of the settings before.", colors::warning);
    findings(ui, *found);
}

/// The names of the two pages, side by side.
void WhyTab::drawPages(const Ui& ui) {
    const float half = shareOfLine(2);
    if (ImGui::RadioButton("Paths", !counters_)) counters_ = false;
    note(ui, "why.paths");
    ImGui::SameLine(half);
    ImGui::SameLine();
    if (ImGui::RadioButton("Counters", counters_)) counters_ = true;
    note(ui, "why.counters");
}

void WhyTab::drawPanel(const Ui& ui) {
    drawPages(ui);
    counters_ ? drawCounters(ui) : drawPaths(ui);
    const bool known = counters_ ? !why_.counts().empty() : why_.analysis() != nullptr;
    if (button(ui, "Save as a page", "button.why_page", {-1, known},
               "What was found, with the picture, as one file for a browser."))
        ui.frame.then([this, &frame = ui.frame] { frame.host.savePage(report(frame)); });
}

nlohmann::json WhyTab::report(const Frame& frame) const {
    const State& state = frame.state;
    nlohmann::json report =
        reportHead("why", frame.backends.get(state.settings.backend).device(), true);
    report["scene"] = state.scene->name;
    report["state"] = toJson(withPatches(state));
    if (counters_) {
        for (const Fact& fact : why_.counts().back().facts) {
            if (std::isfinite(fact.value))
                report["facts"].push_back({{"name", fact.label},
                                           {"value", fact.value},
                                           {"text", factText(fact, fact.value)}});
        }
        report["again"] = "counters ";
        return report;
    }
    const Recorded& found = *why_.analysis();
    report["samples"] = found.wish.samples;
    report["rays_per_path"] = found.divergence.raysPerPath;
    for (std::size_t rays = 0; rays < found.divergence.rows.size(); ++rays) {
        const DivergenceRow& row = found.divergence.rows[rays];
        report["warps"].push_back({{"name", fmt::format("after {} rays", rays + 1)},
                                   {"active", row.active},
                                   {"done", row.done},
                                   {"full", row.full},
                                   {"divergent", row.divergent}});
    }
    report["again"] = "divergence ";
    return report;
}

/// The colours of the map and what their ends mean, or that it is being made.
void WhyTab::draw(const Ui& ui) {
    const State& state = ui.frame.state;
    if (state.view.shown == Shown::picture || state.pinned) return;
    if (const CostMap* map = this->map(ui.frame)) {
        drawRampLegend(ui, "legend.map", "0", fmt::format("{:.4g} {}", map->fullScale, map->unit),
                       kMagnitude);
    } else {
        const Rect& free = ui.layout.free;
        ui.drawn["legend.making"] = {
            drawLabel(ui, why_.busy() ? "recording..." : "a map follows at rest",
                      free.x + free.width / 2, .5f)};
    }
}

const CostMap* WhyTab::map(const Frame& frame) const {
    return frame.state.pinned ? nullptr : why_.map(frame.state, frame.framebuffer);
}

bool WhyTab::present(const Frame& frame, Presenter& presenter) {
    const CostMap* map = this->map(frame);
    if (map != nullptr) presenter.drawMap(*map, why_.maps(), frame.framebuffer);
    return map != nullptr;
}

/// Records while nothing else is being measured.
void WhyTab::step(Frame& frame) {
    const Zone zone("explain");
    const bool open = frame.shows(id());
    const bool measuring = frame.host.measuring() || frame.host.working();
    frame.warn(why_.step({.state = frame.state,
                          .framebuffer = frame.framebuffer,
                          .open = open && !counters_,
                          .map = !frame.state.pinned,
                          .resting = !measuring && !frame.steering.moving(frame.now),
                          .again = std::exchange(again_, false),
                          .count = std::exchange(count_, false),
                          .follow = open && follow_ && usesCuda(frame.state)}));
}

void WhyTab::describe(const Frame&, nlohmann::json& status) const {
    const Recorded* found = why_.analysis();
    status["why"] = {{"busy", why_.busy()},
                     {"maps", why_.maps()},
                     {"counts", why_.counts().size()},
                     {"before", why_.before() != nullptr},
                     {"lanes", found != nullptr ? found->lanes.share() : 0}};
}

}  // namespace rayscope
