#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "renderer/machine/conditions.h"
#include "renderer/scene/bvh_build.h"
#include "renderer/scene/json.h"
#include "ui/budget.h"
#include "ui/camera_flight.h"
#include "ui/code_panel.h"
#include "ui/errands.h"
#include "ui/lab_panel.h"
#include "ui/ladder_drive.h"
#include "ui/map_texture.h"
#include "ui/memory.h"
#include "ui/panels.h"
#include "ui/path_render.h"
#include "ui/present.h"
#include "ui/scene_panel.h"
#include "ui/screenshot.h"
#include "ui/source_watch.h"
#include "ui/status.h"
#include "ui/steering.h"
#include "ui/tracer.h"
#include "ui/undo.h"
#include "ui/versus_drive.h"
#include "ui/versus_films.h"
#include "ui/viewer.h"
#include "ui/why_panel.h"

namespace rayscope {

/// The viewer behind runViewer(). viewer.cpp has the frame and the panels, viewer_requests.cpp what
/// they ask for, viewer_picture.cpp what is traced, shown and recorded, viewer_code.cpp the
/// kernels' code, viewer_scene.cpp the spheres.
class Viewer {
public:
    explicit Viewer(const ViewerOptions& options);
    /// One frame; false when the window is closed.
    bool frame();
    /// At the end: keeps what the next run should know and is not kept yet, and the state.
    void remember();

private:
    using Clock = std::chrono::steady_clock;

    /// What is read or written within a few milliseconds.
    static constexpr std::size_t kQuickBytes = 256 << 10, kFewSpheres = 1000;

    const Input& poll();
    void layOut(const LayoutWish& wish, float pixelRatio);
    double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    void handleKeys(const Input& input, const Steering::Surroundings& around);
    void steer(const Input& input);
    void handleChord(const Chord& chord);
    void restoreChoices(bool forth);
    void copyState();
    void paste();
    void understand(std::string text);
    void take(std::variant<State, std::string> pasted);
    void setBookmark(int index);
    void keepMemory();
    void recallBookmarks(State& state) const;
    void goToBookmark(int index);
    void fly(bool steered);
    void drawUi();
    void drawPanels(const Ui& ui);
    void carryOutRequests();
    void noticeChanges();
    void open(const std::string& nameOrPath);
    void rememberFile(const std::string& path);
    void adopt(State state);
    void trace();
    bool hierarchyReady();
    void present();
    void drawPicture(const FilmView& film, Size pixels);
    void takeScreenshots();
    void savePictureAsSeen();
    void renderPath();
    void carryOutTimelineRequests();
    nlohmann::json measurements();
    Caption caption();
    void writeStatus();
    void climb();
    void carryOutLadderRequests();
    void goOnTour(int rung);
    std::string doing() const;
    void carryOutLabRequests();
    void saveResults();
    void experiment();
    /// A job goes on beside the picture.
    bool working() const { return climb_.measuring() || lab_.running() || path_.running(); }
    void explain();
    CodeWish codeWish(const Settings& settings) const;
    std::optional<CodeReader::Wish> codeReading() const;
    void readCode();
    void noticeSources();
    void carryOutCodeRequests();
    void steerSpheres(Input& input, const Steering::Surroundings& around);
    void carryOutSceneRequests();
    void sceneEdited(Edit edit);
    /// The mouse is for spheres, too.
    bool editing() const { return tab_ == SideTab::scene && layout_.panels; }
    void showName(const std::string& scene);
    void giveScene(const Scene& scene);
    void useGpu(int number);
    void saveScene();
    /// The map in place of the picture; nullptr: the picture.
    const CostMap* map() const;
    std::string goOnWithoutCuda(const std::string& reason);
    std::string goOnWithFewerThreads(const std::string& reason);
    /// Of the present settings' renderer; while A is pinned, as it was after the last turn of B.
    KernelInfo kernel() const;
    Driven driven() {
        return {backends_, state_, [this](State state) {
                    std::string unpinned;
                    takeAlong(state.pinned, state_.scene, state.scene, &unpinned);
                    adopt(std::move(state));
                    warn(unpinned);
                }};
    }
    Compared compared() { return {backends_, state_, versus_, pinnedTracer_}; }
    void say(const std::string& text) {
        if (!text.empty()) toasts_.say(text, frameBegan_);
    }
    void warn(const std::string& text) {
        if (!text.empty()) toasts_.warn(text, frameBegan_);
    }

    /// Opens renderers of the laboratory, of records and of paths, on the GPU of the picture.
    std::function<Machine()> opener() {
        return [this] { return openMachine(backends_.gpu()); };
    }

    const Clock::time_point start_ = Clock::now();
    Window window_;
    Presenter presenter_;
    Backends backends_;
    BvhBuild hierarchy_;
    Tracer tracer_, pinnedTracer_;
    Versus versus_;
    State state_;
    Settings measured_;  ///< that the rates so far belong to
    Steering steering_;
    CameraFlight flight_;
    Undo undo_;
    Rates rates_;
    Toasts toasts_;
    FrameBudget budget_;
    StatusFile status_;
    Theme theme_;
    PanelSizes sizes_;
    float panelEms_ = 20;        ///< width of a panel; measured in the first frame
    bool fontMeasured_ = false;  ///< once, so that the scale does not swing
    Layout layout_;
    Drawn drawn_;
    Requests requests_;
    SceneList list_{sceneNames(), {}, {}};
    Memory memory_ = recalled(memoryPath());
    std::optional<Memory> kept_;  ///< what was written last, or read; none in the first run
    bool remembering_ = false, memoryLost_ = false;  ///< it is being written; it could not be
    std::vector<std::string> ladders_ = ladderNames();
    LadderClimb climb_{opener()};
    int tour_ = -1;  ///< the rung that the guided tour is at; -1: there is none
    Laboratory lab_{opener()};
    Watches watches_;
    LabChoice labChoice_;
    LabRequests labRequests_;
    Why why_{std::make_unique<Recorder>(opener())};
    WhyChoice whyChoice_;
    WhyRequests whyRequests_;
    MapTexture mapTexture_;
    CodeReader reader_;
    bool codeCurrent_ = false;  ///< what was read is of the present settings
    CodeTab code_;
    CodeRequests codeRequests_;
    SourceWatch sourceWatch_;
    SceneEditor editor_;
    SceneChoice sceneChoice_;
    PathRender path_{opener()};
    SceneRequests sceneRequests_;
    bool edited_ = false;  ///< the renderers do not have the scene for good yet
    SideTab tab_ = SideTab::throughput;
    bool panels_ = true, help_ = false, paused_ = false;
    std::string closedLog_;  ///< the compile log that the user has closed
    TimelineView timeline_;
    Screenshots screenshots_;
    Errands errands_;
    std::string lastScreenshot_, lastTrace_;
    double frameBegan_ = 0;
    long frame_ = 0;
};

}  // namespace rayscope
