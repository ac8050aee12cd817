#include "ui/scene_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/lab/movie.h"
#include "renderer/scene/json.h"
#include "renderer/scene/model.h"
#include "ui/format.h"
#include "ui/kernel_panel.h"

namespace rayscope {

namespace {

// in the order of MaterialKind
const std::vector<Option> kMaterials{{"lambert", "lambert"},
                                     {"metal", "metal"},
                                     {"dielectric", "dielectric"},
                                     {"glass", "glass"},
                                     {"glossy", "glossy"}};
const std::vector<Option> kFills{{"random", "random"}, {"grid", "grid"}};
constexpr std::array kLabels{"Sphere",    "Centre",    "Radius",  "Material",  "Albedo",
                             "Emission",  "Roughness", "Index",   "Spheres",   "Fill",
                             "Bookmarks", "Frames",    "Samples", "Time step", "Softening"};
constexpr double kKnownShare = .01;  ///< of a path, after which its time is known
constexpr const char* kHelp =
    "Click a sphere to select it. Drag it to move it, with Shift to resize it. Delete removes it.";

constexpr NumberRange kCounts{2, kMaxSpheres, {}, true}, kFrames{2, 10000, {}, true},
    kSamples{1, 10000, {}, true};

Rows rowsOf(const Ui& ui) {
    float labels = 0;
    for (const char* one : kLabels) labels = std::max(labels, textSize(ui.theme.body, one).x);
    return {ui, labels + ui.theme.units(14)};
}

/// The control follows, as wide as what is left.
void rowLabel(const Ui& ui, const char* text) {
    rowsOf(ui).field(text);
}

bool drag(const Ui& ui, const char* text, const char* name, double* values, int count, double speed,
          double low, double high) {
    rowLabel(ui, text);
    const bool changed = ImGui::DragScalarN(fmt::format("##{}", name).c_str(), ImGuiDataType_Double,
                                            values, count, static_cast<float>(speed), &low, &high,
                                            "%.4g", ImGuiSliderFlags_AlwaysClamp);
    note(ui, name);
    hint(ui, "Drag sideways, or type after Ctrl + click.");
    return changed;
}

void number(const Ui& ui, const char* text, const char* name, const NumberRange& range, int& value,
            const std::string& help) {
    rowLabel(ui, text);
    const float field = fieldWidth(ui.theme, kCounts);  // the widest
    numberControl(ui, name, range, field, value, [&] { hint(ui, help); });
}

bool colorOf(const Ui& ui, const char* text, const char* name, glm::dvec3& color,
             ImGuiColorEditFlags flags, double most) {
    rowLabel(ui, text);
    float rgb[3] = {static_cast<float>(color.x), static_cast<float>(color.y),
                    static_cast<float>(color.z)};
    const bool changed = ImGui::ColorEdit3(fmt::format("##{}", name).c_str(), rgb,
                                           ImGuiColorEditFlags_Float | flags);
    note(ui, name);
    if (!changed) return false;
    const auto within = [&](float x) { return std::clamp<double>(x, 0, most); };
    color = {within(rgb[0]), within(rgb[1]), within(rgb[2])};
    return true;
}

/// "1 2 5"; empty where there are none.
std::string numbersOf(const Bookmarks& bookmarks) {
    std::string text;
    for (size_t i = 0; i < bookmarks.size(); ++i) {
        if (bookmarks[i]) text += fmt::format("{}{}", text.empty() ? "" : " ", i + 1);
    }
    return text;
}

/// A scene in the code of its kernel would be compiled for every place on the way.
bool baked(const State& state) {
    const auto isBaked = [](const Settings& s) {
        return s.backend == Backend::cuda && s.variant.sceneMemory == SceneMemory::baked;
    };
    return isBaked(state.settings) || (state.pinned && isBaked(state.pinned->settings));
}

}  // namespace

float SceneTab::width(const Theme& theme) const {
    return textSize(theme.body, "Roughness").x + textSize(theme.body, "-888.88 -888.88 -888.88").x +
           theme.units(60);
}

void SceneTab::drawButtons(const Ui& ui, const Scene& scene) {
    Frame& frame = ui.frame;
    const auto count = scene.spheres.size();
    const bool any = editor_.has(scene), room = count < kMaxSpheres;
    const float third = shareOfLine(3);
    if (button(ui, editor_.placing() ? "Click there" : "Add", "button.add", {third, room},
               "The next click into the picture adds a sphere there."))
        editor_.place(!editor_.placing());
    ImGui::SameLine();
    if (button(ui, "Duplicate", "button.duplicate", {third, any && room},
               "A copy beside the sphere."))
        frame.then([this, &frame] {
            SharedScene scene = frame.shown();
            edited(editor_.duplicate(scene), scene, frame);
        });
    ImGui::SameLine();
    if (button(ui, "Delete", "button.delete", {third, any && shapeCount(scene) > 1}, "Key: Delete"))
        frame.then([&frame] { frame.host.press(Key::remove); });
}

void SceneTab::drawSphere(const Ui& ui) {
    int index = editor_.selected();
    const int count = static_cast<int>(ui.frame.state.scene->spheres.size());
    const NumberRange range{-1, count - 1, "none"};
    number(ui, "Sphere", "scene.sphere", range, index, "Its place in the file, from 0.");
    editor_.select(index);
    if (!editor_.has(ui.frame.state.scene)) return;
    Sphere sphere = ui.frame.shown()->spheres[editor_.selected()];
    // a tenth of the radius for twenty units of the mouse
    const double speed = std::max(sphere.radius / 200, 1e-6);
    double center[3] = {sphere.center.x, sphere.center.y, sphere.center.z};
    bool shape =
        drag(ui, "Centre", "scene.centre", center, 3, speed, -kMaxCoordinate, kMaxCoordinate);
    bool active = ImGui::IsItemActive();
    sphere.center = {center[0], center[1], center[2]};
    shape |=
        drag(ui, "Radius", "scene.radius", &sphere.radius, 1, speed, kMinRadius, kMaxCoordinate);
    active |= ImGui::IsItemActive();
    Material& m = sphere.material;
    rowLabel(ui, "Material");
    const auto kind = combo(ui, "scene.material", kMaterials, static_cast<int>(m.kind));
    if (kind) m.kind = static_cast<MaterialKind>(*kind);
    bool look = kind.has_value();
    look |= colorOf(ui, "Albedo", "scene.albedo", m.albedo, 0, 1);
    look |= colorOf(ui, "Emission", "scene.emission", m.emission, ImGuiColorEditFlags_HDR,
                    kMaxEmission);
    if (m.kind == MaterialKind::metal)
        look |= drag(ui, "Roughness", "scene.roughness", &m.roughness, 1, .005, 0, 1);
    if (m.kind == MaterialKind::dielectric || m.kind == MaterialKind::glass)
        look |= drag(ui, "Index", "scene.index", &m.index, 1, .005, 1, 10);
    if (shape || look) sphere_ = sphere;
    adjusting_ = shape && !look && active;
}

void SceneTab::drawFill(const Ui& ui) {
    rowsOf(ui).heading("Many spheres");
    number(ui, "Spheres", "scene.count", kCounts, fill_.spheres, "How many there are to be.");
    rowLabel(ui, "Fill");
    if (const auto chosen = combo(ui, "scene.fill", kFills, fill_.grid ? 1 : 0))
        fill_.grid = *chosen == 1;
    if (!button(ui, "Open a scene of as many spheres", "button.fill", {-1},
                "Spheres that fill the same box, smaller the more they are: how a method scales. "
                "It takes the place of this scene; Ctrl+Z brings that back."))
        return;
    ui.frame.then([&host = ui.frame.host, fill = fill_] {
        host.open(fmt::format("{}-{}", fill.grid ? "grid" : "field", fill.spheres));
    });
}

void SceneTab::drawPath(const Ui& ui) {
    Frame& frame = ui.frame;
    rowsOf(ui).heading("A path through the bookmarks");
    rowLabel(ui, "Bookmarks");
    ImGui::AlignTextToFramePadding();
    const std::string numbers = numbersOf(frame.state.bookmarks);
    textLine(numbers.empty() ? "none: Ctrl+1 to Ctrl+9" : numbers, colors::dim);
    if (path_.running()) {
        const float width = textSize(ui.theme.body, "Cancel").x + ui.theme.units(20);
        if (button(ui, "Cancel", "button.path", {width})) frame.say(path_.cancel());
        ImGui::SameLine();
        ImGui::ProgressBar(static_cast<float>(path_.share()), {-1, 0}, path_.text().c_str());
        return;
    }
    number(ui, "Frames", "path.frames", kFrames, pathChoice_.frames, "Of the whole path.");
    number(ui, "Samples", "path.samples", kSamples, pathChoice_.samples, "Of each pixel.");
    rowLabel(ui, "Written as");
    const std::vector<Option> endings{
        {"png", "numbered PNG files"}, {"mp4", "MP4 (H.264)"}, {"webm", "WebM (VP9)"}};
    ImGui::SetNextItemWidth(-1);
    if (const auto chosen = combo(ui, "path.written", endings, pathChoice_.written))
        pathChoice_.written = *chosen;
    hint(ui, "Movies have 30 frames a second and are made by ffmpeg.");
    if (!button(ui, "Render the path", "button.path", {-1, numbers.size() > 1},
                "Pictures of the window's size, or a movie of them, while the window goes on. "
                "It needs two bookmarks: fly somewhere, Ctrl+1, fly on, Ctrl+2."))
        return;
    frame.then([this, &frame] {
        frame.warn(path_.start(frame.state, frame.framebuffer, pathChoice_,
                               frame.files.freshPath("-path")));
    });
}

void SceneTab::drawPanel(const Ui& ui) {
    Frame& frame = ui.frame;
    const Scene& scene = frame.state.scene;
    if (scene.simulation) simulation_.drawSection(rowsOf(ui));
    rowsOf(ui).heading("Spheres");
    drawButtons(ui, scene);
    drawSphere(ui);
    paragraph(fmt::format("{} has {}. {}", scene.name, shapesText(scene), kHelp), colors::dim);
    space(ui, 4);
    if (button(ui, "Save the scene as JSON", "button.save_scene", {-1},
               "Where screenshots go; open it again by dropping it on the window."))
        frame.then([this, &frame] { save(frame); });
    drawRemarks(ui);
    drawFill(ui);
    drawPath(ui);
}

/// What of the scene's files is not shown.
void SceneTab::drawRemarks(const Ui& ui) {
    if (remarks_.empty()) return;
    rowsOf(ui).heading("Not shown of its files");
    for (const std::string& sentence : remarks_) paragraph(sentence, colors::dim);
}

void SceneTab::draw(const Ui& ui) {
    const State& state = ui.frame.state;
    if (!ui.frame.shows(id()) || !editor_.has(state.scene)) return;
    std::vector<ImVec2> line;
    for (const Place& p :
         outlineOf(ui.frame.shown()->spheres[editor_.selected()], state.camera, ui.frame.window))
        line.emplace_back(static_cast<float>(p.x), static_cast<float>(p.y));
    ImGui::GetBackgroundDrawList()->AddPolyline(line.data(), static_cast<int>(line.size()),
                                                packed(colors::accent), ImDrawFlags_Closed, 2.f);
}

void SceneTab::key(const KeyPress& press, Frame& frame) {
    if (press.key == Key::remove && frame.shows(id())) {
        SharedScene scene = frame.shown();
        edited(editor_.remove(scene), scene, frame);
    }
    if (press.key != Key::escape) return;
    editor_.place(false);
    frame.say(path_.cancel());
}

void SceneTab::steer(Input& input, const Steering::Surroundings& around, Frame& frame) {
    if (!frame.shows(id())) return editor_.letGo();
    if (!editor_.heeds(input)) return;
    SharedScene scene = frame.shown();
    edited(editor_.steer(input, around, frame.state.camera, scene), scene, frame);
}

void SceneTab::adopted(Frame& frame, const State& before) {
    editor_.letGo();
    if (frame.state.scene->spheres.size() != before.scene->spheres.size()) editor_.select(-1);
    sphere_.reset();
    frame.editing = false;
    takeRemarks(frame);
}

/// Where a scene with others has opened, the first is shown at once.
void SceneTab::takeRemarks(Frame& frame) {
    std::vector<std::string> sentences;
    for (const FileRemark& remark : remarksOn(frame.state.scene))
        sentences.push_back(remarkSentence(remark));
    if (sentences == remarks_) return;
    remarks_ = std::move(sentences);
    if (remarks_.empty()) return;
    const std::size_t more = remarks_.size() - 1;
    frame.warn(more == 0 ? remarks_[0] : fmt::format("{}. {} more: Scene tab", remarks_[0], more));
}

/// What the panel has changed; a change that was under way and is no more is for good.
void SceneTab::act(Frame& frame) {
    const std::optional<Sphere> sphere = std::exchange(sphere_, std::nullopt);
    const bool adjusting = std::exchange(adjusting_, false);
    if (sphere && editor_.has(frame.state.scene)) {
        SharedScene scene = frame.shown();
        scene.change([&](Scene& s) {
            s.spheres[editor_.selected()] = *sphere;
            standStill(s, editor_.selected());
        });
        edited(adjusting ? Edit::moving : Edit::changed, scene, frame);
    } else if (frame.editing && !editor_.dragging() && !adjusting && !ImGui::IsAnyItemActive()) {
        edited(Edit::changed, frame.shown(), frame);
    }
}

/// The renderers get the scene, and the picture begins again.
void SceneTab::edited(Edit edit, const SharedScene& changed, Frame& frame) {
    if (edit == Edit::none) return;
    frame.editing = edit == Edit::moving;
    SharedScene& scene = frame.state.scene;
    scene = changed;
    if (!scene->simulation) frame.moved.reset();
    if (std::string name = editedName(scene->name); name != scene->name)
        scene.change([&](Scene& s) { s.name = std::move(name); });
    frame.steering.noteMove(frame.now);
    if (!frame.editing)
        frame.host.sceneEdited(-1);
    else if (!baked(frame.state))
        frame.host.sceneEdited(editor_.selected());
}

void SceneTab::save(Frame& frame) {
    const std::string path = frame.files.freshPath(".scene.json");
    Scene scene = frame.state.scene;
    scene.camera = frame.state.camera;
    frame.errands.send([&frame, path, scene = std::move(scene)]() -> Errands::Then {
        return [&frame, path,
                saved = writeTextFile(path, toJson(scene).dump(2) + "\n", Existing::kept)] {
            saved ? frame.say(fmt::format("Saved {}", path)) : frame.warn(saved.reason());
        };
    });
}

void SceneTab::describe(const Frame& frame, nlohmann::json& status) const {
    const Scene& scene = frame.state.scene;
    nlohmann::json& json = status["editor"];
    json = {{"spheres", scene.spheres.size()},
            {"triangles", triangleCount(scene)},
            {"remarks", remarks_},
            {"selected", editor_.selected()},
            {"placing", editor_.placing()}};
    if (!editor_.has(scene)) return;
    const Sphere& s = frame.shown()->spheres[editor_.selected()];
    json["center"] = {s.center.x, s.center.y, s.center.z};
    json["radius"] = s.radius;
    if (const auto place = placeOf(frame.state.camera, frame.window, s.center))
        json["place"] = {place->x, place->y};
}

namespace fs = std::filesystem;

std::string PathRender::start(const State& state, Size size, const PathChoice& choice,
                              const std::string& folder) {
    if (running()) return "a path is being rendered";
    SequenceWish wish;
    wish.state = state;
    wish.state.pinned.reset();
    wish.keys = keysOf(state);
    if (wish.keys.size() < 2) return "a path needs two bookmarks or more: Ctrl+1 to Ctrl+9";
    wish.frames = frames_ = choice.frames;
    wish.spp = choice.samples;
    wish.width = size.width;
    wish.height = size.height;
    wish.path = (fs::path(folder) / "frame.png").string();
    wish.watched = true;
    folder_ = folder;
    movie_.clear();
    if (choice.written > 0) {
        movie_ = folder + kPathEndings[static_cast<std::size_t>(choice.written)];
        if (const auto can = canMakeMovie(movie_); !can) return can.reason();
        wish.movie = movie_;
    }
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fmt::format("{} cannot be made: {}", folder, error.message());
    try {
        if (!machine_) machine_ = open_();
        workbench_.emplace(*machine_);
        const auto renderer = workbench_->enter(state.settings, state.scene);
        if (!renderer) return renderer.reason();
        began_ = Clock::now();
        sequence_ = std::make_unique<Sequence>(**renderer, std::move(wish));
    } catch (const std::runtime_error& failure) {
        return end(failure.what());
    }
    return {};
}

std::string PathRender::step(double budgetMs) {
    if (!running()) return {};
    try {
        const State& state = sequence_->state();
        if (walksSahTree(state.settings) && !workbench_->hierarchyReady(state.scene, budgetMs))
            return {};
        return sequence_->step(budgetMs) ? end(sequence_->problem()) : std::string();
    } catch (const std::runtime_error& failure) {
        return end(failure.what());
    }
}

std::string PathRender::cancel() {
    return running() ? end("given up") : std::string();
}

/// By value: the sequence, which goes, may own the problem.
std::string PathRender::end(std::string problem) {
    const int written = sequence_ ? sequence_->written() : 0;
    sequence_.reset();  // waits for the file under way
    machine_.reset();
    std::error_code error;
    fs::remove(folder_, error);  // where it is empty
    if (problem.empty() && !movie_.empty()) return fmt::format("Saved {}", movie_);
    if (problem.empty()) return fmt::format("Saved {} frames in {}", written, folder_);
    return fmt::format("The path: {} ({} of {} frames are written)", problem, written, frames_);
}

std::string PathRender::text() const {
    if (!sequence_) return {};
    if (sequence_->filming()) return "path: ffmpeg makes the movie";
    const std::string done = fmt::format("path: {} of {} frames", sequence_->written(), frames_);
    const double share = sequence_->share();
    if (!(share > kKnownShare)) return done;
    const double seconds = millisecondsSince(began_) / 1e3;
    return fmt::format("{}, {} left", done, durationText(seconds * (1 - share) / share));
}

}  // namespace rayscope
