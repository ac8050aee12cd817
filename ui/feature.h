#pragma once

#include <future>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>

#include "renderer/devices/backends.h"
#include "ui/preferences.h"
#include "ui/rates.h"
#include "ui/steering.h"
#include "ui/tracer.h"
#include "ui/widgets.h"

// The window is made of features: tabs, the strip at the bottom, the timeline, bookmarks, ... Each
// is an object that draws, acts and describes itself, and keeps its own state.

namespace rayscope {

/// Where files go that nobody gave a place: the current folder; where that cannot be written, the
/// user's pictures or home folder.
std::string outputFolder();

/// The folder for pictures that a user-dirs.dirs file names (XDG user directories), or empty.
std::string picturesFolderIn(const std::string& userDirs, const std::string& home);

/// FOLDER/STEM, or with -2, -3 ... where a file with one of the endings is there or `given` away.
std::string freshStem(const std::string& folder, const std::string& stem,
                      const std::vector<std::string>& endings,
                      const std::set<std::string>& given = {});

/// Names in outputFolder() that nobody else writes.
class OutputFiles {
public:
    /// "rayscope-YYYYMMDD-HHMMSS" and the ending, in local time.
    std::string freshPath(const std::string& ending);
    /// For files of several endings.
    std::string freshStem(const std::string& stem, const std::vector<std::string>& endings);

private:
    std::set<std::string> given_;
};

/// Work that takes longer than a frame may, such as text of a hundred thousand spheres.
class Errands {
public:
    /// What the window's thread does with a result.
    using Then = std::function<void()>;
    using Work = std::function<Then()>;

    /// Begins the work on a thread of its own; where it is `quick`, as afterwards() does.
    void send(Work work, bool quick = false);
    /// Done when all that was sent before is; at once where nothing is under way.
    void afterwards(Then then);
    /// Each frame: does what the work that has ended left to do, in the order in which it was sent.
    void finish();

private:
    std::deque<std::future<Then>> running_;
};

/// What the scene list offers.
struct SceneList {
    std::vector<std::string> scenes;              ///< names
    std::vector<std::string> recent;              ///< files
    std::string last;                             ///< file of the last state; empty: none
    std::map<std::string, std::string> titles{};  ///< of the scenes, as far as they are known
    std::string asked{};  ///< of the dialog (ui/open_dialog.h): "files" or "city-"; empty: nothing
};

/// What a kernel that is not ready waits for.
inline const char* reasonToWait(const KernelInfo& kernel) {
    return kernel.packing ? "preparing the scene..." : "compiling...";
}

/// What features ask of the window as a whole.
class Host {
public:
    virtual ~Host() = default;
    /// Shows this state. What this machine cannot do is replaced, and the user is told.
    virtual void adopt(State state) = 0;
    /// A scene's name, or a file.
    virtual void open(const std::string& nameOrPath) = 0;
    /// The state's scene was edited. `moved`: the sphere that is being moved or resized, and
    /// nothing else changed; below 0: the edit is complete, and may be any.
    virtual void sceneEdited(int moved) = 0;
    /// The bodies of the state's scene have moved: Frame::moved. Its hierarchy, where it was built.
    virtual void bodiesMoved(const SharedBvh& hierarchy) = 0;
    /// Switches CUDA to the GPU of this number.
    virtual void useDevices(const DeviceList& devices) = 0;
    /// As if the user had pressed it.
    virtual void press(Key key) = 0;
    virtual void showTab(const std::string& id) = 0;
    /// Writes a page of the report with the picture as it is now; null: of what a screenshot says.
    virtual void savePage(nlohmann::json report) = 0;
    /// The kernel of the present settings' renderer; while A is pinned, as of B's last turn.
    virtual KernelInfo kernel() const = 0;
    /// As in WindowFeature, of all features.
    virtual bool measuring() const = 0;
    virtual bool working() const = 0;
    virtual std::string doing() const = 0;
};

/// What features share.
struct Frame {
    Host& host;
    State& state;
    Backends& backends;
    Tracer& tracer;  ///< of the picture; of B's while A is pinned
    Steering& steering;
    Preferences& preferences;
    Rates rates{};
    Toasts toasts{};
    OutputFiles files{};
    SceneList scenes{};

    /// The state's scene with its bodies where they are now, as the renderers have it; none: they
    /// have the state's own.
    std::optional<MovedScene> moved{};
    std::int64_t step = 0;  ///< of the simulation, at which they are
    /// Waits for the device where bodies have moved there: not for every frame.
    const SharedScene& shown() const { return moved ? moved->now() : state.scene; }
    MovedScene renderers() const { return moved ? *moved : MovedScene(state.scene); }

    // The frame under way.
    long number = 0;
    double now = 0, seconds = 0;  ///< when it began, and how long the one before took
    Size window{}, framebuffer{};
    std::string tab{};        ///< id of the open tab
    bool panels = false;      ///< they are shown
    bool paused = false;      ///< by the user: nothing is traced
    bool editing = false;     ///< an edit of the scene is not complete yet
    bool keyboard = false;    ///< it belongs to a panel: arrows walk through its controls
    std::string focused{};    ///< name of the control that they have reached
    bool softwareGl = false;  ///< Window::softwareGl()
    std::vector<std::function<void()>> asked{};
    /// Of a mouse button, until the cursor leaves what is there.
    std::optional<ImVec2> click{};
    Errands errands{};  ///< last: waits for those under way

    bool shows(std::string_view id) const { return panels && tab == id; }
    /// Runs the action after all has been drawn, so that nothing changes in between.
    void then(std::function<void()> action) { asked.push_back(std::move(action)); }
    /// Messages to the user; an empty text shows none.
    void say(const std::string& text) {
        if (!text.empty()) toasts.say(text, now);
    }
    void warn(const std::string& text) {
        if (!text.empty()) toasts.warn(text, now);
    }
};

class WindowFeature {
public:
    virtual ~WindowFeature() = default;

    /// The user's input, before anything is drawn. No keys while text is being typed.
    virtual void key(const KeyPress&, Frame&) {}
    virtual void chord(const Chord&, Frame&) {}
    virtual void digit(int, Frame&) {}
    /// Draws over the picture; the panel of a tab is drawn by drawPanel().
    virtual void draw(const Ui&) {}
    /// Whether draw() has a text to show in Layout::pane.
    virtual bool wantsPane(const Frame&) const { return false; }
    /// Carries out what was asked for, before the picture is traced.
    virtual void act(Frame&) {}
    /// Goes on with its work, after the picture has been traced.
    virtual void step(Frame&) {}
    /// Adds its part to the status file (ui/viewer_class.h).
    virtual void describe(const Frame&, nlohmann::json&) const {}

    /// Another state is shown now; the renderers have its scene already.
    virtual void adopted(Frame&, const State& /*before*/) {}
    /// The window closes.
    virtual void close(Frame&) {}
    /// Ends its work on the GPU: CUDA is about to switch to another one.
    virtual void leaveGpu(Frame&) {}

    /// What it is doing beside the picture, for the status strip; empty: nothing.
    virtual std::string doing() const { return {}; }
    /// Whether it is timing what is traced.
    virtual bool measuring() const { return false; }
    /// Whether it has a job that runs between frames; the job gets most of their time.
    virtual bool working() const { return false; }
    /// The processor that the job uses.
    virtual Backend processor(const Frame& frame) const;
    /// Runs the job for about `ms` milliseconds.
    virtual void work(Frame&, double /*ms*/) {}
    /// Whether the picture and all other jobs have to stop meanwhile.
    virtual bool needsSilence() const { return false; }
};

/// A feature with a panel on the right.
class Tab : public WindowFeature {
public:
    Tab(std::string id, std::string label) : id_(std::move(id)), label_(std::move(label)) {}
    const std::string& id() const { return id_; }
    const std::string& label() const { return label_; }

    virtual void drawPanel(const Ui& ui) = 0;
    /// The width that the panel's contents need, without padding.
    virtual float width(const Theme&) const { return 0; }

private:
    std::string id_, label_;
};

using Tabs = std::vector<Tab*>;

/// Draws the headings of all tabs, which open them, and below these the open tab's panel.
void drawSidePanel(const Ui& ui, const Tabs& tabs, Tab& open);

/// The width of both panels that cuts nothing off; `contents`: what the left one needs.
float panelWidth(const Theme& theme, const Tabs& tabs, float contents);

/// What the window begins with in this scene, on the present backend and display.
Settings defaultsOf(const Frame& frame);

/// Whether A or B is traced by CUDA.
bool usesCuda(const State& state);

}  // namespace rayscope
