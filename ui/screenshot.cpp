#include "ui/screenshot.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <glad/gl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "renderer/image/image_files.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

bool writable(const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder, error) && access(folder.c_str(), W_OK) == 0;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string textOf(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

fs::path screenshotFolder() {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    if (!error && writable(here)) return here;
    const std::string home = variable("HOME"), config = variable("XDG_CONFIG_HOME");
    const fs::path configured = config.empty() ? fs::path(home) / ".config" : fs::path(config);
    for (const fs::path& folder :
         {fs::path(variable("XDG_PICTURES_DIR")),
          fs::path(picturesFolderIn(textOf(configured / "user-dirs.dirs"), home)),
          fs::path(home) / "Pictures", fs::path(home)}) {
        if (writable(folder)) return folder;
    }
    return here;
}

Saved write(const std::string& path, const Picture& picture, const Caption& caption) {
    nlohmann::json json = toJson(caption.state);
    json["info"] = caption.info;
    std::string problem = writePng(path, picture, json.dump());
    if (!problem.empty()) return problem;
    return SavedFile{path};
}

}  // namespace

std::string picturesFolderIn(const std::string& userDirs, const std::string& home) {
    // XDG_PICTURES_DIR="$HOME/Bilder", or an absolute path; see xdg-user-dirs.
    const std::string key = "XDG_PICTURES_DIR=\"", inHome = "$HOME";
    std::istringstream lines(userDirs);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(key, 0) != 0) continue;
        std::string folder = line.substr(key.size(), line.find('"', key.size()) - key.size());
        if (folder.rfind(inHome, 0) == 0) folder.replace(0, inHome.size(), home);
        return folder;
    }
    return {};
}

/// rayscope-YYYYMMDD-HHMMSS.png, or with -2, -3 ... where that is taken.
std::string Screenshots::freshPath(const std::string& ending) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    const std::string stem = fmt::format("rayscope-{:%Y%m%d-%H%M%S}", local);
    const fs::path folder = screenshotFolder();
    fs::path path = folder / (stem + ending);
    std::error_code error;
    for (int n = 2; fs::exists(path, error) || given_.contains(path); ++n) {
        path = folder / fmt::format("{}-{}{}", stem, n, ending);
    }
    given_.insert(path);
    return path;
}

void Screenshots::savePicture(std::vector<Pixel> pixels, Size size, Caption caption) {
    auto task = [path = freshPath(".png"), pixels = std::move(pixels), size,
                 caption = std::move(caption)]() mutable -> Saved {
        if (pixels.empty()) return "there is no picture yet: try again in a moment";
        Film film;
        film.width = size.width;
        film.height = size.height;
        film.pixels = pixels.data();
        const State& state = caption.state;
        const Image image = meanOf(film);
        const Vec3<double> mean = meanRadiance(image);
        caption.info["mean_radiance"] = {mean.x, mean.y, mean.z};
        return write(path, toneMap(image, state.scene.display, state.view), caption);
    };
    running_.push_back(std::async(std::launch::async, std::move(task)));
}

void Screenshots::saveWindow(Size framebuffer, Caption caption) {
    Picture picture{framebuffer.width, framebuffer.height, {}};
    const size_t row = static_cast<size_t>(framebuffer.width) * 3;
    picture.rgb.resize(row * framebuffer.height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    glReadPixels(0, 0, framebuffer.width, framebuffer.height, GL_RGB, GL_UNSIGNED_BYTE,
                 picture.rgb.data());
    auto task = [path = freshPath(".png"), picture = std::move(picture), row,
                 caption = std::move(caption)]() mutable -> Saved {
        // OpenGL counts rows from the bottom.
        for (int low = 0, high = picture.height - 1; low < high; ++low, --high) {
            const auto first = picture.rgb.begin();
            std::swap_ranges(first + low * row, first + (low + 1) * row, first + high * row);
        }
        return write(path, picture, caption);
    };
    running_.push_back(std::async(std::launch::async, std::move(task)));
}

std::vector<Saved> Screenshots::finished() {
    std::vector<Saved> done;
    std::erase_if(running_, [&](std::future<Saved>& f) {
        if (f.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        try {
            done.push_back(f.get());
        } catch (const std::exception& error) {
            done.push_back(fmt::format("the screenshot could not be written: {}", error.what()));
        }
        return true;
    });
    return done;
}

}  // namespace rayscope
