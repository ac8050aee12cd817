#include "ui/axis_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "renderer/base/text.h"
#include "ui/stored_figures.h"

namespace rayscope {

namespace {

constexpr float kSearchWidth = 560, kSearchShare = .8f;  ///< of the height, at most
constexpr float kSearchIndent = 12;

bool hasAll(const std::string& text, const std::vector<std::string>& words) {
    return std::ranges::all_of(
        words, [&](const std::string& w) { return text.find(w) != std::string::npos; });
}

std::vector<std::string> wordsOf(const std::string& query) {
    std::vector<std::string> words;
    std::istringstream stream(smallLetters(query));
    for (std::string word; stream >> word;) {
        // "engine=packets" as it is written elsewhere
        for (char& c : word)
            if (c == '=') c = ' ';
        std::istringstream parts(word);
        for (std::string part; parts >> part;) words.push_back(part);
    }
    return words;
}

/// Why an axis means nothing at all here; empty where it does.
std::string whyNot(const Axis& axis, const Settings& settings) {
    if (!axis.appliesTo(settings.backend)) return std::string(axis.otherLacks);
    if (!axis.belongsTo.holds(settings)) return fmt::format("only with {}", axis.belongsTo.words);
    return {};
}

}  // namespace

std::vector<AxisFound> findAxes(const std::string& query, const Settings& settings) {
    const std::vector<std::string> words = wordsOf(query);
    std::vector<AxisFound> found;
    for (const Axis& axis : axes()) {
        const std::string own =
            smallLetters(fmt::format("{} {} {} {}", axis.id, axis.label, axis.help, axis.story));
        const std::string reason = whyNot(axis, settings);
        if (axis.values.empty()) {
            if (hasAll(own, words)) found.push_back({&axis, -1, reason});
            continue;
        }
        const bool all = hasAll(own, words);
        for (int i = 0; i < static_cast<int>(axis.values.size()); ++i) {
            const AxisValue& value = axis.values[static_cast<std::size_t>(i)];
            const std::string text = smallLetters(fmt::format("{} {} {} {} {}", axis.id, axis.label,
                                                              value.id, value.label, value.help));
            if (all || hasAll(text, words)) found.push_back({&axis, i, reason});
        }
    }
    return found;
}

void AxisSearch::open() {
    shown_ = opened_ = true;
    query_.clear();
}

void AxisSearch::look(const Frame& frame) {
    const std::pair<std::string, Settings> now{query_, frame.state.settings};
    const std::uint64_t scene = frame.state.scene.version();
    if (of_ && *of_ == now && scene_ == scene) return;
    of_ = now;
    scene_ = scene;
    found_ = findAxes(query_, now.second);
    for (AxisFound& found : found_) {
        if (found.value < 0 || !found.reason.empty()) continue;
        if (found.value == found.axis->get(now.second)) continue;
        found.reason = frame.backends.unsupported(changedTo({}, frame, *found.axis, found.value));
    }
}

void AxisSearch::draw(const Ui& ui, AxisMemory& memory) {
    if (!shown_) return;
    const Rect& free = ui.layout.free;
    const float width = std::min(ui.theme.units(kSearchWidth), ui.layout.status.width);
    const float screen = ui.layout.status.width;
    const float left = std::clamp(free.x + (free.width - width) / 2, 0.f, screen - width);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colors::popup);
    beginPane("Find", {left, free.y, width, std::max(free.height * kSearchShare, 1.f)},
              ImGuiWindowFlags_NoScrollbar);
    if (std::exchange(opened_, false)) {
        ImGui::SetWindowFocus();
        ImGui::SetKeyboardFocusHere();
    }
    std::array<char, 128> text{};
    query_.copy(text.data(), text.size() - 1);
    const float close = buttonWidth("Close") + ImGui::GetStyle().ItemSpacing.x;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - close);
    if (ImGui::InputTextWithHint("##find", "an axis, a value, or words: shared memory", text.data(),
                                 text.size()))
        query_ = text.data();
    note(ui, "search.query");
    ImGui::SameLine();
    if (button(ui, "Close", "search.close")) shown_ = false;
    look(ui.frame);
    if (found_.empty()) textLine("No axis and no value has all these words.", colors::dim);
    ImGui::BeginChild("found");
    drawFound(ui, memory);
    ImGui::EndChild();
    endPanel(ui, "panel.search");
    ImGui::PopStyleColor();
}

/// Each axis with what was found of it; a click chooses a value.
void AxisSearch::drawFound(const Ui& ui, AxisMemory& memory) const {
    Frame& frame = ui.frame;
    const Axis* heading = nullptr;
    for (const AxisFound& found : found_) {
        const Axis& axis = *found.axis;
        const bool now = found.value == axis.get(frame.state.settings) && found.reason.empty();
        if (std::exchange(heading, &axis) != &axis) {
            space(ui, 3);
            strongLine(ui, bothNames(axis), colors::accent);
            paragraph(std::string(axis.help), colors::text);
            paragraph(whyNot(axis, frame.state.settings), colors::warning);
        }
        ImGui::Indent(ui.theme.units(kSearchIndent));
        if (found.value < 0) {
            textLine(fmt::format("{}, from {} to {}", valueOf(axis, frame.state.settings),
                                 axis.minimum, axis.maximum),
                     colors::text);
            note(ui, fmt::format("found.{}", axis.id));
        } else {
            const AxisValue& value = axis.values[static_cast<std::size_t>(found.value)];
            const std::string name = fmt::format("found.{}.{}", axis.id, value.id);
            if (entry(ui, fmt::format("{} ({})##{}", value.label, value.id, name), name, now,
                      found.reason.empty()) &&
                !now) {
                frame.then([&memory, &frame, &axis, chosen = found.value] {
                    change(memory, frame, axis, changedTo(memory, frame, axis, chosen));
                });
            }
            paragraph(value.help, colors::dim);
            if (!found.reason.empty()) paragraph(storedFigure(axis, found.value), colors::dim);
        }
        if (found.reason != whyNot(axis, frame.state.settings))
            paragraph(found.reason, colors::warning);
        ImGui::Unindent(ui.theme.units(kSearchIndent));
    }
}

}  // namespace rayscope
