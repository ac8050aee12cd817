#pragma once

#include <nlohmann/json_fwd.hpp>

#include "renderer/devices/backends.h"
#include "ui/camera_flight.h"
#include "ui/errands.h"
#include "ui/output_files.h"
#include "ui/preferences.h"
#include "ui/rates.h"
#include "ui/steering.h"
#include "ui/toasts.h"
#include "ui/tracer.h"
#include "ui/widgets.h"

// What the window is made of: tabs, the strip at the bottom, the timeline, bookmarks, ... Each is
// an object that draws, acts and describes itself, and keeps what belongs to it alone.

namespace rayscope {

/// What can be opened.
struct SceneList {
    std::vector<std::string> scenes;  ///< names
    std::vector<std::string> recent;  ///< files
    std::string last;                 ///< file of the state that was seen last; empty: none
};

/// What features ask of the window as a whole.
class Host {
public:
    virtual ~Host() = default;
    /// The state becomes what is shown; what this machine cannot do is replaced, and said.
    virtual void adopt(State state) = 0;
    /// A scene's name, or a file.
    virtual void open(const std::string& nameOrPath) = 0;
    /// The state's scene is another. `moved`: only the place and size of this sphere, which are not
    /// its last ones; below 0: anything, for good.
    virtual void sceneEdited(int moved) = 0;
    /// CUDA goes on with the GPU of this number.
    virtual void useGpu(int number) = 0;
    /// As if the user had pressed it.
    virtual void press(Key key) = 0;
    virtual void showTab(const std::string& id) = 0;
    /// Of the present settings' renderer; while A is pinned, as it was after the last turn of B.
    virtual KernelInfo kernel() const = 0;
    /// Of all features.
    virtual bool measuring() const = 0;
    virtual bool working() const = 0;
    virtual std::string doing() const = 0;
};

/// What features share.
struct Frame {
    Host& host;
    State& state;
    Backends& backends;
    Tracer& tracer;  ///< of the picture; of B's where A is pinned
    Rates& rates;
    Steering& steering;
    CameraFlight& flight;
    Toasts& toasts;
    Errands& errands;
    OutputFiles& files;
    Preferences& preferences;
    SceneList& scenes;

    // The frame under way.
    long number = 0;
    double now = 0, seconds = 0;  ///< when it began, and how long the one before took
    Size window{}, framebuffer{};
    std::string tab{};        ///< that is chosen
    bool panels = false;      ///< they are to be seen
    bool paused = false;      ///< the user wants nothing to be traced
    bool editing = false;     ///< the scene is being changed, and is not what it will be
    bool softwareGl = false;  ///< Window::softwareGl()
    std::vector<std::function<void()>> asked{};

    bool shows(std::string_view id) const { return panels && tab == id; }
    /// After all has been drawn: what is drawn should not change meanwhile.
    void then(std::function<void()> action) { asked.push_back(std::move(action)); }
    /// To the user; nothing where the text is empty.
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

    /// What the user did, before anything is drawn. Keys only where no text is being typed.
    virtual void key(const KeyPress&, Frame&) {}
    virtual void chord(const Chord&, Frame&) {}
    virtual void digit(int, Frame&) {}
    /// In front of the picture; panels are the tabs' own.
    virtual void draw(const Ui&) {}
    /// Carries out what was asked for. The picture is traced afterwards.
    virtual void act(Frame&) {}
    /// Goes on with its work, behind the picture.
    virtual void step(Frame&) {}
    /// Adds what it has to say to the status file (ui/status.h).
    virtual void describe(const Frame&, nlohmann::json&) const {}

    /// Another state is shown, and the renderers have its scene.
    virtual void adopted(Frame&, const State& /*before*/) {}
    /// Work on the GPU ends: CUDA goes on with another one.
    virtual void leaveGpu(Frame&) {}

    /// What it does beside the picture, for the status strip; empty: nothing.
    virtual std::string doing() const { return {}; }
    /// It is timing what is traced.
    virtual bool measuring() const { return false; }
    /// It has a job that goes on between frames, which gets most of their time,
    virtual bool working() const { return false; }
    /// on this processor,
    virtual Backend processor(const Frame& frame) const;
    /// for so many milliseconds.
    virtual void work(Frame&, double /*ms*/) {}
    /// The processor that traces the picture has to be left alone.
    virtual bool needsSilence() const { return false; }
};

/// A feature with a panel on the right.
class Tab : public WindowFeature {
public:
    Tab(std::string id, std::string label) : id_(std::move(id)), label_(std::move(label)) {}
    const std::string& id() const { return id_; }
    const std::string& label() const { return label_; }

    virtual void drawPanel(const Ui& ui) = 0;
    /// That the panel's contents need, without its padding.
    virtual float width(const Theme&) const { return 0; }

private:
    std::string id_, label_;
};

using Tabs = std::vector<Tab*>;

/// The open tab's panel beneath the headings of all, a click on which asks for another.
void drawSidePanel(const Ui& ui, const Tabs& tabs, Tab& open);

/// Of both panels, so that nothing in them is cut off. `contents`: the width of the left one's.
float panelWidth(const Theme& theme, const Tabs& tabs, float contents);

/// Either of the sides is traced by CUDA.
bool usesCuda(const State& state);

}  // namespace rayscope
