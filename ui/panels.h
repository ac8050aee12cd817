#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/code/code_verdict.h"
#include "renderer/devices/backends.h"
#include "renderer/lab/study.h"
#include "ui/camera_control.h"
#include "ui/ladder_climb.h"
#include "ui/rates.h"
#include "ui/theme.h"
#include "ui/timeline_view.h"
#include "ui/toasts.h"
#include "ui/versus.h"

namespace rayscope {

/// What the panel on the right shows.
enum class SideTab { throughput, ladder, lab, versus, why, code, scene };

/// "lab"
const char* idOf(SideTab tab);
/// The first tab where there is none of that name.
SideTab sideTabFrom(std::string_view id);

/// Of A and B.
struct VersusRequests {
    bool pin = false, unpin = false, swap = false, nextShowing = false;
    bool race = false, stopRace = false;
};

/// What panels and keys ask for and the frame carries out.
struct Requests {
    bool screenshot = false;        ///< of the picture
    bool copyPicture = false;       ///< to the clipboard
    bool windowScreenshot = false;  ///< with the panels
    bool light = false;             ///< to switch between the dark and the light look
    bool home = false;              ///< the scene's own camera
    bool restart = false;           ///< of the film
    bool timeline = false;          ///< to be shown, or not any more
    bool saveTimeline = false;
    std::optional<int> gpu;  ///< to trace on, by CUDA's number
    std::string open;        ///< scene name or path of a file; empty: nothing
    std::optional<SideTab> tab;
    std::string ladder;       ///< to show; empty: the one there is
    std::optional<int> rung;  ///< of it, to be in
    bool climb = false, cancelClimb = false;
    std::optional<int> tour;  ///< the rung to be shown; -1 ends it
    VersusRequests versus;
};

/// Where things were drawn in this frame, by name: "panel.kernel", "axis.math", "axis.math.fast"
/// (an entry of an open list). For the status file.
struct DrawnItem {
    Rect rect;
    bool enabled = true;
};
using Drawn = std::map<std::string, DrawnItem>;

/// What the texts of the side panels need, in screen units.
struct PanelSizes {
    float width = 0;   ///< of both panels, so that nothing in them is cut off
    float labels = 0;  ///< of the column of labels in the Kernel panel
};

/// From all labels and all values of all axes in the theme's font.
PanelSizes measurePanels(const Theme& theme);

/// One frame's surroundings, handed to every panel.
struct Ui {
    const Theme& theme;
    const PanelSizes& sizes;
    const Layout& layout;
    Drawn& drawn;
    Requests& requests;
    const Study* switches = nullptr;  ///< what is known of the present settings' alternatives
};

/// A tooltip of the item before, also of a greyed one; none where the text is empty.
void hint(const Ui& ui, const std::string& text);

/// What can be opened.
struct SceneList {
    std::vector<std::string> scenes;  ///< names
    std::vector<std::string> recent;  ///< files
    std::string last;                 ///< file of the state that was seen last; empty: none
};

/// Edits state.settings and state.view; made from the table of axes.
void drawKernelPanel(const Ui& ui, const Backends& backends, const KernelInfo& kernel,
                     const SceneList& list, State& state);

/// Widths that the panels' contents need, without the panels' padding.
float kernelLabelsWidth(const Theme& theme);
float kernelControlsWidth(const Theme& theme);
float throughputWidth(const Theme& theme);
float ladderWidth(const Theme& theme);
float sideTabsWidth(const Theme& theme);
float versusWidth(const Theme& theme);

/// The panel on the right, with its headings, to choose another. Between the two: its contents,
/// if it returns true.
bool beginSidePanel(const Ui& ui, SideTab open);
void endSidePanel(const Ui& ui, SideTab open);

void drawThroughputPanel(const Ui& ui, const Rates& rates, const KernelInfo& kernel, int samples,
                         double now);

/// The rungs of a ladder, to be in one or to climb all. `names`: ladders to choose from. `tour`:
/// the rung that the guided tour is at, or -1.
void drawLadderPanel(const Ui& ui, const LadderClimb& climb, int tour,
                     const std::vector<std::string>& names);

/// A beside B: what differs, and how far each has come. Edits state.pinned but for its settings.
/// `code`: what their machine code says of them; empty where that is not known.
void drawVersusPanel(const Ui& ui, const Versus& versus, const CodeVerdict& code, State& state);

/// What the strip at the bottom says.
struct StripFacts {
    Backend backend;
    DeviceInfo device;
    Display display;
    int width, height, samples;
    Flight flight;
    bool paused, compiling;
    std::string climbing;  ///< how far a climb is; empty: there is none
};
void drawStatusStrip(const Ui& ui, const StripFacts& facts);

/// Lists all keys over the picture; false where a click elsewhere closes it.
bool drawHelp(const Ui& ui);

/// The compiler's log of a kernel that could not be built. `open` becomes false when it is closed.
void drawCompileLog(const Ui& ui, const std::string& log, bool* open);

/// The last frames: what the CPU and the GPU did when, in layout.timeline.
void drawTimeline(const Ui& ui, TimelineView& view);

void drawToasts(const Ui& ui, const Toasts& toasts);

}  // namespace rayscope
