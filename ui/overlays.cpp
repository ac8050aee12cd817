#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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
    {"G", "fly through surfaces, or be stopped by them"},
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
    {"F6", "keyboard to the left panel, the right one, the picture"},
    {"arrows, Space, Enter", "there: walk, press, type a number"},
    {"Ctrl + Page Up, Page Down", "the tab before, the next one"},
    {"Ctrl + plus, minus, 0", "larger or smaller text, as usual"},
    {"F11", "full screen"},
    {"F12", "screenshot of the picture"},
    {"Shift + F12", "screenshot of the whole window"},
    {"Scene tab: click, drag", "select a sphere, move it"},
    {"Shift + drag, Delete", "resize the selected one, remove it"},
    {"Ctrl + F", "search all choices and their values"},
    {"Ctrl + O, or drop a file", "open a scene, a screenshot, a sky"},
    {"Esc", "close a list, or end a climb, a tour, an experiment ..."},
    {"F1, Esc", "show or close this list"},
};

constexpr struct {
    const char *word, *means;
} kWords[] = {
    {"Axis", "something that can be switched: a name, a label and values"},
    {"Depth", "the longest path, in rays"},
    {"Engine", "how paths are scheduled"},
    {"Film", "for each pixel the sum of its samples and their number"},
    {"Interval", "holds the true ratio in 95 of 100 measurements"},
    {"Kernel", "the code that traces, compiled for the present choices"},
    {"Ladder, rung", "a published story of optimisations, and one step of it"},
    {"Lane", "a thread of a warp, or a number of a vector register"},
    {"Launch", "one start of a kernel: some samples of every pixel"},
    {"Pass", "launches until every pixel has the same number of samples"},
    {"Path", "a camera ray and all rays that follow from it"},
    {"Ray", "one query of the whole scene by a live path"},
    {"Sample", "the light that one path brings to its pixel"},
    {"Spill", "a value that found no register and lies in memory"},
    {"Warp", "32 threads of a GPU that run the same instruction"},
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

/// What the picture is traced at, whatever tab is open.
std::string rateNow(const Frame& frame) {
    const auto rate = frame.rates.raysPerSecond();
    return rate ? formatRate(*rate) : "- rays/s";
}

/// "film 1920 x 1080 of 3840 x 2160" where it has fewer pixels than the window.
std::string sizeText(const Frame& frame) {
    const Film& film = frame.tracer.film();
    const std::string size = fmt::format("{} \u00d7 {}", film.width, film.height);
    const Size whole = frame.framebuffer;
    if (film.width >= whole.width && film.height >= whole.height) return size;
    return fmt::format("film {} of {} \u00d7 {}", size, whole.width, whole.height);
}

class StatusStrip : public WindowFeature {
    /// "rate": as it is shown
    void describe(const Frame& frame, nlohmann::json& status) const override {
        status["rate"] = rateNow(frame);
    }

    void draw(const Ui& ui) override {
        if (!ui.layout.strip) return;
        const Frame& frame = ui.frame;
        const Settings& settings = frame.state.settings;
        const Film& film = frame.tracer.film();
        const Flight& flight = frame.steering.flight;
        std::vector<std::string> parts{
            settings.backend == Backend::cuda ? "CUDA" : "CPU",
            shorten(frame.backends.get(settings.backend).device().name, 48),
            rateNow(frame),
            fmt::format("display: {}", valueOf(*findAxis("display"), settings)),
            sizeText(frame),
            fmt::format("{} {}", formatCount(static_cast<unsigned long long>(film.samples)),
                        film.samples == 1 ? "sample" : "samples"),
            fmt::format("speed {} / s", formatNumber(flight.speed)),
        };
        if (!frame.panels && frame.preferences.panels)
            parts.insert(parts.begin() + 1, "no room for the panels");
        if (flight.orbit) parts.push_back("orbit");
        if (flight.through) parts.push_back("through surfaces (G)");
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

/// All keys, and on a second page the words that the window uses.
class KeyList : public WindowFeature {
    void key(const KeyPress& press, Frame&) override {
        if (press.key == Key::help) shown_ = !shown_;
        if (press.key == Key::escape) shown_ = false;
    }

    void draw(const Ui& ui) override {
        if (!shown_) return;
        const Theme& theme = ui.theme;
        const Rect& free = ui.layout.free;
        float first = 0, second = 0;
        const auto include = [&](const char* left, const char* right) {
            first = std::max(first, textSize(theme.strong, left).x);
            second = std::max(second, textSize(theme.body, right).x);
        };
        for (const auto& line : kHelpedKeys) include(line.keys, line.what);
        for (const auto& line : kWords) include(line.word, line.means);
        const float gap = theme.units(20);
        const ImVec2 padding = ImGui::GetStyle().WindowPadding;
        const float width = first + gap + second + 2 * padding.x + ImGui::GetStyle().ScrollbarSize;
        // Over the panels where the picture between them is too narrow.
        const float middle = free.x + free.width / 2;
        const Rect area{std::max(middle - width / 2, 0.0f), free.y + theme.units(24), width,
                        std::max(free.height - theme.units(48), 1.0f)};
        ImGui::PushStyleColor(ImGuiCol_WindowBg, colors::popup);
        beginPanel("Keys", area);
        // once: a focus in every frame would take the mouse from what is pressed in a panel
        if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
        if (partButton(ui, "Keys", "help.keys", 2, true, {}, !words_)) words_ = false;
        if (partButton(ui, "Words", "help.words", 2, false, {}, words_)) words_ = true;
        const auto line = [&](const char* left, const char* right) {
            strongLine(ui, left, colors::text);
            ImGui::SameLine(padding.x + first + gap);
            ImGui::TextUnformatted(right);
        };
        if (words_) {
            for (const auto& [word, means] : kWords) line(word, means);
            textLine("More of them: docs/glossary.md", colors::dim);
        } else {
            for (const auto& [keys, what] : kHelpedKeys) line(keys, what);
        }
        const Rect list = windowRect();
        endPanel(ui, "panel.keys");
        ImGui::PopStyleColor();
        const ImVec2 mouse = ImGui::GetMousePos();
        shown_ = !ImGui::IsMouseClicked(ImGuiMouseButton_Left) || list.contains(mouse.x, mouse.y);
    }

    bool shown_ = false, words_ = false;
};

class Whereabouts : public WindowFeature {
    void act(Frame& frame) override {
        text_ = frame.steering.where(frame.renderers(), frame.state.camera);
    }

    void draw(const Ui& ui) override {
        if (text_.empty()) return;
        const Theme& theme = ui.theme;
        const Rect& free = ui.layout.free;
        const float padding = theme.units(12);
        const std::string text = fitted(theme.strong, text_, free.width - 2 * padding);
        const ImVec2 size = textSize(theme.strong, text);
        const ImVec2 at{free.x + (free.width - size.x) / 2, free.y + (free.height - size.y) / 2};
        ImDrawList& list = *ImGui::GetBackgroundDrawList();
        list.AddRectFilled({at.x - padding, at.y - padding},
                           {at.x + size.x + padding, at.y + size.y + padding},
                           packed(colors::popup), theme.units(6));
        drawText(list, theme.strong, at, packed(colors::text), text);
    }

    void describe(const Frame&, nlohmann::json& status) const override { status["where"] = text_; }

    std::string text_;
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

std::unique_ptr<WindowFeature> whereabouts() {
    return std::make_unique<Whereabouts>();
}

std::unique_ptr<WindowFeature> compileLog() {
    return std::make_unique<CompileLog>();
}

}  // namespace rayscope
