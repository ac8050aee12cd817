#pragma once

#include "ui/feature.h"
#include "ui/timeline_view.h"

// Features of which nobody needs to know more than that they are there.

namespace rayscope {

/// The rates of the picture.
std::unique_ptr<Tab> throughputTab();
/// What is traced, and what goes on: at the bottom of the window.
std::unique_ptr<WindowFeature> statusStrip();
/// The last frames: what the CPU and the GPU did when, below the panels.
/// "timeline": {"shown", "paused", "from_ms", "until_ms", "events"}, "trace": the last one saved
std::unique_ptr<WindowFeature> timelineStrip(TimelineView& view);
/// The compiler's log of a kernel that could not be built, until it is closed; the Code tab lists
/// the errors itself.
std::unique_ptr<WindowFeature> compileLog();
/// Where the camera is, when it sees nothing because of that: in the middle of the picture.
/// "where": the sentence
std::unique_ptr<WindowFeature> whereabouts();
/// All keys, when F1 is pressed, until a click elsewhere.
std::unique_ptr<WindowFeature> keyList();
/// The inner edges of both panels, which the mouse drags; a double click takes a width back. The
/// size of the text: Ctrl and +, - or 0.
/// "text_size", "left_panel", "right_panel": as in Preferences
std::unique_ptr<WindowFeature> panelSizes();
/// In the first run: fly, switch something, measure all switches.
std::unique_ptr<WindowFeature> firstSteps();
/// Ctrl and a digit keeps a place, the digit flies there, Home to the scene's own camera.
std::unique_ptr<WindowFeature> bookmarkKeys();
/// Ctrl+Z takes back, Ctrl+Shift+Z or Ctrl+Y does again.
std::unique_ptr<WindowFeature> undoKeys();
/// Writes the preferences whenever they change, so that a program that is killed loses nothing; at
/// the end the state, too.
std::unique_ptr<WindowFeature> preferencesKeeper(const Preferences& loaded);

// What undoKeys() works with.

/// Takes back what the user chose: scene, settings, view, what is pinned. Where the camera flew is
/// no choice and stays, as do bookmarks, unless the scene changes.
class Undo {
public:
    /// Each frame. Changes that follow each other closely, as a slider's do, count as one.
    void note(const State& state, double now);
    /// The state before the last change, or after the one taken back last; nothing where there is
    /// none.
    std::optional<State> back();
    std::optional<State> forth();

private:
    void move(std::vector<State>& from, std::vector<State>& to);

    std::optional<State> present_;
    std::vector<State> past_, future_;
    double lastChange_ = -1;
};

}  // namespace rayscope
