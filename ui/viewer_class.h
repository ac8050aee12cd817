#pragma once

#include <algorithm>
#include <future>

#include "renderer/base/elapsed.h"
#include "renderer/machine/conditions.h"
#include "renderer/machine/nvml.h"
#include "renderer/scene/bvh_build.h"
#include "renderer/scene/json.h"
#include "ui/budget.h"
#include "ui/code_panel.h"
#include "ui/documents.h"
#include "ui/features.h"
#include "ui/kernel_panel.h"
#include "ui/lab_panel.h"
#include "ui/ladder_panel.h"
#include "ui/lesson_panel.h"
#include "ui/open_dialog.h"
#include "ui/scene_panel.h"
#include "ui/screenshot.h"
#include "ui/simulation_panel.h"
#include "ui/versus_panel.h"
#include "ui/viewer.h"
#include "ui/why_panel.h"

namespace rayscope {

/// What the window is doing, for whoever watches from outside: a debugging aid, and the eyes of the
/// tests. Where the environment variable RAYSCOPE_STATUS names a file, it is written about twenty
/// times a second, atomically: one JSON object, of what each feature says of itself (see its
/// describe()), what the viewer says of the frame (Viewer::writeStatus()), and
///
///   "pid", "time" (seconds since the start), "longest_frame_ms" (of the last second), "memory":
///   {"host" (resident bytes of the process), "heap" (of malloc(), in use), "device" (bytes that
///   all programs have taken of the GPU's; absent where it is not known)}
///
/// "drawn" has the rectangle of every control by its name (ui/widgets.h), in window coordinates.
class StatusFile {
public:
    StatusFile();  ///< reads RAYSCOPE_STATUS
    bool due(double now) const { return !path_.empty() && now >= next_; }
    /// `pciBusId`: of the CUDA device; empty: none.
    void write(nlohmann::json status, const std::string& pciBusId, double now);

    /// A frame begins; the time since the one before was the length of that.
    void beginFrame(double now);
    /// There was nothing to draw for.
    void rest() { frames_.clear(); }

private:
    double longestFrameMs() const;
    std::optional<double> deviceBytes(const std::string& pciBusId, double now);

    std::string path_;
    bool refused_ = false;  ///< others could write it
    double next_ = 0;
    std::deque<double> frames_;  ///< when those of the last second began, and the one before them
    std::optional<GpuSensors> gpu_;
    bool gpuTried_ = false;
    double nextBytes_ = 0;
    std::optional<double> bytes_;
    std::future<std::optional<double>> asked_;  ///< the driver may take several frames to answer
};

/// The viewer behind runViewer(): the window, the picture in it, and a list of features. viewer.cpp
/// has the frame and what features ask for, viewer_picture.cpp what is traced and shown.
class Viewer : private Host {
public:
    explicit Viewer(const ViewerOptions& options);
    /// One frame; false when the window is closed.
    bool frame();
    /// At the end: keeps what the next run should know.
    void remember() {
        for (WindowFeature* feature : features_) feature->close(frame_);
    }

private:
    void adopt(State state) override;
    void open(const std::string& nameOrPath) override { documents_.open(nameOrPath, frame_); }
    void sceneEdited(int moved) override;
    void bodiesMoved(const SharedBvh& hierarchy) override;
    void useDevices(const DeviceList& devices) override;
    void press(Key key) override { handleKey({key}); }
    void savePage(nlohmann::json report) override { screenshots_.savePage(std::move(report)); }
    void showTab(const std::string& id) override;
    KernelInfo kernel() const override;
    bool measuring() const override { return anyOf(&WindowFeature::measuring); }
    bool working() const override { return anyOf(&WindowFeature::working); }
    std::string doing() const override;

    void begin(const LessonWish& lesson);
    double now() const { return millisecondsSince(start_) / 1e3; }
    const Input& poll();
    void beginFrame();
    void layOut(const LayoutWish& wish, float pixelRatio);
    Tab& shownTab() { return layout_.folded && kernelOpen_ ? kernelPanel_ : *open_; }
    void steer(const Input& input);
    void handleKey(const KeyPress& press);
    bool forPanels(const KeyPress& press);
    bool closeLists();
    void moveFocus();
    void leaveKeyboard();
    void showNextTab(int step);
    void handleKeys(const Input& input, const Steering::Surroundings& around);
    void draw();
    void act();
    void giveScene();
    bool hierarchyReady();
    /// What the device has to do while the window's thread is about to do something else: a
    /// little, as a picture waits for it.
    static constexpr double kFedMs = 2.5;
    bool fillsFrames() const;
    bool isLeftAlone() const;
    void seeWhatIsLeft();
    void keepBusy(double ms);
    double filledSeconds() const;
    void trace();
    std::string goOnAfter(const std::runtime_error& error);
    FrameStats traceFor(double budgetMs, bool onGpu, std::string* message);
    void goOnWithJob();
    void present();
    void drawPicture();
    /// Of another feature than this one.
    bool anyOf(bool (WindowFeature::*says)() const, const WindowFeature* but = nullptr) const {
        return std::ranges::any_of(features_, [&](const WindowFeature* feature) {
            return feature != but && (feature->*says)();
        });
    }
    std::string goOnWithOtherGpus(const std::string& reason);
    void tellOfLost();
    std::string goOnWithoutCuda(const std::string& reason);
    std::string goOnWithFewerThreads(const std::string& reason);
    Caption caption();
    void writeStatus();

    const Clock::time_point start_ = Clock::now();
    Window window_;
    Presenter presenter_;
    Backends backends_;
    /// Renderers of the laboratory, of records and of paths, on the devices of the picture.
    const std::function<Machine()> openMachine_ = [this] {
        return openMachine(backends_.devices());
    };
    BvhBuild hierarchy_;
    Tracer tracer_;
    State state_;
    std::string lost_;           ///< Renderer::lost(), as last said
    Settings measured_;          ///< that the rates so far belong to
    std::pair<long, int> seen_;  ///< film and its samples, when a frame last traced
    double touched_ = 0;         ///< when the user last did something
    Steering steering_;
    FrameBudget budget_;
    StatusFile status_;
    Watches watches_;
    Preferences preferences_ = loadPreferences(preferencesPath());
    Theme theme_;
    float panelEms_ = 20;        ///< width of a panel; measured in the first frame
    bool fontMeasured_ = false;  ///< once, so that the scale does not swing
    Layout layout_;
    Drawn drawn_;
    bool listOpen_ = false;  ///< when the frame began

    const std::unique_ptr<Tab> throughput_ = throughputTab();
    LadderTab ladder_{openMachine_};
    LessonView lesson_{openMachine_};
    CodeTab code_{&lesson_};
    VersusTab versus_{&code_};
    LabTab lab_{openMachine_};
    WhyTab why_{openMachine_};
    SimulationView simulation_{openMachine_};
    SceneTab scene_{openMachine_, simulation_};
    KernelPanel kernelPanel_{&lab_.lab()};
    TimelineView timeline_;
    const std::unique_ptr<WindowFeature> strip_ = statusStrip(),
                                         timelineStrip_ = timelineStrip(timeline_),
                                         log_ = compileLog(), keys_ = keyList(),
                                         first_ = firstSteps(), sizes_ = panelSizes(),
                                         where_ = whereabouts(), bookmarks_ = bookmarkKeys(),
                                         undo_ = undoKeys();
    Documents documents_{window_};
    OpenDialog dialog_;
    Screenshots screenshots_;
    const std::unique_ptr<WindowFeature> keeper_ = preferencesKeeper(preferences_);
    const Tabs tabs_{throughput_.get(), &ladder_, &versus_, &lab_, &why_, &code_, &scene_},
        foldedTabs_ = [this] {
            Tabs all{&kernelPanel_};
            all.insert(all.end(), tabs_.begin(), tabs_.end());
            return all;
        }();
    /// Each acts on what those before it have done; jobs of the first ones come first.
    const std::vector<WindowFeature*> features_{
        &*throughput_, &ladder_, &versus_,      &lab_,    &why_,         &code_,
        &lesson_,      &scene_,  &simulation_,  &*strip_, &kernelPanel_, &*timelineStrip_,
        &*log_,        &*keys_,  &*first_,      &*sizes_, &*where_,      &*bookmarks_,
        &documents_,   &dialog_, &screenshots_, &*undo_,  &*keeper_};
    Tab* open_ = tabs_.front();
    bool kernelOpen_ = false;  ///< instead, where there is one panel
    Frame frame_{*this, state_, backends_, tracer_, steering_, preferences_};
};

}  // namespace rayscope
