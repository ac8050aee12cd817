#include "renderer/choices/axes.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "renderer/base/text.h"
#include "renderer/choices/sources.h"
#include "renderer/core/variant_members.h"

namespace rayscope {

namespace {

std::string listOf(const ValueList& values) {
    std::string list;
    for (const AxisValue& v : values) list += (list.empty() ? "" : ", ") + v.id;
    return list;
}

/// Converts to anything, so that countMembers() can find out how many initialisers a struct takes.
struct Anything {
    template <class T>
    operator T() const;
};

template <class T, class... Given>
constexpr int countMembers() {
    if constexpr (requires { T{Given{}..., Anything{}}; })
        return countMembers<T, Given..., Anything>();
    else
        return sizeof...(Given);
}

constexpr int countVisited() {
    int count = 0;
    visitMembers([&](const char*, auto) { ++count; });
    return count;
}

static_assert(countVisited() == countMembers<Variant>(),
              "a member of Variant is missing from visitChoices() or visitDerived()");

/// A word, perhaps from a file, to be shown in a sentence.
std::string quoted(std::string_view word) {
    constexpr size_t kLongest = 60;
    return printable(shortened(std::string(word), kLongest));
}

}  // namespace

const Axis* findAxis(std::string_view id) {
    for (const Axis& axis : axes()) {
        if (axis.id == id) return &axis;
    }
    return nullptr;
}

std::string_view nameOf(Reader reader) {
    constexpr std::array<std::string_view, 5> names{"", "compiler", "launch", "host", "simulation"};
    return names.at(static_cast<size_t>(reader));
}

std::string_view nameOf(Effect effect) {
    constexpr std::array<std::string_view, 6> names{"",        "nothing", "machine",
                                                    "numbers", "paths",   "picture"};
    return names.at(static_cast<size_t>(effect));
}

std::string meaningless(const Axis& axis, std::string_view value) {
    return fmt::format("{}={} means nothing on the {} backend: {}", axis.id, value,
                       axis.onCuda ? "cpu" : "cuda", axis.otherLacks);
}

std::string withoutEffect(const std::vector<std::string>& assignments, const Settings& settings) {
    for (const std::string& assignment : assignments) {
        const size_t equals = assignment.find('=');
        const Axis& axis = *findAxis(std::string_view(assignment).substr(0, equals));
        if (!axis.appliesTo(settings.backend))
            return meaningless(axis, std::string_view(assignment).substr(equals + 1));
        if (!axis.matters(settings))
            return fmt::format("{} changes nothing here: it belongs to {}", assignment,
                               axis.belongsTo.words);
    }
    return {};
}

std::string valueOf(const Axis& axis, const Settings& settings) {
    const int value = axis.get(settings);
    return axis.kind == AxisKind::number ? std::to_string(value) : axis.values[value].id;
}

Result<void> assign(Settings& settings, std::string_view assignment) {
    const size_t equals = assignment.find('=');
    const std::string_view id = assignment.substr(0, equals);
    const Axis* axis = findAxis(id);
    if (axis == nullptr) {
        std::string known;
        for (const Axis& a : axes()) known += (known.empty() ? "" : ", ") + std::string(a.id);
        return Failure{fmt::format("unknown axis '{}': the axes are {}", quoted(id), known)};
    }
    if (equals == std::string_view::npos)
        return Failure{fmt::format("'{}' lacks a value: write {}=VALUE", id, id)};
    const std::string_view value = assignment.substr(equals + 1);
    if (axis->kind == AxisKind::number) {
        int n = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
        if (error != std::errc() || end != value.data() + value.size() || n < axis->minimum ||
            n > axis->maximum) {
            return Failure{fmt::format("{}={} is not possible: {} is a whole number from {} to {}",
                                       id, quoted(value), id, axis->minimum, axis->maximum)};
        }
        axis->set(settings, n);
        return {};
    }
    if (const int known = axis->values.find(value); known >= 0) {
        axis->set(settings, known);
        return {};
    }
    return Failure{fmt::format("{}={} is not possible: {} is one of {}", id, quoted(value), id,
                               listOf(axis->values))};
}

Result<void> assignRead(Settings& settings, std::string_view assignment) {
    constexpr std::string_view source = "source=";
    if (assignment.starts_with(source)) {
        const Result<int> known = sourceNamed(assignment.substr(source.size()));
        if (!known) return known.failure();
    }
    return assign(settings, assignment);
}

Settings canonical(const Settings& settings) {
    Settings result = settings;
    for (const Axis& axis : axes()) {
        if (!axis.matters(settings)) axis.set(result, axis.get(Settings{}));
    }
    return result;
}

std::string describe(const Settings& settings) {
    std::string text;
    for (const Axis& axis : axes()) {
        if (!axis.matters(settings)) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis.id, valueOf(axis, settings));
    }
    return text;
}

std::string difference(const Settings& before, const Settings& after) {
    std::string text;
    for (const Axis& axis : axes()) {
        if (!axis.matters(after) || axis.get(before) == axis.get(after)) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis.id, valueOf(axis, after));
    }
    return text;
}

}  // namespace rayscope
