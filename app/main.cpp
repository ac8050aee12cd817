#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "app/commands.h"
#include "app/interrupt.h"
#include "renderer/files.h"
#include "renderer/scene/json.h"
#include "renderer/text.h"
#include "ui/viewer.h"

namespace rayscope {

int refuse(const Refusal& refusal) {
    // a compiler's log has lines
    fmt::print(stderr, "rayscope: {}\n", printable(refusal.sentence, "\n\t"));
    return refusal.exitCode;
}

std::string writeText(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fputs(text.c_str(), stdout);
        return {};
    }
    return writeTextFile(path, text);
}

int runView(const Options& options, bool vsync) {
    std::variant<Request, Refusal> understood = understand(options);
    if (Refusal* refusal = std::get_if<Refusal>(&understood)) return refuse(*refusal);
    Request& request = std::get<Request>(understood);
    request.renderer.reset();  // the viewer has its own
    const auto assets = findAssets();
    ViewerOptions viewer;
    viewer.state = std::move(request.state);
    if (const auto* folder = std::get_if<std::filesystem::path>(&assets)) {
        viewer.shaders = (folder->parent_path() / "shaders").string();
    }
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

int main(int argc, char** argv) {
    try {
        return rayscope::runCommandLine(argc, argv);
    } catch (const std::exception& error) {
        return rayscope::refuse({1, error.what()});
    }
}
