#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "renderer/lab/group_report.h"
#include "renderer/machine/conditions.h"
#include "ui/features.h"
#include "ui/format.h"
#include "ui/plots.h"
#include "ui/quote.h"

namespace rayscope {

namespace {

constexpr const char* kRayNames[] = {"camera", "bounce", "shadow"};
constexpr float kBox = 8, kBoxGap = 4;  ///< of the legend

constexpr float kPlotHeight = 168, kHistogramHeight = 118;
constexpr float kLeastPlots = .6f;  ///< of these heights

/// The three kinds of rays differ by the strength of the one accent colour.
constexpr float kShades[] = {1, .6f, .3f};

void copyQuote(Frame& frame) {
    const DeviceInfo device = frame.backends.get(frame.state.settings.backend).device();
    const Sensors sensors = sensorsOf(frame.state.settings.backend, device);
    const Film& film = frame.tracer.film();
    Settings defaults = defaultsOf(frame);
    defaults.variant = defaultSettings(defaults.backend, frame.state.scene).variant;
    const std::string quote =
        quoteOf(frame.rates, {frame.state, defaults, film.width, film.height, device.name,
                              sensors.read ? describe(sensors.read()) : std::string(), frame.step});
    ImGui::SetClipboardText(quote.c_str());
    frame.say("Copied: " + quote);
}

/// A click on ImGui's last item copies the figures.
void copiesAtAClick(const Ui& ui) {
    if (ImGui::IsItemClicked()) ui.frame.then([&frame = ui.frame] { copyQuote(frame); });
}

void largeRate(const Ui& ui, const Rates& rates) {
    const Quantity q = formatQuantity(rates.raysPerSecond().value_or(-1), "rays/s");
    largeFigure(ui, q.number, q.unit);
    note(ui, "rate");
    copiesAtAClick(ui);
    hint(ui,
         "Rays traced over the time that kernels ran, averaged over the last whole passes of this "
         "view, about half a second. One ray is one query of the whole scene for a live path. A "
         "click copies the figure as a line, with all that belongs to it.");
}

/// Why there is no factor.
const char* waitingFor(const Frame& frame) {
    if (frame.paused) return "paused: Space goes on";
    if (const KernelInfo kernel = frame.host.kernel(); !kernel.ready) return reasonToWait(kernel);
    if (frame.rates.firstLook()) return "first look: a part of the picture";
    return frame.rates.measuring() ? "measuring..." : "switch something to compare";
}

void ratioLine(const Ui& ui, const Rates& rates) {
    const std::optional<SwitchRatio> ratio = rates.ratio();
    const float width = ImGui::GetContentRegionAvail().x;
    if (!ratio) return textLine(waitingFor(ui.frame), colors::dim);
    const std::string factor = fmt::format("{:.2f}x \u00b1 {:.2f}", ratio->ratio, ratio->halfWidth);
    const Face& face = ratio->clear() ? ui.theme.strong : ui.theme.body;
    pushFace(face);
    textLine(factor, ratio->gain() ? colors::accent : colors::text);
    popFace();
    const float used = textSize(face, factor).x + ImGui::GetStyle().ItemSpacing.x;
    ImGui::SameLine();
    ImGui::TextUnformatted(fitted(ui.theme.body, ratio->label, width - used).c_str());
    copiesAtAClick(ui);
    hint(ui,
         fmt::format("The settled rate since the switch to {} over the settled rate before it, in "
                     "this view, and half of the 95 % interval.{} A click copies it as a line.",
                     ratio->label,
                     ratio->sameWork ? ""
                                     : " Paths are others now, so that more rays a second need not "
                                       "be a gain: All switches and a race say what it is worth."));
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
    columns(ui, ui.theme.body, name, {{value, ImGui::GetContentRegionAvail().x, colors::text}}, 1);
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
    if (rates.buildMs() >= 0) {
        row(ui, "Build", formatNumber(rates.buildMs()) + " ms",
            "Time that the hierarchy took to build, the last time.");
    }
    row(ui, "Frame",
        fmt::format("{} ms   {:.0f} fps", formatNumber(rates.frameMs()), rates.framesPerSecond()),
        "From one displayed frame to the next.");
    row(ui, "End to end", formatRate(rates.wallRaysPerSecond().value_or(-1)),
        "Rays over wall time, with everything that a frame does besides tracing.");
    row(ui, "Samples so far", formatCount(static_cast<unsigned long long>(samples)),
        "Samples of every pixel in the film.");
}

/// Of several devices, each and all together.
void devices(const Ui& ui, const GroupWork& work) {
    std::string ways;
    for (const DeviceWork& device : work.devices) {
        const bool lost = !device.problem.empty();
        const double ms = device.kernelMs;
        const std::string rate = ms > 0 ? formatRate(1e3 * static_cast<double>(device.rays) / ms)
                                        : std::string("\u2014");
        const double busy = work.wallMs > 0 ? 100 * ms / work.wallMs : 0;
        row(ui, device.label.c_str(), lost ? "lost" : fmt::format("{}  {:.0f} %", rate, busy),
            lost ? device.problem.c_str()
                 : "Rays of this device over the time that its kernels ran, and the part of the "
                   "time in which they did, since the film was begun.");
        note(ui, "device");
        if (!lost && !device.way.empty()) ways = device.way;
    }
    if (work.devices.empty()) return;
    row(ui, "Efficiency",
        work.efficiency() > 0 ? fmt::format("{:.3f}", work.efficiency()) : "\u2014",
        "Rays of all devices over wall time, over the sum of what each traces while its kernels "
        "run: what is lost when one waits.");
    row(ui, "Films added", ways.empty() ? "\u2014" : ways,
        "How the samples of other devices come to the film that is shown: from GPU to GPU, or "
        "through the host's memory.");
}

class ThroughputTab : public Tab {
public:
    ThroughputTab() : Tab("throughput", "Throughput") {}

private:
    float width(const Theme& theme) const override {
        const float gap = theme.units(14);
        float legend = 0;
        for (const char* name : kRayNames) {
            const float text = textSize(theme.small, fmt::format("{} 100 %", name)).x;
            legend = std::max(legend, theme.units(kBox + kBoxGap) + text + gap);
        }
        const float rate =
            textSize(theme.large, "888.8").x + theme.units(8) + textSize(theme.body, "G rays/s").x;
        const float row =
            textSize(theme.body, "End to end").x + gap + textSize(theme.body, "888.8 G rays/s").x;
        const float frame =
            textSize(theme.body, "Frame").x + gap + textSize(theme.body, "8888 ms   888 fps").x;
        return std::max({3 * legend, rate, row, frame});
    }

    void drawPanel(const Ui& ui) override {
        Frame& frame = ui.frame;
        const Rates& rates = frame.rates;
        largeRate(ui, rates);
        ratioLine(ui, rates);
        raySplit(ui, rates.recentRays());
        figures(ui, rates, frame.tracer.film().samples);
        if (!frame.state.pinned) devices(ui, frame.tracer.work());
        if (smallButton(
                ui, "Timeline", "button.timeline",
                "T: what the CPU and the GPU did in the last frames, and the gaps between."))
            frame.then([&host = frame.host] { host.press(Key::timeline); });
        space(ui, 2);
        // Where the window is low, plots are.
        const float room = ui.layout.throughput.height - ImGui::GetCursorPosY() -
                           ImGui::GetStyle().WindowPadding.y - ImGui::GetStyle().ItemSpacing.y;
        const float share =
            std::clamp(room / ui.theme.units(kPlotHeight + kHistogramHeight), kLeastPlots, 1.f);
        drawRatePlot(ui.theme, rates, frame.now, share * ui.theme.units(kPlotHeight));
        note(ui, "plot.rates");
        drawFrameHistogram(ui.theme, rates.frameTimes(), share * ui.theme.units(kHistogramHeight));
        note(ui, "plot.frames");
    }

    void adopted(Frame& frame, const State& before) override {
        if (frame.state.scene == before.scene) return;
        frame.rates.enter("scene " + frame.state.scene->name, frame.now);
    }

    /// Of a picture that goes on.
    void act(Frame& frame) override {
        const State& state = frame.state;
        const bool on = state.settings.variant.lightSampling;
        const bool switched = !std::exchange(lit_, on) && on;
        const bool sameScene = std::exchange(scene_, state.scene->name) == state.scene->name;
        if (switched && sameScene && frame.tracer.film().samples > 0 && !frame.host.measuring())
            frame.say("Noise from before fades slowly: R starts a clean picture");
    }

    void describe(const Frame& frame, nlohmann::json& status) const override {
        const Rates& rates = frame.rates;
        const auto ratio = rates.ratio();
        status.update({{"fps", rates.framesPerSecond()},
                       {"frame_ms", rates.frameMs()},
                       {"rays_per_second", rates.raysPerSecond().value_or(0)},
                       {"wall_rays_per_second", rates.wallRaysPerSecond().value_or(0)},
                       {"rate_settled", rates.settledRate().has_value()},
                       {"ratio", ratio ? ratio->ratio : 0},
                       {"no_ratio", ratio ? "" : waitingFor(frame)}});
        addGroup(status, frame.tracer.work());
    }

    bool lit_ = false;   ///< light was sampled in the last frame,
    std::string scene_;  ///< which showed this scene
};

}  // namespace

std::unique_ptr<Tab> throughputTab() {
    return std::make_unique<ThroughputTab>();
}

}  // namespace rayscope
