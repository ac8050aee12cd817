#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/format.h"
#include "ui/panels.h"

namespace rayscope {

namespace {

constexpr float kTooltipWidth = 380;

struct KeyHelp {
    const char* keys;
    const char* what;
};

constexpr std::array kKeys{
    KeyHelp{"W A S D", "fly forward, left, back, right"},
    KeyHelp{"Q E", "fly down, up"},
    KeyHelp{"Shift", "fly faster"},
    KeyHelp{"Wheel", "set the speed"},
    KeyHelp{"Drag", "look around"},
    KeyHelp{"O, or Alt + drag", "orbit around the point under the cursor"},
    KeyHelp{"Double click", "focus on that point"},
    KeyHelp{"Home", "back to the scene's camera"},
    KeyHelp{"Ctrl + 1 ... 9, 1 ... 9", "keep this place, fly there"},
    KeyHelp{"Ctrl + Z, Ctrl + Shift + Z", "take a change back, make it again"},
    KeyHelp{"Ctrl + C, Ctrl + V", "copy the state as text, paste one"},
    KeyHelp{"Ctrl + Shift + C", "copy the picture"},
    KeyHelp{"Page Up, Page Down", "the guided tour's rungs"},
    KeyHelp{"Space", "pause"},
    KeyHelp{"R", "restart the film"},
    KeyHelp{"P", "pin the settings as A, or unpin them"},
    KeyHelp{"V", "show A | B, their difference, A, B"},
    KeyHelp{"T", "timeline of the last frames"},
    KeyHelp{"Tab", "hide or show the panels"},
    KeyHelp{"F12", "screenshot of the picture"},
    KeyHelp{"Shift + F12", "screenshot of the whole window"},
    KeyHelp{"Scene tab: click, drag", "select a sphere, move it"},
    KeyHelp{"Shift + drag, Delete", "resize the selected one, remove it"},
    KeyHelp{"Drop a file", "open a scene or a screenshot"},
    KeyHelp{"Esc", "end a climb, a tour, an experiment, a path, a race"},
    KeyHelp{"F1, Esc", "show or close this list"},
};

/// Parts of the strip from left to right; later ones are left out where the width does not do.
void stripText(const Ui& ui, const std::vector<std::string>& parts, const std::string& right) {
    const Theme& theme = ui.theme;
    const Rect& area = ui.layout.status;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float padding = theme.units(14), gap = theme.units(22);
    const float y = area.y + (area.height - theme.body.size) / 2;
    float end = area.x + area.width - padding;
    const float rightWidth = textSize(theme.body, right).x;
    if (area.width > 3 * rightWidth) {
        drawText(list, theme.body, {end - rightWidth, y}, packed(colors::dim), right);
        end -= rightWidth + gap;
    }
    float x = area.x + padding;
    for (size_t i = 0; i < parts.size(); ++i) {
        const std::string text = fitted(theme.body, parts[i], end - x);
        if (text.empty()) break;
        drawText(list, theme.body, {x, y}, packed(i == 0 ? colors::accent : colors::text), text);
        x += textSize(theme.body, text).x + gap;
    }
}

const char* nameOf(Display display) {
    switch (display) {
        case Display::interop:
            return "interop";
        case Display::copy:
            return "copy";
        case Display::host:
            return "host";
    }
    return "";
}

}  // namespace

void drawStatusStrip(const Ui& ui, const StripFacts& facts) {
    const Rect& area = ui.layout.status;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::SetNextWindowPos({area.x, area.y});
    ImGui::SetNextWindowSize({area.width, area.height});
    ImGui::Begin("Status", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
    std::vector<std::string> parts{
        facts.backend == Backend::cuda ? "CUDA" : "CPU",
        shorten(facts.device.name, 48),
        fmt::format("display: {}", nameOf(facts.display)),
        fmt::format("{} \u00d7 {}", facts.width, facts.height),
        fmt::format("{} {}", formatCount(static_cast<unsigned long long>(facts.samples)),
                    facts.samples == 1 ? "sample" : "samples"),
        fmt::format("speed {} / s", formatNumber(facts.flight.speed)),
    };
    if (facts.flight.orbit) parts.push_back("orbit");
    if (!facts.climbing.empty()) parts.push_back(facts.climbing);
    if (facts.paused) parts.push_back("paused");
    if (facts.compiling) parts.push_back("compiling...");
    stripText(ui, parts, "F1  keys");
    ui.drawn["panel.status"] = {windowRect()};
    ImGui::End();
    ImGui::PopStyleVar(2);
}

void hint(const Ui& ui, const std::string& text) {
    if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ui.theme.units(kTooltipWidth));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

bool drawHelp(const Ui& ui) {
    const Theme& theme = ui.theme;
    const Rect& free = ui.layout.free;
    float keysWidth = 0, textWidth = 0;
    for (const KeyHelp& help : kKeys) {
        keysWidth = std::max(keysWidth, textSize(theme.strong, help.keys).x);
        textWidth = std::max(textWidth, textSize(theme.body, help.what).x);
    }
    const float gap = theme.units(20);
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const float width =
        keysWidth + gap + textWidth + 2 * padding.x + ImGui::GetStyle().ScrollbarSize;
    // Over the panels where the picture between them is too narrow.
    const float middle = free.x + free.width / 2;
    const Rect area{std::max(middle - width / 2, 0.0f), free.y + theme.units(24), width,
                    std::max(free.height - theme.units(48), 1.0f)};
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colors::popup);
    beginPanel("Keys", area);
    // once: a focus in every frame would take the mouse from what is pressed in a panel
    if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
    pushFace(theme.strong);
    ImGui::TextColored(colors::accent, "Keys");
    popFace();
    for (const KeyHelp& help : kKeys) {
        pushFace(theme.strong);
        ImGui::TextUnformatted(help.keys);
        popFace();
        ImGui::SameLine(padding.x + keysWidth + gap);
        ImGui::TextUnformatted(help.what);
    }
    const Rect list = windowRect();
    ui.drawn["panel.keys"] = {list};
    ImGui::End();
    ImGui::PopStyleColor();
    const ImVec2 mouse = ImGui::GetMousePos();
    return !ImGui::IsMouseClicked(ImGuiMouseButton_Left) || list.contains(mouse.x, mouse.y);
}

void drawCompileLog(const Ui& ui, const std::string& log, bool* open) {
    const Rect& free = ui.layout.free;
    const float height = std::min(ui.theme.units(260), free.height);
    ImGui::SetNextWindowPos({free.x, free.y + free.height - height});
    ImGui::SetNextWindowSize({free.width, height});
    ImGui::Begin("Compiler", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoNav);
    ImGui::PushStyleColor(ImGuiCol_Text, colors::warning);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted("This kernel did not compile; the last good one goes on.");
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    if (ImGui::Button("Close")) *open = false;
    ui.drawn["button.close_log"] = {itemRect()};
    ImGui::SameLine();
    if (ImGui::Button("Copy")) ImGui::SetClipboardText(log.c_str());
    ImGui::BeginChild("log", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::TextUnformatted(log.c_str(), log.c_str() + log.size());
    ImGui::EndChild();
    ui.drawn["panel.compiler"] = {windowRect()};
    ImGui::End();
}

void drawToasts(const Ui& ui, const Toasts& toasts) {
    const Theme& theme = ui.theme;
    const Rect& free = ui.layout.free;
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    const float padding = theme.units(12);
    const float most = std::min(free.width, theme.units(620));
    float y = free.y + free.height;  // upwards from the status strip, newest lowest
    for (auto it = toasts.shown.rbegin(); it != toasts.shown.rend(); ++it) {
        const Toast& toast = *it;
        const float wrap = most - 2 * padding;
        const ImVec2 size = theme.body.font->CalcTextSizeA(
            theme.body.size, 1e6f, wrap, toast.text.data(), toast.text.data() + toast.text.size());
        const float width = size.x + 2 * padding, height = size.y + 1.2f * padding;
        const float x = std::floor(free.x + (free.width - width) / 2);
        y -= height;
        list.AddRectFilled({x, y}, {x + width, y + height}, packed(colors::popup), theme.units(6));
        list.AddRect({x, y}, {x + width, y + height},
                     packed(toast.error ? colors::warning : colors::accent, .6f), theme.units(6));
        list.AddText(theme.body.font, theme.body.size, {x + padding, std::floor(y + .6f * padding)},
                     packed(colors::text), toast.text.data(), toast.text.data() + toast.text.size(),
                     wrap);
        y -= theme.units(8);
    }
}

}  // namespace rayscope
