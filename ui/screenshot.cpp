#include "ui/screenshot.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <glad/gl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "renderer/image/image_files.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

bool writable(const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder, error) && access(folder.c_str(), W_OK) == 0;
}

/// The current folder; where that cannot be written, the user's pictures, then the home folder.
fs::path screenshotFolder() {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    if (!error && writable(here)) return here;
    if (const char* pictures = std::getenv("XDG_PICTURES_DIR"); pictures && writable(pictures)) {
        return pictures;
    }
    if (const char* home = std::getenv("HOME")) {
        const fs::path pictures = fs::path(home) / "Pictures";
        return writable(pictures) ? pictures : fs::path(home);
    }
    return here;
}

/// rayscope-YYYYMMDD-HHMMSS.png, or with -2, -3 … where that is taken.
std::string freshPath() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    const std::string stem = fmt::format("rayscope-{:%Y%m%d-%H%M%S}", local);
    const fs::path folder = screenshotFolder();
    fs::path path = folder / (stem + ".png");
    std::error_code error;
    for (int n = 2; fs::exists(path, error); ++n) {
        path = folder / fmt::format("{}-{}.png", stem, n);
    }
    return path.string();
}

std::variant<SavedFile, std::string> save(const Picture& picture, const State& state) {
    const std::string path = freshPath();
    std::string problem = writePng(path, picture, toJson(state).dump());
    if (!problem.empty()) return problem;
    return SavedFile{path};
}

}  // namespace

std::variant<SavedFile, std::string> savePicture(std::vector<Pixel> pixels, Size size,
                                                 const State& state) {
    if (pixels.empty()) return std::string("there is no picture yet: try again in a moment");
    Film film;
    film.width = size.width;
    film.height = size.height;
    film.pixels = pixels.data();
    return save(toneMap(meanOf(film), state.scene.display, state.view), state);
}

std::variant<SavedFile, std::string> saveWindow(Size framebuffer, const State& state) {
    if (framebuffer.empty()) return std::string("the window has no size: enlarge it first");
    Picture picture{framebuffer.width, framebuffer.height, {}};
    const size_t row = static_cast<size_t>(framebuffer.width) * 3;
    picture.rgb.resize(row * framebuffer.height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    glReadPixels(0, 0, framebuffer.width, framebuffer.height, GL_RGB, GL_UNSIGNED_BYTE,
                 picture.rgb.data());
    // OpenGL counts rows from the bottom.
    for (int low = 0, high = framebuffer.height - 1; low < high; ++low, --high) {
        std::swap_ranges(picture.rgb.begin() + low * row, picture.rgb.begin() + (low + 1) * row,
                         picture.rgb.begin() + high * row);
    }
    return save(picture, state);
}

}  // namespace rayscope
