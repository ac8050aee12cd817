#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ui/features.h"

namespace rayscope {

namespace {

constexpr double kTextSteps = 10;  ///< of the usual size

double stepped(double text, int steps) {
    return std::clamp(std::round(text * kTextSteps + steps) / kTextSteps, kLeastText, kMostText);
}

class PanelSizes : public WindowFeature {
    void chord(const Chord& chord, Frame& frame) override {
        double text = frame.preferences.text;
        // + is on the key of = on many layouts
        if (chord.letter == '+' || chord.letter == '=')
            text = stepped(text, 1);
        else if (chord.letter == '-')
            text = stepped(text, -1);
        else if (chord.letter == '0')
            text = 1;
        else
            return;
        frame.preferences.text = text;
    }

    void draw(const Ui& ui) override {
        if (!ui.frame.panels) return;
        const Layout& layout = ui.layout;
        Preferences& preferences = ui.frame.preferences;
        const float mouse = ImGui::GetMousePos().x;
        if (!layout.folded) {
            const float inner = layout.kernel.x + layout.kernel.width;
            edge(ui, "left", inner, layout.free.x, layout.kernel, mouse - layout.kernel.x,
                 preferences.left);
        }
        const Rect& panel = layout.throughput;
        edge(ui, "right", layout.free.x + layout.free.width, panel.x, panel,
             panel.x + panel.width - mouse, preferences.right);
    }

    /// The gap between a panel and the picture, from `low` to `high`.
    static void edge(const Ui& ui, const char* side, float low, float high, const Rect& panel,
                     float width, double& wish) {
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
        beginPane(fmt::format("edge {}", side).c_str(), {low, panel.y, high - low, panel.height},
                  ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
        ImGui::PopStyleVar(2);
        ImGui::InvisibleButton(side, {high - low, panel.height});
        note(ui, fmt::format("edge.{}", side));
        const bool active = ImGui::IsItemActive();
        if (active || ImGui::IsItemHovered()) {
            ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
            const float middle = (low + high) / 2, half = ui.theme.units(1);
            ImGui::GetWindowDrawList()->AddRectFilled(
                {middle - half, panel.y}, {middle + half, panel.y + panel.height},
                packed(colors::accent, active ? 1 : .6f), half);
        }
        if (active && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2))
            wish = std::max(width / ui.theme.em(), 0.f);
        if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) wish = 0;
        ImGui::End();
    }

    void describe(const Frame& frame, nlohmann::json& status) const override {
        status["text_size"] = frame.preferences.text;
        status["left_panel"] = frame.preferences.left;
        status["right_panel"] = frame.preferences.right;
    }
};

}  // namespace

std::unique_ptr<WindowFeature> panelSizes() {
    return std::make_unique<PanelSizes>();
}

}  // namespace rayscope
