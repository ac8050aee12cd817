#pragma once

#include <functional>
#include <optional>
#include <string>

#include "renderer/choices/state.h"
#include "renderer/lab/lesson_check.h"

namespace rayscope {

struct ViewerOptions {
    /// What to open with: scene, camera, settings, view. settings.backend is taken as given; where
    /// it cannot be had, the viewer says why and goes on with the CPU.
    State state;
    std::string file;  ///< where it is from, remembered unless it is the name of a scene
    std::string shaders = "shaders";  ///< folder that holds present.vert and present.frag
    int width = 1600;  ///< first size of the window in screen units; 0: the scene's own size
    int height = 900;
    DeviceList devices{};
    bool vsync = true;  ///< wait for the display; off in tests and where frames are counted
    std::optional<LessonWish> lesson;  ///< that the window is opened on
    std::function<bool()> goOn;        ///< false ends the viewer after the frame
};

/// Opens the window and returns when it is closed: the program's exit code. Where no window can be
/// had (no display, OpenGL older than 4.5, a shader missing) it prints one sentence on stderr and
/// returns 1.
int runViewer(const ViewerOptions& options);

}  // namespace rayscope
