#include <fmt/format.h>

#include <algorithm>

#include "renderer/choices/axes.h"
#include "ui/features.h"
#include "ui/format.h"

namespace rayscope {

namespace {

constexpr struct {
    const char *keys, *what;
} kHelpedKeys[] = {
    {"W A S D", "fly forward, left, back, right"},
    {"Q E", "fly down, up"},
    {"Shift", "fly faster"},
    {"Wheel", "set the speed"},
    {"Drag", "look around"},
    {"O, or Alt + drag", "orbit around the point under the cursor"},
    {"Double click", "focus on that point"},
    {"Home", "back to the scene's camera"},
    {"Ctrl + 1 ... 9, 1 ... 9", "keep this place, fly there"},
    {"Ctrl + Z, Ctrl + Shift + Z", "take a change back, make it again"},
    {"Ctrl + C, Ctrl + V", "copy the state as text, paste one"},
    {"Ctrl + Shift + C", "copy the picture"},
    {"Page Up, Page Down", "the guided tour's rungs"},
    {"Space", "pause"},
    {"R", "restart the film"},
    {"P", "pin the settings as A, or unpin them"},
    {"V", "show A | B, their difference, A, B"},
    {"T", "timeline of the last frames"},
    {"Tab", "hide or show the panels"},
    {"F12", "screenshot of the picture"},
    {"Shift + F12", "screenshot of the whole window"},
    {"Scene tab: click, drag", "select a sphere, move it"},
    {"Shift + drag, Delete", "resize the selected one, remove it"},
    {"Drop a file", "open a scene or a screenshot"},
    {"Esc", "close a list, or end a climb, a tour, an experiment ..."},
    {"F1, Esc", "show or close this list"},
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

class StatusStrip : public WindowFeature {
    void draw(const Ui& ui) override {
        if (!ui.layout.strip) return;
        const Frame& frame = ui.frame;
        const Settings& settings = frame.state.settings;
        const Film& film = frame.tracer.film();
        const Flight& flight = frame.steering.flight;
        std::vector<std::string> parts{
            settings.backend == Backend::cuda ? "CUDA" : "CPU",
            shorten(frame.backends.get(settings.backend).device().name, 48),
            fmt::format("display: {}", valueOf(*findAxis("display"), settings)),
            fmt::format("{} \u00d7 {}", film.width, film.height),
            fmt::format("{} {}", formatCount(static_cast<unsigned long long>(film.samples)),
                        film.samples == 1 ? "sample" : "samples"),
            fmt::format("speed {} / s", formatNumber(flight.speed)),
        };
        if (!frame.panels && frame.preferences.panels)
            parts.insert(parts.begin() + 1, "no room for the panels");
        if (flight.orbit) parts.push_back("orbit");
        if (const std::string doing = frame.host.doing(); !doing.empty()) parts.push_back(doing);
        if (frame.paused) parts.push_back("paused");
        if (const KernelInfo kernel = frame.host.kernel(); !kernel.ready && frame.number > 0)
            parts.push_back(reasonToWait(kernel));
        ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
        beginPane("Status", ui.layout.status,
                  ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBringToFrontOnFocus);
        stripText(ui, parts, "F1  keys");
        endPanel(ui, "panel.status");
        ImGui::PopStyleVar(2);
    }
};

class KeyList : public WindowFeature {
    void key(const KeyPress& press, Frame&) override {
        if (press.key == Key::help) shown_ = !shown_;
        if (press.key == Key::escape) shown_ = false;
    }

    void draw(const Ui& ui) override {
        if (!shown_) return;
        const Theme& theme = ui.theme;
        const Rect& free = ui.layout.free;
        float keysWidth = 0, textWidth = 0;
        for (const auto& line : kHelpedKeys) {
            keysWidth = std::max(keysWidth, textSize(theme.strong, line.keys).x);
            textWidth = std::max(textWidth, textSize(theme.body, line.what).x);
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
        strongLine(ui, "Keys", colors::accent);
        for (const auto& line : kHelpedKeys) {
            strongLine(ui, line.keys, colors::text);
            ImGui::SameLine(padding.x + keysWidth + gap);
            ImGui::TextUnformatted(line.what);
        }
        const Rect list = windowRect();
        endPanel(ui, "panel.keys");
        ImGui::PopStyleColor();
        const ImVec2 mouse = ImGui::GetMousePos();
        shown_ = !ImGui::IsMouseClicked(ImGuiMouseButton_Left) || list.contains(mouse.x, mouse.y);
    }

    bool shown_ = false;
};

class CompileLog : public WindowFeature {
    bool wantsPane(const Frame& frame) const override {
        const std::string log = frame.host.kernel().compileLog;
        return !log.empty() && log != closed_ && !frame.shows("code");
    }

    void draw(const Ui& ui) override {
        if (!wantsPane(ui.frame) || !(ui.layout.pane.height > 0)) return;
        const std::string log = ui.frame.host.kernel().compileLog;
        beginPane("Compiler", ui.layout.pane);
        paragraph("This kernel did not compile; the last good one goes on.", colors::warning);
        if (button(ui, "Close", "button.close_log")) closed_ = log;
        ImGui::SameLine();
        if (button(ui, "Copy", "button.copy_log")) ImGui::SetClipboardText(log.c_str());
        ImGui::BeginChild("log", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
        ImGui::TextUnformatted(log.c_str(), log.c_str() + log.size());
        ImGui::EndChild();
        endPanel(ui, "panel.compiler");
    }

    std::string closed_;
};

}  // namespace

std::unique_ptr<WindowFeature> statusStrip() {
    return std::make_unique<StatusStrip>();
}

std::unique_ptr<WindowFeature> keyList() {
    return std::make_unique<KeyList>();
}

std::unique_ptr<WindowFeature> compileLog() {
    return std::make_unique<CompileLog>();
}

}  // namespace rayscope
