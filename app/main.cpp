#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/interrupt.h"
#include "renderer/base/files.h"
#include "renderer/base/say.h"
#include "renderer/scene/json.h"
#include "ui/viewer.h"

namespace rayscope {

int refuse(const Refusal& refusal) {
    complain(refusal.sentence);
    return refusal.exitCode;
}

std::string writeText(const std::string& path, const std::string& text) {
    if (path == "-") {
        sayText(text);
        return {};  // finish() says what is lost
    }
    return writeTextFile(path, text);
}

std::string writeJson(const std::string& path, const nlohmann::json& json) {
    constexpr auto kReplace = nlohmann::json::error_handler_t::replace;  // names of files are bytes
    return writeText(path, json.dump(2, ' ', false, kReplace) + "\n");
}

int finishJson(const std::string& path, const nlohmann::json& json) {
    if (path.empty()) return 0;
    const std::string problem = writeJson(path, json);
    return problem.empty() ? 0 : refuse({1, problem});
}

int runView(const Options& options, bool vsync) {
    std::variant<Request, Refusal> understood = understand(options);
    if (Refusal* refusal = std::get_if<Refusal>(&understood)) return refuse(*refusal);
    Request& request = std::get<Request>(understood);
    request.renderer.reset();  // the viewer has its own
    const auto assets = findAssets();
    ViewerOptions viewer;
    viewer.device = options.device;
    viewer.state = std::move(request.state);
    viewer.file = options.file.empty() ? options.scene : options.file;
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

/// The exit code, which is 1 at least where standard output is not whole.
static int finish(int code) {
    const int error = flushSaid();
    if (error == 0) return code;
    if (error != EPIPE) {  // a reader that has gone knows
        complain(fmt::format("cannot write standard output: {}", std::strerror(error)));
    }
    return code != 0 ? code : 1;
}

}  // namespace rayscope

int main(int argc, char** argv) {
    // a file that grows too large (ulimit -f) is to fail as one on a full disk does
    std::signal(SIGXFSZ, SIG_IGN);
    // what is opened later must not stand where output was closed; to write there still fails
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDONLY);
    }
    try {
        return rayscope::finish(rayscope::runCommandLine(argc, argv));
    } catch (const std::bad_alloc&) {
        return rayscope::finish(rayscope::refuse({1, "there is not enough memory"}));
    } catch (const std::exception& error) {
        return rayscope::finish(rayscope::refuse({1, error.what()}));
    }
}
