#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "ui/features.h"

namespace rayscope {

namespace {

constexpr float kWidth = 400, kLeastWidth = 220, kDot = 3.5f;
constexpr float kTop = 36;             ///< below the labels at the picture's upper edge
constexpr double kStayingSeconds = 3;  ///< after the last step was done
constexpr int kFlownFrames = 3;        ///< a new scene moves the camera once

constexpr std::array<const char*, 3> kSteps{
    "Fly: W A S D, and drag to look around.",
    "Switch something on the left. Its factor appears on the right, under Throughput.",
    "Lab, All switches: what every choice is worth on this machine."};

/// What a first look is for, over the picture until it was done or Esc is pressed. It takes no
/// clicks.
class FirstSteps : public WindowFeature {
    void key(const KeyPress& press, Frame&) override {
        if (press.key == Key::escape) closed_ = true;
    }

    void act(Frame& frame) override {
        if (closed_ || !frame.preferences.first) return;
        const Camera& camera = frame.state.camera;
        flown_ = std::exchange(seen_, camera) != camera ? flown_ + 1 : 0;
        done_[0] |= flown_ >= kFlownFrames;
        done_[1] |= frame.rates.ratio().has_value();
        done_[2] |= frame.tab == "lab" && frame.host.working();
        const bool all = std::ranges::all_of(done_, std::identity());
        if (!all) lastOpen_ = frame.now;
        closed_ = frame.now > lastOpen_ + kStayingSeconds;
    }

    void draw(const Ui& ui) override {
        const Frame& frame = ui.frame;
        const Theme& theme = ui.theme;
        const Rect& free = ui.layout.free;
        const float width = std::min(theme.units(kWidth), free.width);
        if (closed_ || !frame.preferences.first || !frame.panels) return;
        if (width < theme.units(kLeastWidth)) return;
        if (ui.drawn.contains("panel.tour")) return;
        const float top = theme.units(kTop);
        if (beginPanel("First steps",
                       {free.x + (free.width - width) / 2, free.y + top, width,
                        std::max(free.height - top, 1.f)},
                       ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoFocusOnAppearing)) {
            for (std::size_t i = 0; i < kSteps.size(); ++i) step(ui, kSteps[i], done_[i]);
            textLine("F1 lists all keys. Esc closes this.", colors::dim);
        }
        endPanel(ui, "panel.first");
    }

    /// With a dot in front, filled when it is done.
    static void step(const Ui& ui, const char* text, bool done) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float radius = ui.theme.units(kDot), indent = 4 * radius;
        const ImVec2 middle{at.x + radius, at.y + ui.theme.em() / 2};
        ImDrawList& list = *ImGui::GetWindowDrawList();
        if (done)
            list.AddCircleFilled(middle, radius, packed(colors::accent));
        else
            list.AddCircle(middle, radius, packed(colors::accent));
        ImGui::Indent(indent);
        paragraph(text, done ? colors::dim : colors::text);
        ImGui::Unindent(indent);
    }

    /// "first_steps": whether each was done; absent where they are not shown
    void describe(const Frame& frame, nlohmann::json& status) const override {
        if (!closed_ && frame.preferences.first) status["first_steps"] = done_;
    }

    std::array<bool, kSteps.size()> done_{};
    bool closed_ = false;
    double lastOpen_ = 0;
    Camera seen_;    ///< in the last frame
    int flown_ = 0;  ///< frames in a row in which the camera has moved
};

}  // namespace

std::unique_ptr<WindowFeature> firstSteps() {
    return std::make_unique<FirstSteps>();
}

}  // namespace rayscope
