#include "renderer/choices/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "renderer/base/text.h"

namespace rayscope {

struct ValueList::Values {
    std::vector<AxisValue> room;
    std::atomic<std::size_t> count{0};
};

ValueList::ValueList(std::vector<AxisValue> values, std::size_t room)
    : values_(std::make_shared<Values>()) {
    values_->count = values.size();
    values_->room = std::move(values);
    if (room > values_->room.size()) values_->room.resize(room);
}

const AxisValue* ValueList::begin() const {
    return values_ ? values_->room.data() : nullptr;
}

std::size_t ValueList::size() const {
    return values_ ? values_->count.load() : 0;
}

int ValueList::find(std::string_view id) const {
    const AxisValue* const found =
        std::find_if(begin(), end(), [&](const AxisValue& value) { return value.id == id; });
    return found == end() ? -1 : static_cast<int>(found - begin());
}

bool ValueList::add(AxisValue value) {
    const std::size_t count = size();
    if (!values_ || count == values_->room.size()) return false;
    values_->room[count] = std::move(value);
    values_->count = count + 1;
    return true;
}

namespace {

constexpr std::size_t kMostSources = 16, kLongestName = 24;

/// Guards the folders, and additions to the values.
struct Sources {
    std::mutex mutex;
    std::array<std::string, kMostSources> folders;
};

Sources& sources() {
    static Sources all;
    return all;
}

bool isName(std::string_view name) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, fits);
}

}  // namespace

const ValueList& sourceValues() {
    static const ValueList values(
        std::vector<AxisValue>{
            {"built_in", "built in", "The kernels as they are in the program."},
            {"mine", "mine", "Your edited copy of them: Edit in the Code tab makes one."}},
        kMostSources);
    return values;
}

Result<int> sourceNamed(std::string_view name) {
    const std::lock_guard lock(sources().mutex);
    ValueList values = sourceValues();
    if (const int known = values.find(name); known >= 0) return known;
    if (!isName(name)) {
        return Failure{fmt::format(
            "source={} is not possible: a name has at most {} lower-case letters, digits and _",
            printable(shortened(std::string(name), 2 * kLongestName)), kLongestName)};
    }
    if (!values.add({std::string(name), std::string(name),
                     "The kernels in the folder that --kernels NAME=DIR gives this name."}))
        return Failure{
            fmt::format("source={} is not possible: there are {} already", name, kMostSources)};
    return static_cast<int>(values.size()) - 1;
}

void setSourceFolder(int source, const std::string& folder) {
    const std::lock_guard lock(sources().mutex);
    sources().folders.at(static_cast<std::size_t>(source)) = folder;
}

std::string sourceFolder(int source) {
    const std::lock_guard lock(sources().mutex);
    return sources().folders.at(static_cast<std::size_t>(source));
}

bool anySourceFolder() {
    const std::lock_guard lock(sources().mutex);
    return std::ranges::any_of(sources().folders, [](const auto& f) { return !f.empty(); });
}

}  // namespace rayscope
