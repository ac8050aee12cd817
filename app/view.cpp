// The only command with a window.

#include "app/commands.h"
#include "app/interrupt.h"
#include "renderer/scene/json.h"
#include "ui/viewer.h"

namespace rayscope {

int runView(const Options& options, bool vsync) {
    Options window = options;
    window.offersKernels = true;
    std::variant<Request, Refusal> made = makeRequest(window);
    if (Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    Request& request = std::get<Request>(made);
    request.renderer.reset();  // the viewer has its own
    const auto assets = findAssets();
    ViewerOptions viewer;
    viewer.device = gpuOf(options.device);
    viewer.state = std::move(request.state);
    viewer.file = options.file.empty() ? options.scene : options.file;
    if (assets) viewer.shaders = (assets->parent_path() / "shaders").string();
    if (!options.size.empty()) {
        viewer.width = request.width;
        viewer.height = request.height;
    }
    viewer.vsync = vsync;
    watchForInterrupt();
    viewer.goOn = [] { return !interrupted(); };
    return runViewer(viewer);
}

}  // namespace rayscope
