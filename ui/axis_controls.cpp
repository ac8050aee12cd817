#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/choices/axes.h"
#include "renderer/devices/starting.h"
#include "renderer/lab/study.h"
#include "ui/kernel_panel.h"
#include "ui/lab_panel.h"
#include "ui/stored_figures.h"

// The controls of the axes, made from the table.

namespace rayscope {

namespace {

constexpr float kSliderWidth = 70;                  ///< at least
constexpr float kDotUnits = 10, kDotRadius = 2.5f;  ///< of the gap behind labels

/// From top to bottom; where there is no room, `stays` says which fold first.
constexpr struct {
    AxisGroup group;
    const char* heading;
    int stays;
} kGroups[] = {{AxisGroup::backend, "Backend", 6},
               {AxisGroup::kernel, "Kernel", RowGroup::kAlways},
               {AxisGroup::wavefront, "Wavefront", 5},
               {AxisGroup::scene, "Scene data", 4},
               {AxisGroup::path, "Light paths", RowGroup::kAlways},
               {AxisGroup::launch, "Launch", 3},
               {AxisGroup::simulation, "Simulation", 2}};

/// What the axis is, then what its value does.
std::string explanation(const Axis& axis, const std::string& value) {
    const int found = axis.values.find(value);
    if (found < 0) return std::string(axis.help);
    return fmt::format("{}\n{}: {}", axis.help, axis.values[found].label, axis.values[found].help);
}

std::string spelling(const Axis& axis, const std::string& value) {
    return fmt::format("{}={}   \u00b7   story: {}", axis.id, value, axis.story);
}

/// "with compaction=host": what changes beside the axis; empty where nothing does.
std::string companions(const Axis& axis, const Settings& settings, const Settings& candidate) {
    if (axis.id == "backend") return {};
    Settings alone = settings;
    axis.set(alone, axis.get(candidate));
    const std::string rest = difference(alone, candidate);
    return rest.empty() ? rest : "with " + rest;
}

/// The alternatives of an axis that were measured, a line for each; empty where none was.
std::string worthLines(const KnownSwitches& known, const Axis& axis) {
    std::string text;
    if (known.study == nullptr) return text;
    for (const StudyItem& item : known.study->items) {
        if (item.group != axis.id || !item.result) continue;
        const std::string efficiency = efficiencyText(item);
        text += fmt::format("\n{}: {}{}", valueOf(axis, item.b),
                            efficiency.empty() ? "" : efficiency + ", samples a second ",
                            shortText(item));
    }
    if (known.otherView && !text.empty()) text += "\nmeasured in another view";
    return text;
}

/// Of what is known of an item; of another view nothing stands out.
ImVec4 markColor(const KnownSwitches& known, const StudyItem& item) {
    return known.otherView ? colors::dim : ratioColor(item);
}

/// Beside the present value: what the best other one is worth. `before`: the width of what the
/// control shows; nothing is drawn where there is no room.
void worthMark(const Ui& ui, const KnownSwitches& known, const Axis& axis, float before,
               float after) {
    const Rect control = itemRect();
    const StudyItem* best = bestOf(known.study, axis);
    if (best == nullptr) return;
    const Speed verdict = worthOf(*best)->verdict;
    const bool faster = verdict == Speed::faster;
    std::string word = verdict == Speed::slower ? "best" : ratioWord(*best);
    if (faster && axis.kind == AxisKind::number) word = valueOf(axis, best->b) + ": " + word;
    const float width = textSize(ui.theme.small, word).x, gap = ui.theme.units(4);
    if (before + width + 2 * gap + after > control.width) return;
    drawText(*ImGui::GetWindowDrawList(), ui.theme.small,
             {control.x + control.width - after - gap - width,
              control.y + (control.height - ui.theme.small.size) / 2},
             packed(faster ? markColor(known, *best) : colors::dim), word);
}

NumberRange rangeOf(const Axis& axis) {
    return {axis.minimum, axis.maximum, axis.zero, axis.maximum - axis.minimum > 64};
}

/// Of a field for any number of any axis.
float fieldWidth(const Theme& theme) {
    float width = 0;
    for (const Axis& axis : axes()) {
        if (axis.kind == AxisKind::number)
            width = std::max(width, fieldWidth(theme, rangeOf(axis)));
    }
    return width;
}

/// The control of one axis.
struct Control {
    const Rows& rows;
    const Axis& axis;
    const KnownSwitches& known;
    AxisMemory& memory;
    const Ui& ui = rows.ui;
    State& state = ui.frame.state;
    int now = axis.get(state.settings);
    std::string name = fmt::format("axis.{}", axis.id);

    void choice() {
        const std::string& shown = axis.values[now].label;
        if (!beginCombo(ui, name, shown, ImGuiComboFlags_HeightLargest)) {
            worthMark(ui, known, axis,
                      textSize(ui.theme.body, shown).x + ImGui::GetStyle().FramePadding.x,
                      ImGui::GetFrameHeight());
            return tooltip(spelling(axis, axis.values[now].id));
        }
        std::optional<Settings> wish;
        for (int i = 0; i < static_cast<int>(axis.values.size()); ++i) {
            if (auto chosen = choiceEntry(i)) wish = std::move(chosen);
        }
        ImGui::EndCombo();
        if (wish) change(memory, ui.frame, axis, *wish);
    }

    void toggle() {
        const AxisValue &value = axis.values[now], &other = axis.values[1 - now];
        const Settings candidate = to(1 - now);
        const std::string reason = ui.frame.backends.unsupported(candidate);
        bool on = now != 0;
        ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
        checkbox(ui, fmt::format("##{}", axis.id).c_str(), name, on, reason.empty());
        ImGui::PopStyleVar();
        tooltip(spelling(axis, value.id), reason);
        if (const StudyItem* item = worth(known.study, axis, 1 - now); item && item->result) {
            ImGui::SameLine();
            ImGui::TextColored(markColor(known, *item), "%s: %s", other.id.c_str(),
                               ratioWord(*item).c_str());
        }
        if (on != (now != 0)) change(memory, ui.frame, axis, candidate);
    }

    /// A slider and a field to type into. The value applies when the slider is let go, so that
    /// dragging over a hundred values is one switch.
    void number() {
        auto& pending = memory.pending;
        const auto waiting = pending.find(axis.id);
        int value = waiting != pending.end() ? waiting->second : now;
        bool done = false, editing = false, slider = true;
        const auto after = [&] {
            if (std::exchange(slider, false)) worthMark(ui, known, axis, 0, 0);
            editing |= ImGui::IsItemActive();
            done |= ImGui::IsItemDeactivatedAfterEdit();
            tooltip(fmt::format("{}, {} to {}", spelling(axis, std::to_string(value)), axis.minimum,
                                axis.maximum));
        };
        numberControl(ui, name, rangeOf(axis), fieldWidth(ui.theme), value, after);
        if (editing || done) pending[axis.id] = value;
        if (!done && editing) return;
        pending.erase(axis.id);
        if (!done) return;
        const Settings candidate = to(value);
        if (ui.frame.backends.unsupported(candidate).empty())
            change(memory, ui.frame, axis, candidate);
    }

    Settings to(int value) const { return changedTo(memory, ui.frame, axis, value); }
    void tooltip(const std::string& spelling, const std::string& reason = {}) const {
        rows.tooltip(explanation(axis, valueOf(axis, state.settings)) + worthLines(known, axis),
                     spelling, reason);
    }

    /// The settings where it was chosen.
    std::optional<Settings> choiceEntry(int i) const {
        const Settings candidate = to(i);
        const std::string reason = i == now ? "" : ui.frame.backends.unsupported(candidate);
        const AxisValue& value = axis.values[i];
        const bool chosen = entry(ui, value.label, name + "." + value.id, i == now, reason.empty());
        const std::string also = companions(axis, state.settings, candidate);
        const std::string there = reason.empty() ? "" : storedFigure(axis, i);
        rows.tooltip(
            value.help + (also.empty() ? "" : "\n" + also) + (there.empty() ? "" : "\n" + there),
            spelling(axis, value.id), reason);
        if (i == now) ImGui::SetItemDefaultFocus();
        if (const StudyItem* item = worth(known.study, axis, i)) {
            float widest = 0;
            for (const AxisValue& v : axis.values)
                widest = std::max(widest, textSize(ui.theme.body, v.label).x);
            ImGui::SameLine(widest + ImGui::GetStyle().WindowPadding.x + ui.theme.units(12));
            ImGui::TextColored(markColor(known, *item), "%s", ratioWord(*item).c_str());
        }
        return chosen ? std::optional(candidate) : std::nullopt;
    }
};

/// Beside the label of an axis that is not at its default: a dot, which takes it back.
void resetDot(const Rows& rows, const Axis& axis, const Settings& defaults, AxisMemory& memory) {
    const Ui& ui = rows.ui;
    const Settings& settings = ui.frame.state.settings;
    if (axis.id == "backend" || axis.get(settings) == axis.get(defaults)) return;
    const ImVec2 size{ui.theme.units(kDotUnits), ImGui::GetFrameHeight()};
    ImGui::SameLine(rows.labels + ImGui::GetStyle().WindowPadding.x - size.x);
    const bool pressed = clickArea(fmt::format("##reset-{}", axis.id).c_str(), size);
    note(ui, fmt::format("reset.{}", axis.id));
    const Rect area = itemRect();
    ImGui::GetWindowDrawList()->AddCircleFilled(
        {area.x + size.x / 2, area.y + size.y / 2},
        ui.theme.units(ImGui::IsItemHovered() ? kDotRadius + 1 : kDotRadius),
        packed(colors::accent));
    const Settings candidate = changedTo(memory, ui.frame, axis, axis.get(defaults));
    const std::string reason = ui.frame.backends.unsupported(candidate);
    rows.tooltip(fmt::format("Back to the default: {}={}", axis.id, valueOf(axis, defaults)),
                 companions(axis, settings, candidate), reason);
    if (pressed && reason.empty()) change(memory, ui.frame, axis, candidate);
}

/// Of the button of the defaults, which is there where anything is not at its own.
float defaultsWidth(const Frame& frame, const Settings& defaults) {
    if (difference(defaults, frame.state.settings).empty() && frame.state.view == View{}) return 0;
    return ImGui::CalcTextSize("Defaults").x + 2 * ImGui::GetStyle().FramePadding.x;
}

/// At the end of a heading's line.
void defaultsButton(const Ui& ui, const Settings& defaults) {
    Frame& frame = ui.frame;
    const float width = defaultsWidth(frame, defaults);
    if (width <= 0) return;
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - width);
    if (!smallButton(ui, "Defaults", "button.defaults",
                     "Takes all choices and the view back to what the window begins with."))
        return;
    frame.then([&frame, defaults] {
        frame.state.settings = defaults;
        frame.state.view = {};
        frame.say("Everything is at its default (Ctrl+Z takes that back)");
    });
}

constexpr const char* kShowAll = "Show all";

bool showAllButton(const Ui& ui) {
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - buttonWidth(kShowAll));
    return smallButton(ui, kShowAll, "button.show_all",
                       "Every choice that there is, with a field to search them: also those that "
                       "this device or these settings do without, and why. Key: Ctrl+F");
}

/// The present value as it is shown.
std::string labelOf(const Axis& axis, const Settings& settings) {
    const int now = axis.get(settings);
    if (axis.kind == AxisKind::choice) return axis.values[static_cast<size_t>(now)].label;
    return axis.kind == AxisKind::toggle ? fmt::format("{} {}", axis.label, valueOf(axis, settings))
                                         : textOf(rangeOf(axis), now);
}

bool severalGpus(const Frame& frame) {
    return frame.backends.gpus().size() > 1;
}

void gpuRow(const Rows& rows) {
    Frame& frame = rows.ui.frame;
    rows.field("GPU");
    std::vector<Option> gpus;
    for (const std::string& name : frame.backends.gpus()) {
        const std::string number = std::to_string(gpus.size());
        gpus.push_back({number, fmt::format("{}: {}", number, name)});
    }
    const int count = static_cast<int>(gpus.size());
    gpus.push_back({"all", "all, together"});
    const DeviceList devices = frame.backends.devices();
    int now = devices.any() ? 0 : -1;
    for (int number = 0; number < count; ++number)
        if (devices == oneGpu(number)) now = number;
    if (devices.allGpus) now = count;
    const auto chosen = combo(rows.ui, "gpu", gpus, now, now < 0 ? textOf(devices) : "");
    if (chosen && *chosen != now) {
        frame.then([&host = frame.host,
                    wanted = *chosen < count ? oneGpu(*chosen) : DeviceList{{}, true}] {
            host.useDevices(wanted);
        });
    }
    rows.tooltip(
        "The GPUs that CUDA traces on. Where another one draws the window, pixels are copied "
        "through the host.",
        fmt::format("--device {}", devices.any() ? "0" : textOf(devices)));
}

}  // namespace

float axisControlWidth(const Theme& theme) {
    const ImGuiStyle& style = ImGui::GetStyle();
    float width = theme.units(kSliderWidth) + style.ItemInnerSpacing.x + fieldWidth(theme);
    for (const Axis& axis : axes()) {
        for (const AxisValue& value : axis.values)
            width = std::max(width, choiceWidth(theme, value.label));
    }
    return width;
}

std::vector<AxisRows> axisRows(const Frame& frame, const AxisMemory::Hold& hold) {
    std::vector<AxisRows> result;
    bool above = hold.changed != nullptr;
    for (const auto& [group, heading, stays] : kGroups) {
        AxisRows rows{{heading, 0, stays}, {}};
        for (const Axis& axis : axes()) {
            if (axis.group != group) continue;
            if (&axis == hold.changed) above = false;
            const bool shown = above ? std::ranges::find(hold.above, &axis) != hold.above.end()
                                     : axis.matters(frame.state.settings);
            if (shown) rows.axes.push_back(&axis);
        }
        rows.group.rows = static_cast<int>(rows.axes.size());
        if (group == AxisGroup::backend && severalGpus(frame)) ++rows.group.rows;
        if (!rows.axes.empty()) result.push_back(std::move(rows));
    }
    return result;
}

/// Beside the panel, at the height of the last item.
static void drawRemark(const Ui& ui, const std::string& text) {
    const Rect item = itemRect(), panel = windowRect(), free = ui.layout.free;
    const bool left = panel.x < free.x;
    ImGui::SetNextWindowPos({left ? free.x : free.x + free.width, item.y + item.height / 2},
                            ImGuiCond_Always, {left ? 0.f : 1.f, .5f});
    ImGui::SetNextWindowSizeConstraints({1, 1}, {free.width, free.height});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colors::popup);
    ImGui::Begin("Remark", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    strongLine(ui, "Also changed", colors::accent);
    ImGui::PushTextWrapPos(ui.theme.units(380));
    textLine(text, colors::text);
    ImGui::PopTextWrapPos();
    endPanel(ui, "remark");
    ImGui::PopStyleColor();
}

/// An axis that has lost its meaning while the cursor is on the panel.
static void drawMeaningless(const Rows& rows, const Axis& axis) {
    ImGui::AlignTextToFramePadding();
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string why = fmt::format("only with {}", axis.belongsTo.words);
    textLine(fitted(rows.ui.theme.body, why, room), colors::dim);
    note(rows.ui, fmt::format("axis.{}", axis.id), false);
    rows.tooltip(std::string(axis.help), bothNames(axis), why);
}

void drawAxes(const Rows& rows, Folding& folding, const KnownSwitches& known, AxisMemory& memory) {
    const Ui& ui = rows.ui;
    const Frame& frame = ui.frame;
    const Settings& settings = frame.state.settings;
    const Settings defaults = defaultsOf(frame);
    for (const auto& [group, members] : axisRows(frame, memory.hold)) {
        std::string summary;
        for (const Axis* axis : members)
            summary += (summary.empty() ? "" : ", ") + labelOf(*axis, settings);
        const bool first = group.name == kGroups[0].heading, all = group.name == kGroups[1].heading;
        const float gap = ImGui::GetStyle().ItemSpacing.x;
        const float width = first ? defaultsWidth(frame, defaults)
                            : all ? buttonWidth(kShowAll)
                                  : 0;
        const bool open = rows.group(folding, group.name, summary, width > 0 ? width + gap : 0);
        if (first) defaultsButton(ui, defaults);
        if (all) memory.showAll |= showAllButton(ui);
        if (!open) continue;
        for (const Axis* member : members) {
            const Axis& axis = *member;
            rows.label(std::string(axis.label));
            note(ui, fmt::format("label.{}", axis.id));
            rows.tooltip(explanation(axis, valueOf(axis, settings)),
                         spelling(axis, valueOf(axis, settings)));
            if (!axis.matters(settings)) {
                rows.toControl();
                drawMeaningless(rows, axis);
                continue;
            }
            resetDot(rows, axis, defaults, memory);
            rows.toControl();
            Control control{rows, axis, known, memory};
            if (axis.kind == AxisKind::choice) control.choice();
            if (axis.kind == AxisKind::toggle) control.toggle();
            if (axis.kind == AxisKind::number) control.number();
            const AxisMemory::Remark& remark = memory.remark;
            if (remark.axis == axis.id && !remark.text.empty() && frame.now < remark.until)
                drawRemark(ui, remark.text);
            if (axis.id == "backend" && severalGpus(frame)) gpuRow(rows);
        }
    }
}

}  // namespace rayscope
