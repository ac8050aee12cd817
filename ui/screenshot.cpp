#include "ui/screenshot.h"

#include <fmt/format.h>
#include <glad/gl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <utility>

#include "renderer/base/free_memory.h"
#include "renderer/base/say.h"
#include "renderer/film/image_files.h"
#include "ui/clipboard.h"
#include "ui/lab_drive.h"
#include "ui/output_files.h"

namespace rayscope {

namespace {

std::string write(const std::string& path, const Picture& picture, const Caption& caption,
                  Existing existing = Existing::replaced) {
    nlohmann::json json = toJson(caption.state);
    json["info"] = caption.info;
    if (!caption.results.empty())
        json["info"]["results"] = resultsOf(caption.results, caption.state);
    return writePng(path, picture, json.dump(), existing);
}

/// Where another program takes the name in the meantime, with -2, -3 ... behind it.
std::string writeFresh(std::string& path, const Picture& picture, const Caption& caption) {
    constexpr int kMostNames = 100;
    const std::filesystem::path first = path;
    std::string problem;
    std::error_code error;
    for (int n = 2; n < kMostNames; ++n) {
        problem = write(path, picture, caption, Existing::kept);
        if (problem.empty() || !std::filesystem::exists(path, error)) break;
        path = (first.parent_path() / first.stem()).string() + fmt::format("-{}.png", n);
    }
    return problem;
}

std::string copy(const Picture& picture, const Caption& caption) {
    static std::atomic<int> count{0};
    const std::string name = fmt::format("rayscope-{}-{}.png", getpid(), count++);
    const std::string file = (std::filesystem::temp_directory_path() / name).string();
    std::string problem = write(file, picture, caption);
    if (problem.empty()) problem = copyPng(file);
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    return problem;
}

/// An empty path: into the clipboard.
Saved save(std::string path, const Picture& picture, const Caption& caption) {
    const std::string problem =
        path.empty() ? copy(picture, caption) : writeFresh(path, picture, caption);
    trimHeap();
    if (!problem.empty()) return problem;
    return SavedFile{path};
}

/// Waits for it.
Saved resultOf(std::future<Saved>& task) {
    try {
        return task.get();
    } catch (const std::exception& error) {
        return fmt::format("the screenshot could not be written: {}", error.what());
    }
}

}  // namespace

std::string Screenshots::freshPath(const std::string& ending) {
    return freshStem(stemOfNow(), {ending}) + ending;
}

std::string Screenshots::freshStem(const std::string& stem,
                                   const std::vector<std::string>& endings) {
    const std::string fresh = rayscope::freshStem(outputFolder(), stem, endings, given_);
    for (const std::string& ending : endings) given_.insert(fresh + ending);
    return fresh;
}

std::string Screenshots::pathFor(SaveTo to) {
    return to == SaveTo::file ? freshPath(".png") : "";
}

void Screenshots::savePicture(std::vector<Pixel> pixels, Size size, Caption caption, SaveTo to) {
    auto task = [path = pathFor(to), pixels = std::move(pixels), size,
                 caption = std::move(caption)]() mutable -> Saved {
        if (pixels.empty()) return "there is no picture yet: try again in a moment";
        Film film;
        film.width = size.width;
        film.height = size.height;
        film.pixels = pixels.data();
        const State& state = caption.state;
        const Image image = meanOf(film);
        const glm::dvec3 mean = meanRadiance(image);
        caption.info["mean_radiance"] = {mean.x, mean.y, mean.z};
        return save(path, toneMap(image, state.scene.display, state.view), caption);
    };
    running_.push_back(std::async(std::launch::async, std::move(task)));
}

void Screenshots::saveWindow(Size framebuffer, Caption caption, SaveTo to) {
    Picture picture{framebuffer.width, framebuffer.height, {}};
    const size_t row = static_cast<size_t>(framebuffer.width) * 3;
    picture.rgb.resize(row * framebuffer.height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    glReadPixels(0, 0, framebuffer.width, framebuffer.height, GL_RGB, GL_UNSIGNED_BYTE,
                 picture.rgb.data());
    auto task = [path = pathFor(to), picture = std::move(picture), row,
                 caption = std::move(caption)]() mutable -> Saved {
        // OpenGL counts rows from the bottom.
        for (int low = 0, high = picture.height - 1; low < high; ++low, --high) {
            const auto first = picture.rgb.begin();
            std::swap_ranges(first + low * row, first + (low + 1) * row, first + high * row);
        }
        return save(path, picture, caption);
    };
    running_.push_back(std::async(std::launch::async, std::move(task)));
}

std::vector<Saved> Screenshots::finished() {
    std::vector<Saved> done;
    std::erase_if(running_, [&](std::future<Saved>& f) {
        if (f.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        done.push_back(resultOf(f));
        return true;
    });
    return done;
}

Screenshots::~Screenshots() {
    for (std::future<Saved>& f : running_) {
        const Saved saved = resultOf(f);
        if (const auto* problem = std::get_if<std::string>(&saved)) complain(*problem);
    }
}

}  // namespace rayscope
