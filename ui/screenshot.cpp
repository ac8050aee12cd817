#include "ui/screenshot.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "renderer/base/free_memory.h"
#include "renderer/base/say.h"
#include "renderer/base/temporary_folder.h"
#include "renderer/code/carried_kernels.h"
#include "renderer/film/image_files.h"
#include "renderer/lab/report.h"
#include "renderer/page/page.h"
#include "ui/clipboard.h"

namespace rayscope {

namespace {

std::string write(const std::string& path, const Picture& picture, const Caption& caption,
                  Existing existing = Existing::replaced) {
    nlohmann::json json = toJson(withPatches(caption.state));
    json["info"] = caption.info;
    if (!caption.results.empty())
        json["info"]["results"] = resultsOf(caption.results, caption.state);
    return writePng(path, picture, json.dump(), existing).reason();
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
    const TemporaryFolder folder;
    if (!folder.problem().empty())
        return fmt::format("no folder for temporary files: {}", folder.problem());
    const std::string file = (std::filesystem::path(folder.path()) / "picture.png").string();
    const std::string problem = write(file, picture, caption);
    return problem.empty() ? copyPng(file) : problem;
}

/// An empty path: into the clipboard.
Saved save(std::string path, const Picture& picture, const Caption& caption) {
    std::string problem =
        path.empty() ? copy(picture, caption) : writeFresh(path, picture, caption);
    trimHeap();
    return {std::move(path), std::move(problem)};
}

/// Waits for it.
Saved resultOf(std::future<Saved>& task) {
    try {
        return task.get();
    } catch (const std::exception& error) {
        return {"", fmt::format("the screenshot could not be written: {}", error.what())};
    }
}

}  // namespace

void Screenshots::key(const KeyPress& press, Frame&) {
    if (press.key == Key::screenshot) (press.shift ? window_ : picture_) = true;
}

void Screenshots::chord(const Chord& chord, Frame&) {
    copy_ |= chord.letter == 'c' && chord.shift;
}

void Screenshots::describe(const Frame&, nlohmann::json& status) const {
    status["screenshot"] = last_;
}

void Screenshots::pictureDrawn(Frame& frame, bool filmAlone,
                               const std::function<Caption()>& caption) {
    if (page_) writePage(frame, filmAlone, caption());
    for (bool* wanted : {&picture_, &copy_}) {
        if (!std::exchange(*wanted, false)) continue;
        const std::string path = wanted == &picture_ ? frame.files.freshPath(".png") : "";
        filmAlone ? savePicture(frame, caption(), path) : saveWindow(frame, caption(), path);
    }
}

void Screenshots::windowDrawn(Frame& frame, const std::function<Caption()>& caption) {
    if (std::exchange(window_, false)) saveWindow(frame, caption(), frame.files.freshPath(".png"));
    std::erase_if(running_, [&](std::future<Saved>& f) {
        if (f.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        tell(frame, resultOf(f));
        return true;
    });
}

void Screenshots::tell(Frame& frame, const Saved& saved) {
    if (!saved.problem.empty()) return frame.warn(saved.problem);
    if (saved.path.empty()) return frame.say("Copied the picture");
    last_ = saved.path;
    frame.say(fmt::format("Saved {}", saved.path));
}

/// What the film shows; nothing where there is none yet.
static std::optional<Image> imageOf(std::vector<Pixel>& pixels, Size size) {
    if (pixels.empty()) return {};
    Film film;
    film.width = size.width;
    film.height = size.height;
    film.pixels = pixels.data();
    return meanOf(film);
}

/// The back buffer, rows from the bottom, as OpenGL counts them.
static Picture readWindow(Size framebuffer) {
    Picture picture{framebuffer.width, framebuffer.height, {}};
    picture.rgb.resize(static_cast<size_t>(framebuffer.width) * 3 * framebuffer.height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    glReadPixels(0, 0, framebuffer.width, framebuffer.height, GL_RGB, GL_UNSIGNED_BYTE,
                 picture.rgb.data());
    return picture;
}

static void turnOver(Picture& picture) {
    const size_t row = static_cast<size_t>(picture.width) * 3;
    for (int low = 0, high = picture.height - 1; low < high; ++low, --high) {
        const auto first = picture.rgb.begin();
        std::swap_ranges(first + low * row, first + (low + 1) * row, first + high * row);
    }
}

void Screenshots::writePage(Frame& frame, bool filmAlone, Caption caption) {
    const std::string stem = frame.files.freshStem(stemOf("page", utcNow()), {".html", ".json"});
    auto task = [stem, filmAlone, report = *std::exchange(page_, {}), size = frame.tracer.size(),
                 pixels = filmAlone ? frame.tracer.read() : std::vector<Pixel>(),
                 window = filmAlone ? Picture() : readWindow(frame.framebuffer),
                 caption = std::move(caption)]() mutable -> Saved {
        const State& state = caption.state;
        if (filmAlone) {
            if (const auto image = imageOf(pixels, size))
                window = toneMap(*image, state.scene->display, state.view);
        } else {
            turnOver(window);
        }
        const std::string file = stem + ".json", page = stem + ".html";
        const std::string name = std::filesystem::path(file).filename().string();
        if (report.is_null()) {
            report = caption.info;
            report["state"] = toJson(withPatches(state));
            report["again"] = "";
        }
        if (report.contains("again"))  // the command that begins with the report's state
            report["command"] =
                fmt::format("rayscope {}{}", report["again"].get<std::string>(), name);
        report.erase("again");
        PageReport one{name, std::move(report)};
        if (auto jpeg = pagePictureOf(window)) one.picture = *std::move(jpeg);
        auto done = writeTextFile(file, one.report.dump(2) + "\n", Existing::kept);
        if (done) done = writeTextFile(page, pageOf({one}), Existing::kept);
        return {page, done.reason()};
    };
    running_.push_back(std::async(std::launch::async, std::move(task)));
}

void Screenshots::savePicture(Frame& frame, Caption caption, std::string path) {
    auto task = [path = std::move(path), pixels = frame.tracer.read(), size = frame.tracer.size(),
                 caption = std::move(caption)]() mutable -> Saved {
        const std::optional<Image> shown = imageOf(pixels, size);
        if (!shown) return {"", "there is no picture yet: try again in a moment"};
        const State& state = caption.state;
        const Image& image = *shown;
        const glm::dvec3 mean = meanRadiance(image);
        caption.info["mean_radiance"] = {mean.x, mean.y, mean.z};
        return save(path, toneMap(image, state.scene->display, state.view), caption);
    };
    running_.push_back(std::async(std::launch::async, std::move(task)));
}

void Screenshots::saveWindow(Frame& frame, Caption caption, std::string path) {
    auto task = [path = std::move(path), picture = readWindow(frame.framebuffer),
                 caption = std::move(caption)]() mutable -> Saved {
        turnOver(picture);
        return save(path, picture, caption);
    };
    running_.push_back(std::async(std::launch::async, std::move(task)));
}

Screenshots::~Screenshots() {
    for (std::future<Saved>& f : running_) {
        if (const Saved saved = resultOf(f); !saved.problem.empty()) complain(saved.problem);
    }
}

}  // namespace rayscope
