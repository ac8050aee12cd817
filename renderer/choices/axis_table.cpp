// The table of axes, made from the rows of the groups.

#include <algorithm>
#include <stdexcept>

#include "renderer/choices/axis_rows.h"

namespace rayscope {

namespace {

int indexOf(const Axis& axis, std::string_view value) {
    if (const int known = axis.values.find(value); known >= 0) return known;
    throw std::logic_error("no value of " + std::string(axis.id) + ": " + std::string(value));
}

/// From "reference|copy_state".
AxisValues someOf(const Axis& axis, std::string_view values) {
    AxisValues result{&axis, {}};
    while (!values.empty()) {
        const size_t bar = std::min(values.find('|'), values.size());
        result.values.push_back(indexOf(axis, values.substr(0, bar)));
        values.remove_prefix(std::min(bar + 1, values.size()));
    }
    return result;
}

/// From "sample_layout=float3|split".
AxisValues someOf(const std::vector<Axis>& table, std::string_view assignment) {
    const size_t equals = assignment.find('=');
    for (const Axis& axis : table) {
        if (axis.id == assignment.substr(0, equals))
            return someOf(axis, assignment.substr(equals + 1));
    }
    throw std::logic_error("a rule names no axis: " + std::string(assignment));
}

std::vector<Axis> makeAxes() {
    std::vector<Axis> table;
    const auto add = [&](AxisGroup group, std::vector<Axis> rows) {
        for (Axis& row : rows) {
            row.group = group;
            if (row.kind == AxisKind::toggle && row.values.size() != 2)
                throw std::logic_error("a toggle is off or on: " + std::string(row.id));
            if (row.kind != AxisKind::number) row.maximum = static_cast<int>(row.values.size()) - 1;
            table.push_back(std::move(row));
        }
    };
    add(AxisGroup::backend, backendAxes());
    add(AxisGroup::kernel, kernelAxes());
    add(AxisGroup::kernel, packetAxes());
    add(AxisGroup::wavefront, wavefrontAxes());
    add(AxisGroup::scene, sceneAxes());
    add(AxisGroup::path, pathAxes());
    add(AxisGroup::launch, launchAxes());
    add(AxisGroup::simulation, simulationAxes());
    for (Axis& axis : table) {
        for (Rule& rule : axis.rules) {
            rule.own = someOf(axis, rule.values);
            if (!rule.clash.empty()) rule.other = someOf(table, rule.clash);
            for (const std::string_view remedy : rule.remedies) someOf(table, remedy);
        }
    }
    return table;
}

}  // namespace

bool always(const Settings&) {
    return true;
}

const std::vector<Axis>& axes() {
    static const std::vector<Axis> table = makeAxes();
    return table;
}

}  // namespace rayscope
