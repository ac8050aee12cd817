#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "renderer/choices/axes.h"
#include "renderer/lab/study_report.h"
#include "ui/kernel_panel.h"
#include "ui/lab_panel.h"

// The controls of the axes, made from the table.

namespace rayscope {

namespace {

constexpr float kSliderWidth = 70;  ///< at least

/// From top to bottom.
constexpr std::pair<AxisGroup, const char*> kGroups[] = {
    {AxisGroup::backend, "Backend"},     {AxisGroup::kernel, "Kernel"},
    {AxisGroup::wavefront, "Wavefront"}, {AxisGroup::scene, "Scene data"},
    {AxisGroup::path, "Light paths"},    {AxisGroup::launch, "Launch"}};

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

/// The alternatives of an axis that were measured, a line for each; empty where none was.
std::string worthLines(const Study* switches, const Axis& axis) {
    std::string text;
    if (switches == nullptr) return text;
    for (const StudyItem& item : switches->items) {
        if (item.group == axis.id && item.result)
            text += fmt::format("\n{}: {}", valueOf(axis, item.b), shortText(item));
    }
    return text;
}

/// Beside the present value: what the best other one is worth. `before`: the width of what the
/// control shows; nothing is drawn where there is no room.
void worthMark(const Ui& ui, const Study* switches, const Axis& axis, float before, float after) {
    const Rect control = itemRect();
    const StudyItem* best = bestOf(switches, axis);
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

/// The control of one axis.
class Control {
public:
    Control(const Rows& rows, const Axis& axis, const Study* switches)
        : rows_(rows),
          ui_(rows.ui),
          axis_(axis),
          switches_(switches),
          state_(rows.ui.frame.state),
          now_(axis.get(state_.settings)),
          name_(fmt::format("axis.{}", axis.id)) {}

    void choice() {
        const std::string& shown = axis_.values[now_].label;
        if (!beginCombo(ui_, name_, shown, ImGuiComboFlags_HeightLargest)) {
            worthMark(ui_, switches_, axis_,
                      textSize(ui_.theme.body, shown).x + ImGui::GetStyle().FramePadding.x,
                      ImGui::GetFrameHeight());
            return tooltip(spelling(axis_, axis_.values[now_].id));
        }
        std::optional<Settings> wish;
        for (int i = 0; i < static_cast<int>(axis_.values.size()); ++i) {
            if (auto chosen = choiceEntry(i)) wish = std::move(chosen);
        }
        ImGui::EndCombo();
        if (wish) state_.settings = *wish;
    }

    void toggle() {
        const AxisValue &value = axis_.values[now_], &other = axis_.values[1 - now_];
        const Settings candidate = changedTo(1 - now_);
        const std::string reason = ui_.frame.backends.unsupported(candidate);
        bool on = now_ != 0;
        ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
        checkbox(ui_, fmt::format("##{}", axis_.id).c_str(), name_, on, reason.empty());
        ImGui::PopStyleVar();
        tooltip(spelling(axis_, value.id), reason);
        if (const StudyItem* item = worth(switches_, axis_, 1 - now_); item && item->result) {
            ImGui::SameLine();
            ImGui::TextColored(ratioColor(*item), "%s: %s", other.id.c_str(),
                               ratioWord(*item).c_str());
        }
        if (on != (now_ != 0)) state_.settings = candidate;
    }

    /// A slider and a field to type into. The value applies when the slider is let go, so that
    /// dragging over a hundred values is one switch.
    void number(std::map<std::string_view, int>& pending) {
        const auto waiting = pending.find(axis_.id);
        int value = waiting != pending.end() ? waiting->second : now_;
        const bool wide = axis_.maximum - axis_.minimum > 64;
        const float field = fieldWidth(ui_.theme), gap = ImGui::GetStyle().ItemInnerSpacing.x;
        bool done = false, editing = false;
        const auto after = [&] {
            editing |= ImGui::IsItemActive();
            done |= ImGui::IsItemDeactivatedAfterEdit();
            tooltip(fmt::format("{}, {} to {}", spelling(axis_, std::to_string(value)),
                                axis_.minimum, axis_.maximum));
        };
        ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - field - gap);
        ImGui::SliderInt(fmt::format("##slider-{}", axis_.id).c_str(), &value, axis_.minimum,
                         axis_.maximum, "",
                         ImGuiSliderFlags_AlwaysClamp | (wide ? ImGuiSliderFlags_Logarithmic : 0));
        note(ui_, name_);
        worthMark(ui_, switches_, axis_, 0, 0);
        after();
        ImGui::SameLine(0, gap);
        ImGui::SetNextItemWidth(field);
        ImGui::InputInt(fmt::format("##field-{}", axis_.id).c_str(), &value, 0, 0);
        note(ui_, name_ + ".field");
        after();
        value = std::clamp(value, axis_.minimum, axis_.maximum);
        if (editing || done) pending[axis_.id] = value;
        if (!done && editing) return;
        pending.erase(axis_.id);
        if (!done) return;
        const Settings candidate = changedTo(value);
        if (ui_.frame.backends.unsupported(candidate).empty()) state_.settings = candidate;
    }

private:
    Settings changedTo(int value) const {
        return changed(axis_, value, state_.settings, state_.scene);
    }
    void tooltip(const std::string& spelling, const std::string& reason = {}) const {
        rows_.tooltip(std::string(axis_.help) + worthLines(switches_, axis_), spelling, reason);
    }

    /// The settings where it was chosen.
    std::optional<Settings> choiceEntry(int i) const {
        const Settings candidate = changedTo(i);
        const std::string reason = i == now_ ? "" : ui_.frame.backends.unsupported(candidate);
        const AxisValue& value = axis_.values[i];
        const bool chosen =
            entry(ui_, value.label, name_ + "." + value.id, i == now_, reason.empty());
        rows_.tooltip(companions(axis_, state_.settings, candidate), spelling(axis_, value.id),
                      reason);
        if (i == now_) ImGui::SetItemDefaultFocus();
        if (const StudyItem* item = worth(switches_, axis_, i)) {
            float widest = 0;
            for (const AxisValue& v : axis_.values)
                widest = std::max(widest, textSize(ui_.theme.body, v.label).x);
            ImGui::SameLine(widest + ImGui::GetStyle().WindowPadding.x + ui_.theme.units(12));
            ImGui::TextColored(ratioColor(*item), "%s", ratioWord(*item).c_str());
        }
        return chosen ? std::optional(candidate) : std::nullopt;
    }

    const Rows& rows_;
    const Ui& ui_;
    const Axis& axis_;
    const Study* switches_;
    State& state_;
    int now_;
    std::string name_;
};

/// Where there are several.
void gpuRow(const Rows& rows) {
    Frame& frame = rows.ui.frame;
    rows.label("GPU");
    rows.toControl();
    std::vector<Option> gpus;
    for (const std::string& name : frame.backends.gpus()) {
        const std::string number = std::to_string(gpus.size());
        gpus.push_back({number, fmt::format("{}: {}", number, name)});
    }
    const int device = frame.backends.gpu(), count = static_cast<int>(gpus.size());
    const int now = device < count ? device : -1;
    const auto chosen = combo(rows.ui, "gpu", gpus, now, now < 0 ? "none" : "");
    if (chosen && *chosen != now)
        frame.then([&host = frame.host, gpu = *chosen] { host.useGpu(gpu); });
    rows.tooltip(
        "The GPU that CUDA traces on. Where another one draws the window, pixels are copied "
        "through the host.",
        fmt::format("--device {}", device));
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

void drawAxes(const Rows& rows, const Study* switches, std::map<std::string_view, int>& pending) {
    const Ui& ui = rows.ui;
    const Frame& frame = ui.frame;
    for (const auto& [group, heading] : kGroups) {
        bool empty = true;
        for (const Axis& axis : axes()) {
            const Settings& settings = frame.state.settings;
            if (axis.group != group || !axis.matters(settings)) continue;
            if (empty) rows.heading(heading);
            empty = false;
            rows.label(std::string(axis.label));
            note(ui, fmt::format("label.{}", axis.id));
            rows.tooltip(std::string(axis.help), spelling(axis, valueOf(axis, settings)));
            rows.toControl();
            Control control(rows, axis, switches);
            if (axis.kind == AxisKind::choice) control.choice();
            if (axis.kind == AxisKind::toggle) control.toggle();
            if (axis.kind == AxisKind::number) control.number(pending);
            if (axis.id == "backend" && frame.backends.gpus().size() > 1) gpuRow(rows);
        }
    }
}

}  // namespace rayscope
