#pragma once

#include <chrono>

#include "renderer/machine/conditions.h"
#include "renderer/scene/bvh_build.h"
#include "renderer/scene/json.h"
#include "ui/budget.h"
#include "ui/code_panel.h"
#include "ui/documents.h"
#include "ui/features.h"
#include "ui/kernel_panel.h"
#include "ui/lab_panel.h"
#include "ui/ladder_panel.h"
#include "ui/scene_panel.h"
#include "ui/screenshot.h"
#include "ui/status.h"
#include "ui/versus_panel.h"
#include "ui/viewer.h"
#include "ui/why_panel.h"

namespace rayscope {

/// The viewer behind runViewer(): the window, the picture in it, and a list of features. viewer.cpp
/// has the frame and what features ask for, viewer_picture.cpp what is traced and shown.
class Viewer : private Host {
public:
    explicit Viewer(const ViewerOptions& options);
    /// One frame; false when the window is closed.
    bool frame();
    /// At the end: keeps what the next run should know.
    void remember() { keeper_.finish(frame_); }

private:
    using Clock = std::chrono::steady_clock;

    void adopt(State state) override;
    void open(const std::string& nameOrPath) override { documents_.open(nameOrPath, frame_); }
    void sceneEdited(int moved) override;
    void useGpu(int number) override;
    void press(Key key) override { handleKey({key}); }
    void showTab(const std::string& id) override;
    KernelInfo kernel() const override;
    bool measuring() const override;
    bool working() const override;
    std::string doing() const override;

    double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    const Input& poll();
    void beginFrame();
    void layOut(const LayoutWish& wish, float pixelRatio);
    void steer(const Input& input);
    void handleKey(const KeyPress& press);
    void handleKeys(const Input& input, const Steering::Surroundings& around);
    void draw();
    void act();
    void giveScene();
    bool hierarchyReady();
    void trace();
    FrameStats traceFor(double budgetMs, bool onGpu, std::string* message);
    void goOnWithJob();
    void present();
    void drawPicture();
    /// Of another feature than this.
    bool needsSilence(const WindowFeature* but = nullptr) const;
    std::string goOnWithoutCuda(const std::string& reason);
    std::string goOnWithFewerThreads(const std::string& reason);
    Caption caption();
    void writeStatus();

    const Clock::time_point start_ = Clock::now();
    Window window_;
    Presenter presenter_;
    Backends backends_;
    /// Renderers of the laboratory, of records and of paths, on the GPU of the picture.
    const std::function<Machine()> openMachine_ = [this] { return openMachine(backends_.gpu()); };
    BvhBuild hierarchy_;
    Tracer tracer_;
    State state_;
    Settings measured_;  ///< that the rates so far belong to
    Steering steering_;
    Rates rates_;
    Toasts toasts_;
    FrameBudget budget_;
    StatusFile status_;
    Watches watches_;
    OutputFiles files_;
    Preferences preferences_ = loadPreferences(preferencesPath());
    SceneList list_{sceneNames(), {}, {}};
    Theme theme_;
    float panelEms_ = 20;        ///< width of a panel; measured in the first frame
    bool fontMeasured_ = false;  ///< once, so that the scale does not swing
    Layout layout_;
    Drawn drawn_;

    const std::unique_ptr<Tab> throughput_ = throughputTab();
    LadderTab ladder_{openMachine_};
    CodeTab code_;
    VersusTab versus_{&code_};
    LabTab lab_{openMachine_};
    WhyTab why_{openMachine_};
    SceneTab scene_{openMachine_};
    KernelPanel kernelPanel_{&lab_.lab()};
    TimelineView timeline_;
    const std::unique_ptr<WindowFeature> strip_ = statusStrip(),
                                         timelineStrip_ = timelineStrip(timeline_),
                                         log_ = compileLog(), keys_ = keyList(),
                                         bookmarks_ = bookmarkKeys(), undo_ = undoKeys();
    Documents documents_{window_};
    Screenshots screenshots_;
    PreferencesKeeper keeper_{preferences_};
    const Tabs tabs_{throughput_.get(), &ladder_, &versus_, &lab_, &why_, &code_, &scene_};
    /// Each acts on what those before it have done; jobs of the first ones come first.
    const std::vector<WindowFeature*> features_{throughput_.get(),
                                                &ladder_,
                                                &versus_,
                                                &lab_,
                                                &why_,
                                                &code_,
                                                &scene_,
                                                strip_.get(),
                                                &kernelPanel_,
                                                timelineStrip_.get(),
                                                log_.get(),
                                                keys_.get(),
                                                bookmarks_.get(),
                                                &documents_,
                                                &screenshots_,
                                                undo_.get(),
                                                &keeper_};
    Tab* open_ = tabs_.front();
    Errands errands_;
    Frame frame_{*this,   state_,   backends_, tracer_,      rates_, steering_,
                 toasts_, errands_, files_,    preferences_, list_};
};

}  // namespace rayscope
