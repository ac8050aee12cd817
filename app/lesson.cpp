#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/base/temporary_folder.h"
#include "renderer/choices/sources.h"
#include "renderer/devices/backends.h"
#include "renderer/lab/lesson_check.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

constexpr int kNotSolved = 3;

/// The device that the lesson is about. Fails where there is none here.
Result<std::unique_ptr<Renderer>> rendererFor(Backend backend, const DeviceList& device) {
    if (backend == Backend::cpu) return makeCpuRenderer();
    auto cuda = makeCudaRenderer(gpuOf(device));
    if (cuda) return cuda;
    return Failure{cuda.reason() + "; the lesson is about a GPU's kernels"};
}

/// Why nothing can be measured here; empty where it can.
std::string missingDevice(Backend backend, const DeviceList& device) {
    const auto renderer = rendererFor(backend, device);
    return renderer ? std::string() : renderer.reason();
}

/// One that the program knows all figures of.
Result<Lesson> known(Result<Lesson> lesson) {
    if (!lesson) return lesson;
    const auto figures = checkFigures(*lesson);
    return figures ? std::move(lesson) : Result<Lesson>(figures.failure());
}

int listLessons(const LessonOptions& options) {
    const auto lessons = allLessons();
    if (lessons.empty()) return refuse({1, "there are no lessons beside the program's scenes"});
    int code = 0;
    for (const auto& [name, read] : lessons) {
        const auto lesson = known(read);
        if (!lesson) {
            code = refuse({1, lesson.reason()});
            continue;
        }
        say("{:>3}  {:<14} {:>6}x  {}\n", lesson->number, name, fmt::format("{:.3g}", lesson->goal),
            lesson->title);
    }
    const auto cuda = makeCudaRenderer(gpuOf(options.common.device));
    if (cuda)
        say("This machine can measure all of them.\n");
    else
        say("This machine cannot measure those of a GPU: {}. Their kernels can be edited and "
            "read.\n",
            cuda.reason());
    return code;
}

/// The sources of a folder, as a value of the axis.
Result<int> sourceFrom(const std::string& name, const std::string& folder) {
    const auto source = sourceNamed(name);
    if (!source) return source;
    if (const auto set = setKernelSourceDirectory(*source, folder); !set) return set.failure();
    return source;
}

/// The lesson's own sources, in a folder that is there as long as this is.
class WeakSources {
public:
    explicit WeakSources(const Lesson& lesson) : source_(write(lesson)) {}
    const Result<int>& source() const { return source_; }

private:
    Result<int> write(const Lesson& lesson) const {
        const auto weak = weakSources(lesson);
        if (!weak) return weak.failure();
        if (!folder_.problem().empty())
            return Failure{fmt::format("no folder for temporary files: {}", folder_.problem())};
        if (const auto written = writeKernelSources(folder_.path(), *weak); !written)
            return written.failure();
        return sourceFrom("weak", folder_.path());
    }

    TemporaryFolder folder_;
    Result<int> source_;
};

/// What --lesson or NAME asks for, else what the folder says.
Result<Lesson> lessonOf(const LessonOptions& options) {
    const std::string& named = options.lesson.empty() ? options.name : options.lesson;
    if (!named.empty()) return findLesson(named);
    const auto name = lessonIn(options.check);
    return name ? findLesson(*name) : Result<Lesson>(name.failure());
}

int judge(LessonJob& job, const LessonWish& wish, const LessonOptions& options) {
    const bool ended = play(job, "lesson");
    if (!job.problem().empty()) return refuse({kNotSolved, job.problem()});
    const LessonResult result = job.result();
    Outcome outcome;
    outcome.measured = static_cast<size_t>(result.pair.speed.rounds) >= kFewestPairs;
    if (!ended) outcome.interrupted = fmt::format("after {} rounds", result.pair.speed.rounds);
    if (outcome.measured && options.json != "-")
        say("{}", textOf(wish, result, isatty(STDOUT_FILENO) == 1));
    outcome.report = reportOf(wish, result);
    if (const int code = finish(options.json, {}, outcome); code != 0) return code;
    if (result.solved()) return 0;
    return refuse(
        {kNotSolved, fmt::format("{} is not solved: {}", titleOf(wish.lesson), result.missing)});
}

int checkLesson(const LessonOptions& options) {
    const auto lesson = known(lessonOf(options));
    if (!lesson) return refuse({2, lesson.reason()});
    if (const auto fits = checkFolder(*lesson, options.check); !fits)
        return refuse({2, fits.reason()});
    const auto scene = findScene(lesson->scene);
    if (!scene) return refuse(notFound(lesson->scene, scene.reason()));
    const auto renderer = rendererFor(backendOf(*lesson), options.common.device);
    if (!renderer)
        return refuse({1, fmt::format("{} cannot be measured here: {}", titleOf(*lesson),
                                      renderer.reason())});
    const WeakSources weak(*lesson);
    const auto own = sourceFrom("own", options.check);
    for (const auto* source : {&weak.source(), &own}) {
        if (!*source) return refuse({1, source->reason()});
    }
    LessonWish wish = lessonWish(*lesson, *scene, *weak.source(), *own);
    wish.seconds = options.seconds;
    wish.explains = options.why;
    (*renderer)->setScene(wish.state.scene);
    const std::string problem = (*renderer)->unsupported(wish.b);
    if (!problem.empty()) return refuse({1, problem});
    Watches watches;
    LessonJob job(**renderer, wish, watches);
    return judge(job, wish, options);
}

/// Copies the weak sources where they are not yet, and opens the window on them.
int openLesson(const LessonOptions& options) {
    const std::string& size = options.common.size;
    int width = 0, height = 0;
    if (!size.empty() && !parseSize(size, width, height)) return refuse({2, wrongSize(size)});
    const auto lesson = known(findLesson(options.name));
    if (!lesson) return refuse(notFound(options.name, lesson.reason()));
    const auto scene = findScene(lesson->scene);
    if (!scene) return refuse(notFound(lesson->scene, scene.reason()));
    const std::string folder =
        std::filesystem::absolute(options.to.empty() ? "rayscope-lesson-" + lesson->name
                                                     : options.to)
            .string();
    const auto sources = weakSources(*lesson);
    if (!sources) return refuse({1, sources.reason()});
    const auto fresh = beginLesson(*lesson, folder);
    if (!fresh) return refuse({1, fresh.reason()});
    say("{}: {}\n\n{}\n\n", titleOf(*lesson), lesson->title, lesson->task);
    say("{} {}\nBegin at {}:{}.\n", *fresh ? "The kernels to be edited are in" : "Your work is in",
        folder, lesson->file, lineOf(*lesson, *sources));
    if (const std::string problem = missingDevice(backendOf(*lesson), options.common.device);
        !problem.empty())
        say("Nothing can be measured here: {}.\n", problem);
    if (options.copyOnly) return 0;
    std::fflush(stdout);  // to be read beside the window
    const WeakSources weak(*lesson);
    const auto own = sourceFrom("mine", folder);
    for (const auto* source : {&weak.source(), &own}) {
        if (!*source) return refuse({1, source->reason()});
    }
    return runView(lessonWish(*lesson, *scene, *weak.source(), *own), options.common);
}

}  // namespace

int runLesson(const LessonOptions& options) {
    const int asked = options.list + !options.check.empty();
    if (asked > 1) return refuse({2, "--list and --check are two things"});
    if (options.list) return listLessons(options);
    if (!options.check.empty()) return checkLesson(options);
    if (options.name.empty()) return refuse({2, "which lesson? rayscope lesson --list names them"});
    return openLesson(options);
}

}  // namespace rayscope
