#include "ui/scene_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ui/format.h"

namespace rayscope {

namespace {

// in the order of MaterialKind
constexpr std::array kMaterials{"lambert", "metal", "dielectric", "glass", "glossy"};
constexpr std::array kFills{"random", "grid"};
constexpr std::array kLabels{"Sphere",    "Centre",    "Radius", "Material", "Albedo",
                             "Emission",  "Roughness", "Index",  "Spheres",  "Fill",
                             "Bookmarks", "Frames",    "Samples"};
constexpr const char* kHelp =
    "Click a sphere to select it. Drag it to move it, with Shift to resize it. Delete removes it.";

class Rows {
public:
    explicit Rows(const Ui& ui) : ui_(ui) {
        for (const char* label : kLabels)
            labels_ = std::max(labels_, textSize(ui.theme.body, label).x);
        labels_ += ui.theme.units(14);
    }

    /// The control follows, as wide as what is left.
    void label(const char* text) const {
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(text);
        ImGui::SameLine(labels_ + ImGui::GetStyle().WindowPadding.x);
        ImGui::SetNextItemWidth(-1);
    }

    void drawn(const char* name) const { ui_.drawn[name] = {itemRect()}; }

private:
    const Ui& ui_;
    float labels_ = 0;
};

bool dragOf(const char* id, double* values, int count, double speed, double low, double high) {
    return ImGui::DragScalarN(id, ImGuiDataType_Double, values, count, static_cast<float>(speed),
                              &low, &high, "%.4g", ImGuiSliderFlags_AlwaysClamp);
}

bool colorOf(const char* id, glm::dvec3& color, ImGuiColorEditFlags flags, double most) {
    float rgb[3] = {static_cast<float>(color.x), static_cast<float>(color.y),
                    static_cast<float>(color.z)};
    if (!ImGui::ColorEdit3(id, rgb, ImGuiColorEditFlags_Float | flags)) return false;
    const auto within = [&](float x) { return std::clamp<double>(x, 0, most); };
    color = {within(rgb[0]), within(rgb[1]), within(rgb[2])};
    return true;
}

void selectRow(const Ui& ui, const Rows& rows, const Scene& scene, SceneEditor& editor) {
    rows.label("Sphere");
    int index = editor.selected();
    if (ImGui::InputInt("##sphere", &index))
        editor.select(std::clamp(index, -1, static_cast<int>(scene.spheres.size()) - 1));
    rows.drawn("scene.sphere");
    hint(ui, "Its place in the file, from 0; -1: none.");
}

void sphereRows(const Rows& rows, Sphere sphere, SceneRequests& requests) {
    // a tenth of the radius for twenty units of the mouse
    const double speed = std::max(sphere.radius / 200, 1e-6);
    bool shape = false, look = false, active = false;
    rows.label("Centre");
    double center[3] = {sphere.center.x, sphere.center.y, sphere.center.z};
    shape |= dragOf("##centre", center, 3, speed, -kMaxCoordinate, kMaxCoordinate);
    active |= ImGui::IsItemActive();
    sphere.center = {center[0], center[1], center[2]};
    rows.drawn("scene.centre");
    rows.label("Radius");
    shape |= dragOf("##radius", &sphere.radius, 1, speed, kMinRadius, kMaxCoordinate);
    active |= ImGui::IsItemActive();
    rows.drawn("scene.radius");
    Material& m = sphere.material;
    rows.label("Material");
    int kind = static_cast<int>(m.kind);
    if (ImGui::Combo("##material", &kind, kMaterials.data(), static_cast<int>(kMaterials.size()))) {
        m.kind = static_cast<MaterialKind>(kind);
        look = true;
    }
    rows.drawn("scene.material");
    rows.label("Albedo");
    look |= colorOf("##albedo", m.albedo, 0, 1);
    rows.drawn("scene.albedo");
    rows.label("Emission");
    look |= colorOf("##emission", m.emission, ImGuiColorEditFlags_HDR, kMaxEmission);
    rows.drawn("scene.emission");
    if (m.kind == MaterialKind::metal) {
        rows.label("Roughness");
        look |= dragOf("##roughness", &m.roughness, 1, .005, 0, 1);
        rows.drawn("scene.roughness");
    }
    if (m.kind == MaterialKind::dielectric || m.kind == MaterialKind::glass) {
        rows.label("Index");
        look |= dragOf("##index", &m.index, 1, .005, 1, 10);
        rows.drawn("scene.index");
    }
    if (shape || look) requests.sphere = sphere;
    requests.adjusting = shape && !look && active;
}

bool button(const Ui& ui, const char* label, const char* name, float width, bool enabled,
            const char* help) {
    ImGui::BeginDisabled(!enabled);
    const bool pressed = ImGui::Button(label, {width, 0});
    ImGui::EndDisabled();
    ui.drawn[name] = {itemRect(), enabled};
    hint(ui, help);
    return pressed;
}

void fillRows(const Ui& ui, const Rows& rows, FillChoice& fill) {
    rows.label("Spheres");
    ImGui::SliderInt("##count", &fill.spheres, 2, kMaxSpheres, "%d",
                     ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    rows.drawn("scene.count");
    rows.label("Fill");
    int grid = fill.grid ? 1 : 0;
    if (ImGui::Combo("##fill", &grid, kFills.data(), static_cast<int>(kFills.size())))
        fill.grid = grid == 1;
    rows.drawn("scene.fill");
    const std::string name = fmt::format("{}-{}", fill.grid ? "grid" : "field", fill.spheres);
    if (button(ui, "Open a scene of as many spheres", "button.fill", -1, true,
               "Spheres that fill the same box, smaller the more they are: how a method scales. "
               "It takes the place of this scene; Ctrl+Z brings that back."))
        ui.requests.open = name;
}

/// "1 2 5"; empty where there are none.
std::string numbersOf(const Bookmarks& bookmarks) {
    std::string text;
    for (size_t i = 0; i < bookmarks.size(); ++i) {
        if (bookmarks[i]) text += fmt::format("{}{}", text.empty() ? "" : " ", i + 1);
    }
    return text;
}

void pathRows(const Ui& ui, const Rows& rows, const SceneFacts& facts, PathChoice& path,
              SceneRequests& requests) {
    rows.label("Bookmarks");
    const std::string numbers = numbersOf(facts.state.bookmarks);
    textLine(numbers.empty() ? "none: Ctrl+1 to Ctrl+9" : numbers, colors::dim);
    if (facts.path.running()) {
        const float width = textSize(ui.theme.body, "Cancel").x + ui.theme.units(20);
        requests.cancelPath |= button(ui, "Cancel", "button.path", width, true, "");
        ImGui::SameLine();
        ImGui::ProgressBar(static_cast<float>(facts.path.share()), {-1, 0},
                           facts.path.text().c_str());
        return;
    }
    rows.label("Frames");
    ImGui::SliderInt("##frames", &path.frames, 2, 10000, "%d",
                     ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    rows.drawn("path.frames");
    rows.label("Samples");
    ImGui::SliderInt("##pathsamples", &path.samples, 1, 10000, "%d",
                     ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    rows.drawn("path.samples");
    requests.path |=
        button(ui, "Render a path through the bookmarks", "button.path", -1, numbers.size() > 1,
               "Numbered PNG files of the picture's size, for a film, while the window goes on. It "
               "needs two bookmarks: fly somewhere, Ctrl+1, fly on, Ctrl+2.");
}

}  // namespace

float sceneWidth(const Theme& theme) {
    return textSize(theme.body, "Roughness").x + textSize(theme.body, "-888.88 -888.88 -888.88").x +
           theme.units(60);
}

void drawScenePanel(const Ui& ui, const SceneFacts& facts, SceneChoice& choice,
                    SceneRequests& requests) {
    const Scene& scene = facts.state.scene;
    SceneEditor& editor = facts.editor;
    if (beginSidePanel(ui, SideTab::scene)) {
        const Rows rows(ui);
        const int count = static_cast<int>(scene.spheres.size());
        const bool any = editor.has(scene);
        const float gap = ImGui::GetStyle().ItemSpacing.x;
        const float third = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
        if (button(ui, editor.placing() ? "Click there" : "Add", "button.add", third,
                   count < kMaxSpheres, "The next click into the picture adds a sphere there."))
            editor.place(!editor.placing());
        ImGui::SameLine();
        requests.duplicate |= button(ui, "Duplicate", "button.duplicate", third,
                                     any && count < kMaxSpheres, "A copy beside the sphere.");
        ImGui::SameLine();
        requests.remove |=
            button(ui, "Delete", "button.delete", third, any && count > 1, "Key: Delete");
        selectRow(ui, rows, scene, editor);
        if (any) sphereRows(rows, scene.spheres[editor.selected()], requests);
        ImGui::PushTextWrapPos(0);
        ImGui::PushStyleColor(ImGuiCol_Text, colors::dim);
        ImGui::TextUnformatted(fmt::format("{} has {} spheres. {}", scene.name,
                                           formatCount(static_cast<unsigned long long>(count)),
                                           kHelp)
                                   .c_str());
        ImGui::PopStyleColor();
        ImGui::PopTextWrapPos();
        ImGui::Dummy({1, ui.theme.units(4)});
        requests.save = button(ui, "Save the scene as JSON", "button.save_scene", -1, true,
                               "Where screenshots go; open it again by dropping it on the window.");
        ImGui::Dummy({1, ui.theme.units(8)});
        fillRows(ui, rows, choice.fill);
        ImGui::Dummy({1, ui.theme.units(8)});
        pathRows(ui, rows, facts, choice.path, requests);
    }
    endSidePanel(ui, SideTab::scene);
}

void drawSelection(const Scene& scene, const Camera& camera, Size window,
                   const SceneEditor& editor) {
    if (!editor.has(scene)) return;
    std::vector<ImVec2> line;
    for (const Place& p : outlineOf(scene.spheres[editor.selected()], camera, window))
        line.emplace_back(static_cast<float>(p.x), static_cast<float>(p.y));
    ImGui::GetBackgroundDrawList()->AddPolyline(line.data(), static_cast<int>(line.size()),
                                                packed(colors::accent), ImDrawFlags_Closed, 2);
}

}  // namespace rayscope
