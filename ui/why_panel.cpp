#include "ui/why_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/plots.h"
#include "ui/ramp_legend.h"

namespace rayscope {

namespace {

constexpr float kPlotHeight = 150;
/// Depths that fewer paths reach than this, in percent, are not shown; nor more rows than that.
constexpr double kLeastActive = .05;
constexpr size_t kMostRows = 16;
constexpr float kUnitGap = 8;

// Told apart by hue and by lightness.
const ImVec4 kFull{.20f, .62f, .57f, 1}, kDivergent{.96f, .62f, .36f, 1},
    kDone{.30f, .32f, .36f, 1};
/// By HitKind.
const ImVec4 kKinds[kHitKinds] = {
    {.36f, .58f, .90f, 1}, {.98f, .88f, .45f, 1}, {.20f, .62f, .57f, 1}, {.96f, .62f, .36f, 1},
    {.74f, .50f, .86f, 1}, {.90f, .42f, .46f, 1}, {.55f, .57f, .60f, 1}};

void efficiency(const Ui& ui, const Recorded& found) {
    const Theme& theme = ui.theme;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string figure = fmt::format("{:.1f} %", 100 * found.lanes.share());
    const ImVec2 size = textSize(theme.large, figure);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, theme.large, at, packed(colors::text), figure);
    const float baseline = at.y + theme.large.size * .8f - theme.body.size * .8f;
    drawText(list, theme.body, {at.x + size.x + theme.units(kUnitGap), baseline},
             packed(colors::dim), "of lanes trace");
    ImGui::Dummy({ImGui::GetContentRegionAvail().x, size.y});
    ui.drawn["why.lanes"] = {itemRect()};
    hint(ui,
         "Rays over 32 times the steps of the warps' bounce loops, a step being one ray in some of "
         "the lanes. Computed from the lengths of all paths by a model of the engine in which all "
         "rays take the same time and a warp's lanes come together after each step. On the CPU: "
         "what a GPU's warps would do.");
    paragraph(lanesSentence(found.lanes, found.wish.settings.variant), colors::text);
}

void engineRows(const Ui& ui, const std::vector<EngineLanes>& engines) {
    for (const EngineLanes& engine : engines) {
        const ImVec4& color = engine.running ? colors::accent : colors::dim;
        drawShare(ui.theme, engine.name, engine.lanes.share(), color, color);
    }
}

/// Right-aligned cells of equal width, but for the first.
void cells(const Ui& ui, const std::vector<std::string>& texts, const ImVec4& color) {
    const Theme& theme = ui.theme;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, first = 2.6f * theme.small.size;
    const float step = (width - first) / static_cast<float>(std::max<size_t>(texts.size(), 2) - 1);
    for (size_t i = 0; i < texts.size(); ++i) {
        const float right = at.x + first + step * static_cast<float>(i);
        drawText(*ImGui::GetWindowDrawList(), theme.small,
                 {right - textSize(theme.small, texts[i]).x, at.y}, packed(color), texts[i]);
    }
    ImGui::Dummy({width, theme.small.size + theme.units(2)});
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
    const bool millions = n >= 999.5e3, thousands = n >= 999.5;
    return fmt::format("{:.3g}{}",
                       n / (millions    ? 1e6
                            : thousands ? 1e3
                                        : 1),
                       millions    ? "M"
                       : thousands ? "k"
                                   : "");
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
    drawStack(ui.theme, "warps after so many rays", layers, active, ui.theme.units(kPlotHeight));
    ui.drawn["plot.divergence"] = {itemRect()};
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
              ui.theme.units(kPlotHeight));
    ui.drawn["plot.hits"] = {itemRect()};
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

void space(const Ui& ui) {
    ImGui::Dummy({1, ui.theme.units(4)});
}

void measureRow(const Ui& ui, const Why& why, WhyRequests& requests) {
    ImGui::BeginDisabled(why.busy());
    requests.measure |= ImGui::Button(why.busy() ? "Measuring..." : "Measure again", {-1, 0});
    ImGui::EndDisabled();
    ui.drawn["button.why"] = {itemRect(), !why.busy()};
    hint(ui,
         "By a twin of the kernel that keeps records, on a thread of its own: never by the kernel "
         "that is timed. Done by itself when the picture rests after a change.");
}

void findings(const Ui& ui, const Recorded& found) {
    const RecordWish& wish = found.wish;
    efficiency(ui, found);
    space(ui);
    engineRows(ui, found.engines);
    space(ui);
    warpPlot(ui, found.divergence);
    warpRows(ui, found.divergence);
    space(ui);
    hits(ui, found.paths);
    space(ui);
    paragraph(fmt::format("{} \u00d7 {} pixels, {} samples, {:.3f} rays a path", wish.size.width,
                          wish.size.height, wish.samples, found.divergence.raysPerPath),
              colors::dim);
}

void drawPaths(const Ui& ui, const Why& why, const State& state, WhyRequests& requests) {
    measureRow(ui, why, requests);
    const Recorded* found = why.analysis();
    if (found == nullptr) {
        paragraph(why.busy() ? "The lengths of all paths are being recorded..."
                             : "Records the lengths of all paths when the picture rests.",
                  colors::dim);
        return;
    }
    if (!(found->wish.settings == state.settings))
        paragraph("Of the settings before.", colors::warning);
    findings(ui, *found);
}

/// The names of the two pages, side by side.
void pages(const Ui& ui, WhyChoice& choice) {
    constexpr std::pair<bool, const char*> kPages[] = {{false, "Paths"}, {true, "Counters"}};
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
    for (const auto& [counters, label] : kPages) {
        if (counters) ImGui::SameLine();
        if (ImGui::RadioButton(label, choice.counters == counters)) choice.counters = counters;
        ui.drawn[counters ? "why.counters" : "why.paths"] = {itemRect()};
        if (!counters) ImGui::SameLine(half);
    }
}

}  // namespace

void drawMapLegend(const Ui& ui, const CostMap* map, bool making) {
    const Rect& free = ui.layout.free;
    if (map != nullptr) {
        ui.drawn["legend.map"] = {drawRampLegend(
            ui, "0", fmt::format("{:.4g} {}", map->fullScale, map->unit), kMagnitude)};
    } else {
        ui.drawn["legend.making"] = {drawLabel(
            ui, making ? "recording..." : "a map follows at rest", free.x + free.width / 2, .5f)};
    }
}

std::string lanesSentence(const Lanes& lanes, const Variant& variant) {
    return fmt::format("{:.0f} % of lanes are idle while others trace: {}.",
                       100 * (1 - lanes.share()), reasonFor(variant));
}

void drawWhyPanel(const Ui& ui, const Why& why, const State& state, WhyChoice& choice,
                  WhyRequests& requests) {
    if (beginSidePanel(ui, SideTab::why)) {
        pages(ui, choice);
        if (choice.counters)
            drawCountersPage(ui, why, state, choice.follow, requests.counters);
        else
            drawPaths(ui, why, state, requests);
    }
    endSidePanel(ui, SideTab::why);
}

}  // namespace rayscope
