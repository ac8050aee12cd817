// The only command with a window.

#include "app/commands.h"
#include "app/interrupt.h"
#include "renderer/lab/lesson_check.h"
#include "renderer/scene/json.h"
#include "ui/viewer.h"

namespace rayscope {

static ViewerOptions viewerOn(State state, const DeviceList& device) {
    ViewerOptions viewer;
    viewer.devices = devicesOf(device);
    viewer.state = std::move(state);
    if (const auto assets = findAssets())
        viewer.shaders = (assets->parent_path() / "shaders").string();
    watchForInterrupt();
    viewer.goOn = [] { return !interrupted(); };
    return viewer;
}

int runView(const Options& options, bool vsync) {
    Options window = options;
    window.offersKernels = true;
    std::variant<Request, Refusal> made = makeRequest(window);
    if (Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    Request& request = std::get<Request>(made);
    request.renderer.reset();  // the viewer has its own
    ViewerOptions viewer = viewerOn(std::move(request.state), options.device);
    viewer.file = options.file.empty() ? options.scene : options.file;
    if (!options.size.empty()) {
        viewer.width = request.width;
        viewer.height = request.height;
    }
    viewer.vsync = vsync;
    return runViewer(viewer);
}

int runView(LessonWish wish, const Options& window) {
    State state = wish.state;
    state.settings = wish.b;
    ViewerOptions viewer = viewerOn(std::move(state), window.device);
    if (!window.size.empty()) parseSize(window.size, viewer.width, viewer.height);
    viewer.file = wish.lesson.scene;
    viewer.lesson = std::move(wish);
    return runViewer(viewer);
}

}  // namespace rayscope
