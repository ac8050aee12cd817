#include "ui/kernel_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "renderer/choices/axes.h"
#include "renderer/scene/field.h"
#include "renderer/scene/made_meshes.h"
#include "renderer/scene/numbered.h"
#include "ui/format.h"

namespace rayscope {

namespace {

const std::vector<Option> kShown{
    {"0", "picture"}, {"1", "rays per pixel"}, {"2", "time per pixel"}};
const std::vector<Option> kMappers{
    {"none", "none"}, {"reinhard", "Reinhard"}, {"filmic", "filmic"}};
const std::vector<Option> kLooks{{"dark", "dark"}, {"light", "light"}};

/// Percent of the usual size.
const std::vector<Option>& textSizes() {
    static const std::vector<Option> sizes = [] {
        std::vector<Option> result;
        for (const int percent : {70, 80, 90, 100, 110, 120, 130, 140, 150, 170, 200, 250})
            result.push_back({std::to_string(percent), fmt::format("{} %", percent)});
        return result;
    }();
    return sizes;
}

/// The index of the size that is nearest.
int nearestText(int percent) {
    const auto& sizes = textSizes();
    const auto far = [&](const Option& o) { return std::abs(std::stoi(o.id) - percent); };
    return static_cast<int>(std::ranges::min_element(sizes, {}, far) - sizes.begin());
}

constexpr const char *kFactsHeading = "Running kernel", *kViewHeading = "View";
constexpr float kHeadingSpace = 4, kTriangle = 7, kTriangleGap = 5;

float headingHeight(const Theme& theme) {
    return theme.strong.size + theme.units(kHeadingSpace);
}

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
    include("Text size");
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

/// Those that are made when they are opened, with a number.
void madeScenes(const Ui& ui) {
    ImGui::Separator();
    for (const std::span<const Numbered> some : {numberedFields(), numberedMeshes()}) {
        for (const Numbered& family : some) {
            const std::string prefix(family.prefix);
            if (entry(ui, fmt::format("{}N {}...", prefix, family.what), "made." + prefix, false))
                ui.frame.scenes.asked = prefix;
            hint(ui, fmt::format("A scene of as many {} as you like, from {} to {}", family.what,
                                 family.fewest, family.most));
        }
    }
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
        const auto title = frame.scenes.titles.find(name);
        if (title == frame.scenes.titles.end() || title->second.empty()) continue;
        hint(ui, title->second);
        smallLine(ui, title->second);
    }
    madeScenes(ui);
    ImGui::Separator();
    if (entry(ui, "Open...", "scene.open", false)) frame.scenes.asked = "files";
    hint(ui, "Scenes, models, states and pictures of the sky. Key: Ctrl+O");
    const auto& recent = frame.scenes.recent;
    const std::string& last = frame.scenes.last;
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

void sceneRows(const Rows& rows, Folding& folding) {
    const Ui& ui = rows.ui;
    Frame& frame = ui.frame;
    const Scene& scene = frame.state.scene;
    if (!rows.group(folding, "Scene", scene.name)) return;
    rows.field("Scene");
    sceneChoice(ui);
    rows.tooltip(scene.title,
                 fmt::format("--scene {}   \u00b7   {}", scene.name, shapesText(scene)));
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

const std::string& textOf(const std::vector<Option>& options, int index) {
    return options[static_cast<size_t>(index)].text;
}

void viewRows(const Rows& rows, Folding& folding) {
    const Ui& ui = rows.ui;
    View& view = ui.frame.state.view;
    const std::string summary =
        fmt::format("{}, {:+.1f}, {}", textOf(kShown, static_cast<int>(view.shown)), view.exposure,
                    textOf(kMappers, static_cast<int>(view.toneMapper)));
    if (!rows.group(folding, kViewHeading, summary)) return;
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
    double& text = ui.frame.preferences.text;
    rows.field("Text size");
    const int percent = static_cast<int>(std::lround(100 * text));
    if (const auto chosen = combo(ui, "view.text", textSizes(), nearestText(percent)))
        text = std::stod(textSizes()[static_cast<std::size_t>(*chosen)].id) / 100;
    rows.tooltip("As large as there is room for both panels and the picture.",
                 "Ctrl and +, - or 0; the edges of the panels can be dragged");
}

struct KernelFact {
    const char* name;
    std::string value, help;
};

void drawFact(const Rows& rows, const KernelFact& fact) {
    rows.label(fact.name);
    rows.tooltip(fact.help, "");
    rows.toControl();
    ImGui::AlignTextToFramePadding();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::TextUnformatted(fitted(rows.ui.theme.body, fact.value, room).c_str());
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
std::vector<KernelFact> factsOf(const KernelInfo& kernel) {
    std::vector<KernelFact> facts;
    const auto whole = [&](const char* name, int n, const char* unit, const char* help) {
        if (n >= 0) facts.push_back({name, fmt::format("{}{}", n, unit), help});
    };
    if (kernel.registers < 0 && !kernel.name.empty()) {
        facts.push_back({kFactLabels[5], mainFlags(kernel.name),
                         fmt::format("The compiler's flags for this kernel: {}", kernel.name)});
    }
    whole(kFactLabels[0], kernel.registers, " / thread",
          "Registers of a thread: fewer let more warps run at once.");
    whole(kFactLabels[1], kernel.localBytes, " B / thread",
          "Stack frame and spilled registers of a thread.");
    whole(kFactLabels[2], kernel.spillBytes, " B / thread",
          "Bytes stored and loaded because registers ran out.");
    if (kernel.occupancy >= 0) {
        facts.push_back(
            {kFactLabels[3], fmt::format("{:.0f} %", 100 * kernel.occupancy),
             "Theoretical: warps that fit on a multiprocessor over the most it can hold."});
    }
    const bool compiling = !kernel.ready && !kernel.packing;
    if (kernel.compileMs >= 0 || kernel.cached || compiling) {
        facts.push_back({kFactLabels[4],
                         compiling       ? reasonToWait(kernel)
                         : kernel.cached ? "from the cache"
                                         : fmt::format("{} ms", formatNumber(kernel.compileMs)),
                         "Kernels are compiled while the one before goes on."});
    }
    return facts;
}

void kernelFacts(const Rows& rows, Folding& folding, const KernelInfo& kernel) {
    const std::string summary =
        kernel.registers < 0 ? mainFlags(kernel.name)
                             : fmt::format("{} registers, {:.0f} % occupancy", kernel.registers,
                                           100 * std::max(kernel.occupancy, 0.));
    if (!rows.group(folding, kFactsHeading, kernel.ready ? summary : reasonToWait(kernel))) return;
    for (const KernelFact& fact : factsOf(kernel)) drawFact(rows, fact);
}

/// In pixels.
struct RowPadding {
    float pad, space;
};

/// Of rows, and the space between them, from roomy to dense.
std::vector<RowPadding> paddings(const Theme& theme) {
    std::vector<RowPadding> result;
    for (const auto& [pad, space] : {RowPadding{3, 5}, {3, 3}, {2, 3}, {1, 2}})
        result.push_back({std::round(theme.units(pad)), std::round(theme.units(space))});
    return result;
}

std::vector<RowGroup> groupsOf(const Frame& frame, const AxisMemory::Hold& hold) {
    std::vector<RowGroup> groups{{"Scene", 2, RowGroup::kAlways}};
    for (const AxisRows& rows : axisRows(frame, hold)) groups.push_back(rows.group);
    groups.push_back({kFactsHeading, static_cast<int>(factsOf(frame.host.kernel()).size()), 1});
    groups.push_back({kViewHeading, 5, 2});
    return groups;
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

bool Rows::group(Folding& folding, const std::string& name, const std::string& summary,
                 float free) const {
    const Theme& theme = ui.theme;
    const bool open = folding.open(name);
    const float height = headingHeight(theme), size = theme.units(kTriangle);
    const float text = size + theme.units(kTriangleGap), width = textSize(theme.strong, name).x;
    const float whole = open ? text + width : ImGui::GetContentRegionAvail().x - free;
    if (clickArea(("##" + name).c_str(), {whole, height}))
        ui.frame.then([&folding, name] { folding.toggle(name); });
    note(ui, "group." + name);
    const Rect area = itemRect();
    const ImU32 color = packed(ImGui::IsItemHovered() ? colors::text : colors::accent);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 middle{area.x + size / 2, area.y + area.height / 2};
    const float half = size / 2, deep = .4f * size;
    if (open)
        list.AddTriangleFilled({middle.x - half, middle.y - deep},
                               {middle.x + half, middle.y - deep}, {middle.x, middle.y + deep},
                               color);
    else
        list.AddTriangleFilled({middle.x - deep, middle.y - half}, {middle.x + deep, middle.y},
                               {middle.x - deep, middle.y + half}, color);
    const float top = area.y + (height - theme.strong.size) / 2;
    drawText(list, theme.strong, {area.x + text, top}, color, name);
    if (open) return true;
    const float left = text + width + theme.units(10);
    drawText(list, theme.small, {area.x + left, area.y + (height - theme.small.size) / 2},
             packed(colors::dim), fitted(theme.small, summary, area.width - left));
    return false;
}

void Rows::tooltip(const std::string& text, const std::string& spelling,
                   const std::string& reason) const {
    if (!explained(ui)) return;
    beginTooltip(ui, itemRect());
    textLine(text, colors::text);
    textLine(spelling, colors::dim);
    textLine(reason, colors::warning);
    endTooltip(ui);
}

float KernelPanel::width(const Theme& theme) const {
    // whole pixels
    return std::ceil(labelsWidth(theme)) + theme.units(10) + std::ceil(controlsWidth(theme)) + 1;
}

void KernelPanel::drawPanel(const Ui& ui) {
    const Frame& frame = ui.frame;
    const ImGuiStyle& style = ImGui::GetStyle();
    const std::vector<RowPadding> all = paddings(ui.theme);
    std::vector<RowHeights> heights;
    for (const auto& [pad, space] : all) {
        heights.push_back({ui.theme.body.size + 2 * pad + space, headingHeight(ui.theme) + space});
    }
    const bool list =
        ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
    const ImVec2 mouse = ImGui::GetMousePos();
    if (!list && !windowRect().contains(mouse.x, mouse.y)) memory_.hold = {};
    const std::vector<RowGroup> groups = groupsOf(frame, memory_.hold);
    const float start = ImGui::GetCursorPosY();
    const float room = ui.layout.kernel.height - start - style.WindowPadding.y;
    if (memory_.hold.changed == nullptr) fit_ = folding_.fit(groups, room - beyond_, heights);
    const auto [pad, space] = all[fit_];
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.FramePadding.x, pad});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {style.ItemSpacing.x, space});
    const Rows rows{ui, std::ceil(labelsWidth(ui.theme)) + ui.theme.units(10)};
    sceneRows(rows, folding_);
    drawAxes(rows, folding_, lab_ != nullptr ? lab_->switchesOf(frame.state) : KnownSwitches{},
             memory_);
    kernelFacts(rows, folding_, frame.host.kernel());
    viewRows(rows, folding_);
    beyond_ =
        std::max(ImGui::GetCursorPosY() - start - folding_.height(groups, heights[fit_]), 0.f);
    ImGui::PopStyleVar(2);
}

void KernelPanel::chord(const Chord& chord, Frame&) {
    if (chord.letter == 'f') search_.open();
}

void KernelPanel::key(const KeyPress& press, Frame&) {
    if (press.key == Key::escape) search_.close();
}

void KernelPanel::draw(const Ui& ui) {
    if (std::exchange(memory_.showAll, false)) search_.open();
    search_.draw(ui, memory_);
    if (!ui.frame.panels || ui.layout.folded) return;
    if (beginPanel("Kernel", ui.layout.kernel)) drawPanel(ui);
    endPanel(ui, "panel.kernel");
}

void KernelPanel::describe(const Frame& frame, nlohmann::json& status) const {
    const View& view = frame.state.view;
    status["view"] = {{"exposure", view.exposure},
                      {"tone_mapper", static_cast<int>(view.toneMapper)},
                      {"shown", nameOf(view.shown)}};
    if (search_.shown())
        status["search"] = {{"query", search_.query()}, {"found", search_.found()}};
}

}  // namespace rayscope
