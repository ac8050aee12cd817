#include "ui/kernel_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "renderer/choices/axes.h"
#include "ui/format.h"

namespace rayscope {

namespace {

const std::vector<Option> kShown{
    {"0", "picture"}, {"1", "rays per pixel"}, {"2", "time per pixel"}};
const std::vector<Option> kMappers{
    {"none", "none"}, {"reinhard", "Reinhard"}, {"filmic", "filmic"}};
const std::vector<Option> kLooks{{"dark", "dark"}, {"light", "light"}};
constexpr const char* kHomeLabel = "Reset camera";
constexpr const char* kScreenshotLabel = "Screenshot";
constexpr std::array kFactLabels{"Registers", "Local memory", "Spills",
                                 "Occupancy", "Compiled in",  "Built with"};

std::string exposureLabel(double stops) {
    return fmt::format("Exposure  {:+.1f}", stops);
}

/// Of the labels' column, without what separates it from the controls.
float labelsWidth(const Theme& theme) {
    float width = 0;
    const auto include = [&](const std::string& text) {
        width = std::max(width, textSize(theme.body, text).x);
    };
    include(exposureLabel(-6));
    include("Tone mapper");
    for (const Axis& axis : axes()) include(std::string(axis.label));
    for (const char* name : kFactLabels) include(name);
    return width;
}

float controlsWidth(const Theme& theme) {
    const ImGuiStyle& style = ImGui::GetStyle();
    float width = axisControlWidth(theme);
    for (const auto* options : {&kMappers, &kShown}) {
        for (const Option& option : *options)
            width = std::max(width, choiceWidth(theme, option.text));
    }
    for (const char* text : {"12 345 B / thread", "from the cache", "-O2 -march=x86-64-v4"})
        width = std::max(width, textSize(theme.body, text).x);
    const float half =
        std::max(textSize(theme.body, kHomeLabel).x, textSize(theme.body, kScreenshotLabel).x) +
        2 * style.FramePadding.x;
    return std::max(width, 2 * half + style.ItemSpacing.x - labelsWidth(theme));
}

void sceneChoice(const Ui& ui) {
    Frame& frame = ui.frame;
    const std::string& present = frame.state.scene->name;
    if (!beginCombo(ui, "scene", present, ImGuiComboFlags_HeightLargest)) return;
    const auto open = [&](const std::string& what) {
        frame.then([&host = frame.host, what] { host.open(what); });
    };
    for (const std::string& name : frame.scenes.scenes) {
        if (entry(ui, name, "scene." + name, name == present)) open(name);
    }
    const auto& [scenes, recent, last] = frame.scenes;
    if (!recent.empty() || !last.empty()) ImGui::Separator();
    if (!last.empty()) {
        if (entry(ui, "Last state", "last", false)) open(last);
        hint(ui, "Scene, camera and settings of the window that was closed last");
    }
    for (size_t i = 0; i < recent.size(); ++i) {
        const std::string file = std::filesystem::path(recent[i]).filename().string();
        if (entry(ui, fmt::format("{}##{}", file, i), fmt::format("recent.{}", i), false))
            open(recent[i]);
        hint(ui, recent[i]);
    }
    ImGui::EndCombo();
}

void sceneRows(const Rows& rows) {
    const Ui& ui = rows.ui;
    Frame& frame = ui.frame;
    const Scene& scene = frame.state.scene;
    rows.heading("Scene");
    rows.field("Scene");
    sceneChoice(ui);
    rows.tooltip(scene.title,
                 fmt::format("--scene {}   \u00b7   {} spheres", scene.name, scene.spheres.size()));
    const float half = shareOfLine(2);
    if (button(ui, kHomeLabel, "button.home", {half}))
        frame.then([&host = frame.host] { host.press(Key::home); });
    rows.tooltip("Back to the scene's own camera.", "Home");
    ImGui::SameLine();
    if (button(ui, kScreenshotLabel, "button.screenshot", {half}))
        frame.then([&host = frame.host] { host.press(Key::screenshot); });
    rows.tooltip(
        "Writes the picture as a PNG that carries the whole state: rayscope FILE.png opens it "
        "again.",
        "F12; with the panels Shift+F12");
}

void viewRows(const Rows& rows) {
    const Ui& ui = rows.ui;
    View& view = ui.frame.state.view;
    rows.heading("View");
    rows.field(exposureLabel(view.exposure));
    float stops = static_cast<float>(view.exposure);
    if (ImGui::SliderFloat("##exposure", &stops, -6, 6, "", ImGuiSliderFlags_AlwaysClamp))
        view.exposure = stops;
    note(ui, "view.exposure");
    rows.tooltip("Makes the picture brighter or darker, in stops; the film stays as it is.", "");
    const auto row = [&](const char* label, const char* name, const std::vector<Option>& options,
                         int now) {
        rows.field(label);
        return combo(ui, name, options, now);
    };
    const int mapper = static_cast<int>(view.toneMapper), shown = static_cast<int>(view.shown);
    if (const auto chosen = row("Tone mapper", "view.tone_mapper", kMappers, mapper))
        view.toneMapper = ToneMapper(*chosen);
    rows.tooltip("How radiance beyond white is brought onto the screen.", "");
    if (const auto chosen = row("Show", "view.shown", kShown, shown)) view.shown = Shown(*chosen);
    rows.tooltip(
        "The picture, or what its pixels cost in false colours, the mean of four samples: rays "
        "without shadow rays; or clock cycles on the GPU and nanoseconds on the CPU, by a twin of "
        "the megakernel that looks at the clock and is never timed.",
        "");
    bool& light = ui.frame.preferences.light;
    if (const auto chosen = row("Panels", "view.look", kLooks, light ? 1 : 0)) light = *chosen == 1;
}

void fact(const Rows& rows, const char* name, const std::string& value, const std::string& help) {
    rows.label(name);
    rows.tooltip(help, "");
    rows.toControl();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(value.c_str());
}

/// Of a compiler's flags, the level of optimisation and the processor.
std::string mainFlags(const std::string& flags) {
    std::istringstream words(flags);
    std::string result;
    for (std::string word; words >> word;) {
        if (word.starts_with("-O") || word.starts_with("-march=")) {
            result += (result.empty() ? "" : " ") + word;
        }
    }
    return result.empty() ? flags : result;
}

/// What the backend cannot tell is left out.
void kernelFacts(const Rows& rows, const KernelInfo& kernel) {
    rows.heading("Running kernel");
    const auto whole = [&](const char* name, int n, const char* unit, const char* help) {
        if (n >= 0) fact(rows, name, fmt::format("{}{}", n, unit), help);
    };
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
    if (kernel.registers < 0 && !kernel.name.empty()) {
        const float room = ImGui::GetContentRegionAvail().x - rows.labels;
        fact(rows, kFactLabels[5], fitted(rows.ui.theme.body, mainFlags(kernel.name), room),
             fmt::format("The compiler's flags for this kernel: {}", kernel.name));
    }
    whole(kFactLabels[0], kernel.registers, " / thread",
          "Registers of a thread: fewer let more warps run at once.");
    whole(kFactLabels[1], kernel.localBytes, " B / thread",
          "Stack frame and spilled registers of a thread.");
    whole(kFactLabels[2], kernel.spillBytes, " B / thread",
          "Bytes stored and loaded because registers ran out.");
    if (kernel.occupancy >= 0) {
        fact(rows, kFactLabels[3], fmt::format("{:.0f} %", 100 * kernel.occupancy),
             "Theoretical: warps that fit on a multiprocessor over the most it can hold.");
    }
    if (kernel.compileMs >= 0 || kernel.cached || !kernel.ready) {
        fact(rows, kFactLabels[4],
             !kernel.ready   ? "compiling..."
             : kernel.cached ? "from the cache"
                             : fmt::format("{} ms", formatNumber(kernel.compileMs)),
             "Kernels are compiled while the one before goes on.");
    }
    ImGui::PopStyleVar();
    space(rows.ui, 1);
}

}  // namespace

void Rows::label(const std::string& text) const {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(fitted(ui.theme.body, text, labels).c_str());
}

void Rows::toControl() const {
    ImGui::SameLine(labels + ImGui::GetStyle().WindowPadding.x);
    ImGui::SetNextItemWidth(-1);
}

void Rows::heading(const char* text) const {
    space(ui, 2);
    strongLine(ui, text, colors::accent);
}

void Rows::tooltip(const std::string& text, const std::string& spelling,
                   const std::string& reason) const {
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    beginTooltip(ui);
    textLine(text, colors::text);
    textLine(spelling, colors::dim);
    textLine(reason, colors::warning);
    endTooltip();
}

float KernelPanel::width(const Theme& theme) const {
    // whole pixels
    return std::ceil(labelsWidth(theme)) + theme.units(10) + std::ceil(controlsWidth(theme)) + 1;
}

void KernelPanel::drawPanel(const Ui& ui) {
    const Frame& frame = ui.frame;
    const Rows rows{ui, std::ceil(labelsWidth(ui.theme)) + ui.theme.units(10)};
    sceneRows(rows);
    drawAxes(rows, lab_ != nullptr ? lab_->switchesOf(frame.state) : KnownSwitches{}, pending_);
    kernelFacts(rows, frame.host.kernel());
    viewRows(rows);
}

void KernelPanel::draw(const Ui& ui) {
    if (!ui.frame.panels || ui.layout.folded) return;
    if (beginPanel("Kernel", ui.layout.kernel)) drawPanel(ui);
    endPanel(ui, "panel.kernel");
}

void KernelPanel::describe(const Frame& frame, nlohmann::json& status) const {
    const View& view = frame.state.view;
    status["view"] = {{"exposure", view.exposure},
                      {"tone_mapper", static_cast<int>(view.toneMapper)},
                      {"shown", nameOf(view.shown)}};
}

}  // namespace rayscope
