#pragma once

#include "ui/feature.h"
#include "ui/timeline_view.h"

// Features of which nobody needs to know more than that they are there.

namespace rayscope {

/// The rates of the picture.
std::unique_ptr<Tab> throughputTab();
/// What is traced, and what goes on: at the bottom of the window.
std::unique_ptr<WindowFeature> statusStrip();
/// The last frames: what the CPU and the GPU did when, over the bottom of the picture.
/// "timeline": {"shown", "paused", "from_ms", "until_ms", "events"}, "trace": the last one saved
std::unique_ptr<WindowFeature> timelineStrip(TimelineView& view);
/// The compiler's log of a kernel that could not be built, until it is closed; the Code tab lists
/// the errors itself.
std::unique_ptr<WindowFeature> compileLog();
/// All keys, when F1 is pressed, until a click elsewhere.
std::unique_ptr<WindowFeature> keyList();
/// Ctrl and a digit keeps a place, the digit flies there, Home to the scene's own camera.
std::unique_ptr<WindowFeature> bookmarkKeys();
/// Ctrl+Z takes back, Ctrl+Shift+Z or Ctrl+Y does again.
std::unique_ptr<WindowFeature> undoKeys();
/// Writes the preferences whenever they change, so that a program that is killed loses nothing; at
/// the end the state, too.
std::unique_ptr<WindowFeature> preferencesKeeper(const Preferences& loaded);

}  // namespace rayscope
