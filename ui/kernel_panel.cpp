#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

#include "renderer/choices/axes.h"
#include "renderer/lab/study_report.h"
#include "ui/format.h"
#include "ui/lab_panel.h"
#include "ui/panels.h"

namespace rayscope {

namespace {

constexpr float kTooltipWidth = 360;
constexpr float kSliderWidth = 70;  ///< at least
constexpr std::array kShown{"picture", "rays per pixel", "time per pixel"};
constexpr std::array kMappers{"none", "Reinhard", "filmic"};
constexpr const char* kHomeLabel = "Reset camera";
constexpr const char* kScreenshotLabel = "Screenshot";
constexpr std::array kFactLabels{"Registers", "Local memory", "Spills",
                                 "Occupancy", "Compiled in",  "Built with"};

const char* headingOf(AxisGroup group) {
    switch (group) {
        case AxisGroup::backend:
            return "Backend";
        case AxisGroup::kernel:
            return "Kernel";
        case AxisGroup::wavefront:
            return "Wavefront";
        case AxisGroup::scene:
            return "Scene data";
        case AxisGroup::launch:
            return "Launch";
        case AxisGroup::path:
            return "Light paths";
    }
    return "";
}

void heading(const Ui& ui, const char* text) {
    ImGui::Dummy({1, ui.theme.units(2)});
    pushFace(ui.theme.strong);
    ImGui::PushStyleColor(ImGuiCol_Text, colors::accent);
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    popFace();
}

/// The label of a row; the control follows in the second column.
void label(const Ui& ui, const std::string& text) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(fitted(ui.theme.body, text, ui.sizes.labels).c_str());
}

void toControl(const Ui& ui) {
    ImGui::SameLine(ui.sizes.labels + ImGui::GetStyle().WindowPadding.x);
    ImGui::SetNextItemWidth(-1);
}

void tooltip(const Ui& ui, const std::string& text, const std::string& spelling,
             const std::string& reason) {
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ui.theme.units(kTooltipWidth));
    if (!text.empty()) ImGui::TextUnformatted(text.c_str());
    if (!spelling.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, colors::dim);
        ImGui::TextUnformatted(spelling.c_str());
        ImGui::PopStyleColor();
    }
    if (!reason.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, colors::warning);
        ImGui::TextUnformatted(reason.c_str());
        ImGui::PopStyleColor();
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

std::string spelling(const Axis& axis, const std::string& value) {
    return fmt::format("{}={}   \u00b7   story: {}", axis.id, value, axis.story);
}

/// The settings with the axis at another value and what that brings with it; another backend brings
/// its own defaults.
Settings changed(const Axis& axis, int value, const Settings& settings, const Scene& scene) {
    if (axis.id == "backend") {
        Settings other = settings;
        axis.set(other, value);
        return withBackend(settings, other.backend, scene);
    }
    Settings result = settings;
    choose(result, axis, value);
    return result;
}

/// "with compaction=host": what changes beside the axis; empty where nothing does.
std::string companions(const Axis& axis, const Settings& settings, const Settings& candidate) {
    if (axis.id == "backend") return {};
    Settings alone = settings;
    axis.set(alone, axis.get(candidate));
    const std::string rest = difference(alone, candidate);
    return rest.empty() ? rest : "with " + rest;
}

/// An entry of a list, greyed where it cannot be had. True where it was chosen.
bool entry(const Ui& ui, const std::string& name, const std::string& text, bool selected,
           const std::string& reason) {
    ImGui::BeginDisabled(!reason.empty());
    const bool chosen = ImGui::Selectable(text.c_str(), selected);
    ImGui::EndDisabled();
    ui.drawn[name] = {itemRect(), reason.empty()};
    return chosen;
}

/// The alternatives of an axis that were measured, a line for each; empty where none was.
std::string worthLines(const Ui& ui, const Axis& axis) {
    std::string text;
    if (ui.switches == nullptr) return text;
    for (const StudyItem& item : ui.switches->items) {
        if (item.group == axis.id && item.result)
            text += fmt::format("\n{}: {}", valueOf(axis, item.b), shortText(item));
    }
    return text;
}

/// Beside the present value: what the best other one is worth. `before`: the width of what the
/// control shows; nothing is drawn where there is no room.
void worthMark(const Ui& ui, const Axis& axis, const Rect& control, float before, float after) {
    const StudyItem* best = bestOf(ui.switches, axis);
    if (best == nullptr) return;
    const CompareResult& speed = best->result->speed;
    const bool faster = speed.measurable && speed.samples.value > 1;
    std::string word = faster || !speed.measurable ? ratioWord(*best) : "best";
    if (faster && axis.kind == AxisKind::number) word = valueOf(axis, best->b) + ": " + word;
    const float width = textSize(ui.theme.small, word).x, gap = ui.theme.units(4);
    if (before + width + 2 * gap + after > control.width) return;
    drawText(*ImGui::GetWindowDrawList(), ui.theme.small,
             {control.x + control.width - after - gap - width,
              control.y + (control.height - ui.theme.small.size) / 2},
             packed(faster ? ratioColor(*best) : colors::dim), word);
}

void choiceControl(const Ui& ui, const Axis& axis, const Backends& backends, State& state) {
    const int now = axis.get(state.settings);
    const std::string id = fmt::format("##{}", axis.id);
    const std::string name = fmt::format("axis.{}", axis.id);
    const bool open = ImGui::BeginCombo(id.c_str(), axis.values[now].label.c_str(),
                                        ImGuiComboFlags_HeightLargest);
    if (!open) {
        ui.drawn[name] = {itemRect()};
        worthMark(
            ui, axis, itemRect(),
            textSize(ui.theme.body, axis.values[now].label).x + ImGui::GetStyle().FramePadding.x,
            ImGui::GetFrameHeight());
        tooltip(ui, std::string(axis.help) + worthLines(ui, axis),
                spelling(axis, axis.values[now].id), "");
        return;
    }
    std::optional<Settings> wish;
    float widest = 0;
    for (const AxisValue& value : axis.values)
        widest = std::max(widest, textSize(ui.theme.body, value.label).x);
    for (int i = 0; i < static_cast<int>(axis.values.size()); ++i) {
        const Settings candidate = changed(axis, i, state.settings, state.scene);
        const std::string reason = i == now ? "" : backends.unsupported(candidate);
        const AxisValue& value = axis.values[i];
        if (entry(ui, name + "." + value.id, value.label, i == now, reason)) wish = candidate;
        tooltip(ui, companions(axis, state.settings, candidate), spelling(axis, value.id), reason);
        if (i == now) ImGui::SetItemDefaultFocus();
        if (const StudyItem* item = worth(ui.switches, axis, i)) {
            ImGui::SameLine(widest + ImGui::GetStyle().WindowPadding.x + ui.theme.units(12));
            ImGui::TextColored(ratioColor(*item), "%s", ratioWord(*item).c_str());
        }
    }
    ImGui::EndCombo();
    if (wish) state.settings = *wish;
}

void toggleControl(const Ui& ui, const Axis& axis, const Backends& backends, State& state) {
    const int now = axis.get(state.settings);
    const Settings candidate = changed(axis, 1 - now, state.settings, state.scene);
    const std::string reason = backends.unsupported(candidate);
    bool on = now != 0;
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
    ImGui::BeginDisabled(!reason.empty());
    ImGui::Checkbox(fmt::format("##{}", axis.id).c_str(), &on);
    ImGui::EndDisabled();
    ImGui::PopStyleVar();
    ui.drawn[fmt::format("axis.{}", axis.id)] = {itemRect(), reason.empty()};
    tooltip(ui, std::string(axis.help) + worthLines(ui, axis), spelling(axis, axis.values[now].id),
            reason);
    if (const StudyItem* item = worth(ui.switches, axis, 1 - now); item && item->result) {
        ImGui::SameLine();
        ImGui::TextColored(ratioColor(*item), "%s: %s", axis.values[1 - now].id.c_str(),
                           ratioWord(*item).c_str());
    }
    if (on != (now != 0)) state.settings = candidate;
}

/// Of a field for the largest number of any axis.
float fieldWidth(const Theme& theme) {
    int largest = 0;
    for (const Axis& axis : axes()) {
        if (axis.kind == AxisKind::number) largest = std::max(largest, axis.maximum);
    }
    // A digit more, for the cursor and while typing.
    return textSize(theme.body, std::to_string(largest) + "0").x +
           2 * ImGui::GetStyle().FramePadding.x;
}

/// A slider and a field to type into. The value applies when the slider is let go, so that dragging
/// over a hundred values is one switch.
void numberControl(const Ui& ui, const Axis& axis, const Backends& backends, State& state) {
    static std::map<std::string_view, int> pending;
    const auto waiting = pending.find(axis.id);
    int value = waiting != pending.end() ? waiting->second : axis.get(state.settings);
    const std::string name = fmt::format("axis.{}", axis.id);
    const bool wide = axis.maximum - axis.minimum > 64;
    const ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp |
                                   (wide ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
    const float field = fieldWidth(ui.theme);
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
    bool done = false, editing = false;
    const auto after = [&] {
        editing |= ImGui::IsItemActive();
        done |= ImGui::IsItemDeactivatedAfterEdit();
        tooltip(ui, std::string(axis.help) + worthLines(ui, axis),
                fmt::format("{}, {} to {}", spelling(axis, std::to_string(value)), axis.minimum,
                            axis.maximum),
                "");
    };
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - field - gap);
    ImGui::SliderInt(fmt::format("##slider-{}", axis.id).c_str(), &value, axis.minimum,
                     axis.maximum, "", flags);
    ui.drawn[name] = {itemRect()};
    worthMark(ui, axis, itemRect(), 0, 0);
    after();
    ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(field);
    ImGui::InputInt(fmt::format("##field-{}", axis.id).c_str(), &value, 0, 0);
    ui.drawn[name + ".field"] = {itemRect()};
    after();
    value = std::clamp(value, axis.minimum, axis.maximum);
    if (editing || done) pending[axis.id] = value;
    if (!done && editing) return;
    pending.erase(axis.id);
    if (!done) return;
    const Settings candidate = changed(axis, value, state.settings, state.scene);
    if (backends.unsupported(candidate).empty()) state.settings = candidate;
}

void axisRow(const Ui& ui, const Axis& axis, const Backends& backends, State& state) {
    label(ui, std::string(axis.label));
    ui.drawn[fmt::format("label.{}", axis.id)] = {itemRect()};
    tooltip(ui, std::string(axis.help), spelling(axis, valueOf(axis, state.settings)), "");
    toControl(ui);
    switch (axis.kind) {
        case AxisKind::choice:
            choiceControl(ui, axis, backends, state);
            break;
        case AxisKind::toggle:
            toggleControl(ui, axis, backends, state);
            break;
        case AxisKind::number:
            numberControl(ui, axis, backends, state);
            break;
    }
}

/// As much of it as stands in a combo that fills its row, left of the arrow.
std::string previewOf(const Ui& ui, const std::string& text) {
    const float arrow = ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().FramePadding.x;
    return fitted(ui.theme.body, text, ImGui::GetContentRegionAvail().x - arrow);
}

/// Where there are several.
void gpuRow(const Ui& ui, const Backends& backends) {
    label(ui, "GPU");
    toControl(ui);
    const auto text = [&](int i) { return fmt::format("{}: {}", i, backends.gpus()[i]); };
    const int count = static_cast<int>(backends.gpus().size()), now = backends.gpu();
    const std::string shown = now < count ? text(now) : "none";
    if (ImGui::BeginCombo("##gpu", previewOf(ui, shown).c_str())) {
        for (int i = 0; i < count; ++i) {
            if (entry(ui, fmt::format("gpu.{}", i), text(i), i == now, "") && i != now)
                ui.requests.gpu = i;
        }
        ImGui::EndCombo();
    } else {
        ui.drawn["gpu"] = {itemRect()};
        tooltip(ui,
                "The GPU that CUDA traces on. Where another one draws the window, pixels are "
                "copied through the host.",
                fmt::format("--device {}", now), "");
    }
}

void axisRows(const Ui& ui, const Backends& backends, State& state) {
    for (AxisGroup group : {AxisGroup::backend, AxisGroup::kernel, AxisGroup::wavefront,
                            AxisGroup::scene, AxisGroup::path, AxisGroup::launch}) {
        bool empty = true;
        for (const Axis& axis : axes()) {
            if (axis.group != group || !axis.matters(state.settings)) continue;
            if (empty) heading(ui, headingOf(group));
            empty = false;
            axisRow(ui, axis, backends, state);
            if (axis.id == "backend" && backends.gpus().size() > 1) gpuRow(ui, backends);
        }
    }
}

void sceneRows(const Ui& ui, const SceneList& list, const State& state) {
    heading(ui, "Scene");
    label(ui, "Scene");
    toControl(ui);
    const std::string preview = previewOf(ui, state.scene.name);
    const bool open = ImGui::BeginCombo("##scene", preview.c_str(), ImGuiComboFlags_HeightLargest);
    if (open) {
        for (const std::string& name : list.scenes) {
            if (entry(ui, "scene." + name, name, name == state.scene.name, "")) {
                ui.requests.open = name;
            }
        }
        if (!list.recent.empty() || !list.last.empty()) ImGui::Separator();
        if (!list.last.empty()) {
            if (entry(ui, "last", "Last state", false, "")) ui.requests.open = list.last;
            if (ImGui::IsItemHovered())
                ImGui::SetTooltip("Scene, camera and settings of the window that was closed last");
        }
        for (size_t i = 0; i < list.recent.size(); ++i) {
            const std::string& path = list.recent[i];
            const std::string file = std::filesystem::path(path).filename().string();
            if (entry(ui, fmt::format("recent.{}", i), fmt::format("{}##{}", file, i), false, ""))
                ui.requests.open = path;
            if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", path.c_str());
        }
        ImGui::EndCombo();
    } else {
        ui.drawn["scene"] = {itemRect()};
        tooltip(ui, state.scene.title,
                fmt::format("--scene {}   \u00b7   {} spheres", state.scene.name,
                            state.scene.spheres.size()),
                "");
    }
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
    ui.requests.home |= ImGui::Button(kHomeLabel, {half, 0});
    ui.drawn["button.home"] = {itemRect()};
    tooltip(ui, "Back to the scene's own camera.", "Home", "");
    ImGui::SameLine(0, gap);
    ui.requests.screenshot |= ImGui::Button(kScreenshotLabel, {half, 0});
    ui.drawn["button.screenshot"] = {itemRect()};
    tooltip(ui,
            "Writes the picture as a PNG that carries the whole state: rayscope FILE.png opens "
            "it again.",
            "F12; with the panels Shift+F12", "");
}

std::string exposureLabel(double stops) {
    return fmt::format("Exposure  {:+.1f}", stops);
}

void shownRow(const Ui& ui, View& view) {
    label(ui, "Show");
    toControl(ui);
    int shown = static_cast<int>(view.shown);
    if (ImGui::BeginCombo("##shown", kShown[static_cast<size_t>(shown)])) {
        for (int i = 0; i < static_cast<int>(kShown.size()); ++i) {
            if (ImGui::Selectable(kShown[static_cast<size_t>(i)], i == shown))
                view.shown = Shown(i);
            ui.drawn[fmt::format("view.shown.{}", i)] = {itemRect()};
        }
        ImGui::EndCombo();
    } else {
        ui.drawn["view.shown"] = {itemRect()};
        tooltip(ui,
                "The picture, or what its pixels cost in false colours, the mean of four samples: "
                "rays without shadow rays; or clock cycles on the GPU and nanoseconds on the CPU, "
                "by a twin of the megakernel that looks at the clock and is never timed.",
                "", "");
    }
}

void lookRow(const Ui& ui) {
    constexpr const char* kLooks[] = {"dark", "light"};
    label(ui, "Panels");
    toControl(ui);
    const int now = static_cast<int>(ui.theme.look);
    const bool open = ImGui::BeginCombo("##look", kLooks[now]);
    if (!open) ui.drawn["view.look"] = {itemRect()};
    for (int i = 0; open && i < 2; ++i) {
        if (entry(ui, fmt::format("view.look.{}", kLooks[i]), kLooks[i], i == now, ""))
            ui.requests.light |= i != now;
    }
    if (open) ImGui::EndCombo();
}

void viewRows(const Ui& ui, View& view) {
    heading(ui, "View");
    label(ui, exposureLabel(view.exposure));
    toControl(ui);
    float stops = static_cast<float>(view.exposure);
    if (ImGui::SliderFloat("##exposure", &stops, -6, 6, "", ImGuiSliderFlags_AlwaysClamp)) {
        view.exposure = stops;
    }
    ui.drawn["view.exposure"] = {itemRect()};
    tooltip(ui, "Makes the picture brighter or darker, in stops; the film stays as it is.", "", "");
    label(ui, "Tone mapper");
    toControl(ui);
    int mapper = static_cast<int>(view.toneMapper);
    if (ImGui::Combo("##mapper", &mapper, kMappers.data(), kMappers.size())) {
        view.toneMapper = ToneMapper(mapper);
    }
    ui.drawn["view.tone_mapper"] = {itemRect()};
    tooltip(ui, "How radiance beyond white is brought onto the screen.", "", "");
    shownRow(ui, view);
    lookRow(ui);
}

void fact(const Ui& ui, const char* name, const std::string& value, const char* help) {
    label(ui, name);
    tooltip(ui, help, "", "");
    ImGui::SameLine(ui.sizes.labels + ImGui::GetStyle().WindowPadding.x);
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
void kernelFacts(const Ui& ui, const KernelInfo& kernel) {
    heading(ui, "Running kernel");
    const auto whole = [&](const char* name, int n, const char* unit, const char* help) {
        if (n >= 0) fact(ui, name, fmt::format("{}{}", n, unit), help);
    };
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
    if (kernel.registers < 0 && !kernel.name.empty()) {
        const float room = ImGui::GetContentRegionAvail().x - ui.sizes.labels;
        fact(ui, kFactLabels[5], fitted(ui.theme.body, mainFlags(kernel.name), room),
             fmt::format("The compiler's flags for this kernel: {}", kernel.name).c_str());
    }
    whole(kFactLabels[0], kernel.registers, " / thread",
          "Registers of a thread: fewer let more warps run at once.");
    whole(kFactLabels[1], kernel.localBytes, " B / thread",
          "Stack frame and spilled registers of a thread.");
    whole(kFactLabels[2], kernel.spillBytes, " B / thread",
          "Bytes stored and loaded because registers ran out.");
    if (kernel.occupancy >= 0) {
        fact(ui, kFactLabels[3], fmt::format("{:.0f} %", 100 * kernel.occupancy),
             "Theoretical: warps that fit on a multiprocessor over the most it can hold.");
    }
    if (kernel.compileMs >= 0 || kernel.cached || !kernel.ready) {
        fact(ui, kFactLabels[4],
             !kernel.ready   ? "compiling..."
             : kernel.cached ? "from the cache"
                             : fmt::format("{} ms", formatNumber(kernel.compileMs)),
             "Kernels are compiled while the one before goes on.");
    }
    ImGui::PopStyleVar();
    ImGui::Dummy({1, ui.theme.units(1)});
}

}  // namespace

float kernelLabelsWidth(const Theme& theme) {
    float width =
        std::max(textSize(theme.body, exposureLabel(-6)).x, textSize(theme.body, "Tone mapper").x);
    const auto include = [&](const std::string& text) {
        width = std::max(width, textSize(theme.body, text).x);
    };
    for (const Axis& axis : axes()) include(std::string(axis.label));
    for (const char* name : kFactLabels) include(name);
    return width;
}

float kernelControlsWidth(const Theme& theme) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float arrow = theme.em() + 2 * style.FramePadding.y;
    const float aroundChoice = 2 * style.FramePadding.x + arrow;
    float width = theme.units(kSliderWidth) + style.ItemInnerSpacing.x + fieldWidth(theme);
    const auto include = [&](const std::string& text, float around) {
        width = std::max(width, textSize(theme.body, text).x + around);
    };
    for (const Axis& axis : axes()) {
        for (const AxisValue& value : axis.values) include(value.label, aroundChoice);
    }
    for (const char* name : kMappers) include(name, aroundChoice);
    for (const char* name : kShown) include(name, aroundChoice);
    include("12 345 B / thread", 0);
    include("from the cache", 0);
    include("-O2 -march=x86-64-v4", 0);
    const float half =
        std::max(textSize(theme.body, kHomeLabel).x, textSize(theme.body, kScreenshotLabel).x) +
        2 * style.FramePadding.x;
    return std::max(width, 2 * half + style.ItemSpacing.x - kernelLabelsWidth(theme));
}

void drawKernelPanel(const Ui& ui, const Backends& backends, const KernelInfo& kernel,
                     const SceneList& list, State& state) {
    if (beginPanel("Kernel", ui.layout.kernel)) {
        sceneRows(ui, list, state);
        axisRows(ui, backends, state);
        kernelFacts(ui, kernel);
        viewRows(ui, state.view);
    }
    ui.drawn["panel.kernel"] = {windowRect()};
    ImGui::End();
}

}  // namespace rayscope
