#include <fmt/format.h>

#include <algorithm>

#include "ui/format.h"
#include "ui/panels.h"
#include "ui/plots.h"

namespace rayscope {

namespace {

constexpr const char* kRayNames[] = {"camera", "bounce", "shadow"};
constexpr float kBox = 8, kBoxGap = 4;  ///< of the legend
constexpr float kUnitGap = 8;           ///< between the large figure and its unit

constexpr float kPlotHeight = 168, kHistogramHeight = 118;

/// The three kinds of rays differ by the strength of the one accent colour.
constexpr float kShades[] = {1, .6f, .3f};

void largeRate(const Ui& ui, std::optional<double> rate) {
    const Theme& theme = ui.theme;
    const Quantity q = formatQuantity(rate.value_or(-1), "rays/s");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size = textSize(theme.large, q.number);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, theme.large, at, packed(colors::text), q.number);
    // On the baseline of the number: both fonts keep about a fifth of their size below it.
    const float baseline = at.y + theme.large.size * .8f - theme.body.size * .8f;
    drawText(list, theme.body, {at.x + size.x + theme.units(kUnitGap), baseline},
             packed(colors::dim), q.unit);
    ImGui::Dummy({ImGui::GetContentRegionAvail().x, size.y});
    hint(ui,
         "Rays traced over the time that kernels ran, averaged over about the last half second. "
         "One ray is one query of the whole scene for a live path.");
}

void ratioLine(const Ui& ui, const Rates& rates, const KernelInfo& kernel) {
    const std::optional<SwitchRatio> ratio = rates.ratio();
    const float width = ImGui::GetContentRegionAvail().x;
    if (!ratio) {
        ImGui::PushStyleColor(ImGuiCol_Text, colors::dim);
        ImGui::TextUnformatted(!kernel.ready           ? "compiling..."
                               : rates.marks().empty() ? "switch something to compare"
                                                       : "measuring...");
        ImGui::PopStyleColor();
        return;
    }
    const std::string factor = fmt::format("{:.2f}x", ratio->ratio);
    pushFace(ui.theme.strong);
    ImGui::PushStyleColor(ImGuiCol_Text, colors::accent);
    ImGui::TextUnformatted(factor.c_str());
    ImGui::PopStyleColor();
    popFace();
    const float used = textSize(ui.theme.strong, factor).x + ImGui::GetStyle().ItemSpacing.x;
    ImGui::SameLine();
    ImGui::TextUnformatted(fitted(ui.theme.body, ratio->label, width - used).c_str());
    hint(ui, fmt::format("The settled rate since the switch to {} over the settled rate before it.",
                         ratio->label)
                 .c_str());
}

void raySplit(const Ui& ui, const Rays& rays) {
    const Theme& theme = ui.theme;
    const double total = static_cast<double>(rays.total());
    const double parts[] = {static_cast<double>(rays.camera), static_cast<double>(rays.bounce),
                            static_cast<double>(rays.shadow)};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, height = theme.units(8);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, {at.x + width, at.y + height}, packed(colors::faint), height / 2);
    float x = at.x;
    for (int i = 0; i < 3 && total > 0; ++i) {
        const float end = x + static_cast<float>(parts[i] / total) * width;
        if (end - x >= 1) {
            list.AddRectFilled({x, at.y}, {end, at.y + height}, packed(colors::accent, kShades[i]));
        }
        x = end;
    }
    ImGui::Dummy({width, height});
    const ImVec2 legend = ImGui::GetCursorScreenPos();
    const float box = theme.units(kBox), line = theme.small.size;
    for (int i = 0; i < 3; ++i) {
        const float left = legend.x + width * static_cast<float>(i) / 3;
        const float top = legend.y + (line - box) / 2;
        list.AddRectFilled({left, top}, {left + box, top + box}, packed(colors::accent, kShades[i]),
                           theme.units(2));
        const std::string text =
            total > 0 ? fmt::format("{} {:.0f} %", kRayNames[i], 100 * parts[i] / total)
                      : kRayNames[i];
        drawText(list, theme.small, {left + box + theme.units(kBoxGap), legend.y},
                 packed(colors::text), text);
    }
    ImGui::Dummy({width, line + theme.units(3)});
}

void row(const Ui& ui, const char* name, const std::string& value, const char* help) {
    const float width = ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    drawText(list, ui.theme.body, at, packed(colors::dim), name);
    const ImVec2 size = textSize(ui.theme.body, value);
    drawText(list, ui.theme.body, {at.x + width - size.x, at.y}, packed(colors::text), value);
    ImGui::Dummy({width, ui.theme.body.size + ui.theme.units(1)});
    hint(ui, help);
}

void figures(const Ui& ui, const Rates& rates, int samples) {
    const Rays& rays = rates.recentRays();
    const double perSample =
        rays.camera > 0 ? static_cast<double>(rays.total()) / static_cast<double>(rays.camera) : -1;
    row(ui, "Rays / sample", perSample < 0 ? "\u2014" : fmt::format("{:.3f}", perSample),
        "All rays over camera rays: how long paths are, shadow rays included.");
    row(ui, "Kernel / frame", formatNumber(rates.kernelMsPerFrame()) + " ms",
        "Time that kernels ran in a displayed frame.");
    row(ui, "Frame",
        fmt::format("{} ms   {:.0f} fps", formatNumber(rates.frameMs()), rates.framesPerSecond()),
        "From one displayed frame to the next.");
    row(ui, "End to end", formatRate(rates.wallRaysPerSecond().value_or(-1)),
        "Rays over wall time, with everything that a frame does besides tracing.");
    row(ui, "Samples so far", formatCount(static_cast<unsigned long long>(samples)),
        "Samples of every pixel in the film.");
}

}  // namespace

float throughputWidth(const Theme& theme) {
    const float gap = theme.units(14);
    float legend = 0;
    for (const char* name : kRayNames) {
        const float text = textSize(theme.small, fmt::format("{} 100 %", name)).x;
        legend = std::max(legend, theme.units(kBox + kBoxGap) + text + gap);
    }
    const float rate = textSize(theme.large, "888.8").x + theme.units(kUnitGap) +
                       textSize(theme.body, "G rays/s").x;
    const float row =
        textSize(theme.body, "End to end").x + gap + textSize(theme.body, "888.8 G rays/s").x;
    const float frame =
        textSize(theme.body, "Frame").x + gap + textSize(theme.body, "8888 ms   888 fps").x;
    return std::max({3 * legend, rate, row, frame});
}

void drawThroughputPanel(const Ui& ui, const Rates& rates, const KernelInfo& kernel, int samples,
                         double now) {
    if (beginSidePanel(ui, SideTab::throughput)) {
        largeRate(ui, rates.raysPerSecond());
        ui.drawn["rate"] = {itemRect()};
        ratioLine(ui, rates, kernel);
        raySplit(ui, rates.recentRays());
        figures(ui, rates, samples);
        if (ImGui::SmallButton("Timeline")) ui.requests.timeline = true;
        ui.drawn["button.timeline"] = {itemRect()};
        hint(ui, "T: what the CPU and the GPU did in the last frames, and the gaps between.");
        ImGui::Dummy({1, ui.theme.units(2)});
        drawRatePlot(ui.theme, rates, now, ui.theme.units(kPlotHeight));
        ui.drawn["plot.rates"] = {itemRect()};
        drawFrameHistogram(ui.theme, rates.frameTimes(), ui.theme.units(kHistogramHeight));
        ui.drawn["plot.frames"] = {itemRect()};
    }
    endSidePanel(ui, SideTab::throughput);
}

}  // namespace rayscope
