#include "ui/axis_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/devices/starting.h"
#include "ui/kernel_panel.h"

namespace rayscope {

namespace {

constexpr double kRemarkSeconds = 8;

std::string valueLabel(const Axis& axis, int value) {
    return axis.kind == AxisKind::number ? std::to_string(value)
                                         : axis.values[static_cast<std::size_t>(value)].label;
}

/// What has changed beside the axis that was chosen.
std::vector<TakenAlong> companionsOf(const Axis& axis, const Settings& before,
                                     const Settings& after) {
    std::vector<TakenAlong> result;
    for (const Axis& other : axes()) {
        const int from = other.get(before), to = other.get(after);
        if (other.id != axis.id && from != to && (other.matters(before) || other.matters(after)))
            result.push_back({&axis, axis.get(after), &other, from, to});
    }
    return result;
}

/// "Engine (engine) went from packets to megakernel: ...".
std::string remarkOf(const std::vector<TakenAlong>& taken, const Frame& frame,
                     const Settings& before, const Settings& after) {
    std::string text;
    for (const TakenAlong& t : taken) {
        text += fmt::format("{}{}: {} instead of {}", text.empty() ? "" : "\n", bothNames(*t.axis),
                            valueLabel(*t.axis, t.to), valueLabel(*t.axis, t.from));
    }
    if (taken.empty()) return text;
    Settings alone = before;
    taken.front().cause->set(alone, taken.front().cause->get(after));
    const std::string reason = frame.backends.unsupported(alone);
    return reason.empty() ? text : text + "\n" + reason;
}

}  // namespace

std::string bothNames(const Axis& axis) {
    return fmt::format("{} ({})", axis.label, axis.id);
}

Settings changedTo(const AxisMemory& memory, const Frame& frame, const Axis& axis, int value) {
    const Settings& now = frame.state.settings;
    Settings result = now;
    if (axis.id == "backend") {
        axis.set(result, value);
        return switchedTo(result.backend, now, frame.state.scene);
    }
    choose(result, axis, value);
    for (const TakenAlong& t : memory.taken) {
        const bool ours = t.cause == &axis && t.value == axis.get(now) && value != t.value;
        if (!ours || t.axis->get(now) != t.to || t.axis->get(result) != t.to) continue;
        Settings back = result;
        t.axis->set(back, t.from);
        if (frame.backends.unsupported(back).empty()) result = back;
    }
    return result;
}

void change(AxisMemory& memory, Frame& frame, const Axis& axis, const Settings& to) {
    const Settings before = frame.state.settings;
    if (axis.get(before) == axis.get(to) && before == to) return;
    std::erase_if(memory.taken, [&](const TakenAlong& t) {
        return t.cause == &axis || t.cause->get(before) != t.value || t.axis->get(before) != t.to ||
               t.axis == &axis;
    });
    std::vector<const Axis*> above;
    for (const AxisRows& rows : axisRows(frame, memory.hold)) {
        for (const Axis* row : rows.axes) {
            if (row == &axis) break;
            above.push_back(row);
        }
        if (std::ranges::find(rows.axes, &axis) != rows.axes.end()) break;
    }
    memory.hold = {&axis, std::move(above)};
    const auto taken =
        axis.id == "backend" ? std::vector<TakenAlong>{} : companionsOf(axis, before, to);
    memory.remark = {axis.id, remarkOf(taken, frame, before, to), frame.now + kRemarkSeconds};
    memory.taken.insert(memory.taken.end(), taken.begin(), taken.end());
    frame.state.settings = to;
}

}  // namespace rayscope
