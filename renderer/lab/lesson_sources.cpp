#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/files.h"
#include "renderer/code/patch.h"
#include "renderer/lab/lesson.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace fs = std::filesystem;

namespace {

Result<std::vector<KernelSource>> withPatch(std::vector<KernelSource> sources,
                                            const std::string& patch, const Lesson& lesson,
                                            const char* which) {
    auto made = patched(std::move(sources), patch, PatchLines::moved);
    if (made) return made;
    return Failure{fmt::format("{} does not fit this program's kernels: {} ({})", titleOf(lesson),
                               made.reason(), which)};
}

}  // namespace

Result<std::vector<KernelSource>> weakSources(const Lesson& lesson) {
    if (embeddedKernelSources().empty())
        return Failure{"this program was built without the sources of its kernels"};
    return withPatch(embeddedKernelSources(), lesson.weak, lesson, kWeakPatch);
}

Result<std::vector<KernelSource>> solvedSources(const Lesson& lesson) {
    if (lesson.solution.empty())
        return Failure{fmt::format("{} has no solution.patch", titleOf(lesson))};
    auto weak = weakSources(lesson);
    if (!weak) return weak;
    return withPatch(*std::move(weak), lesson.solution, lesson, kSolutionPatch);
}

int lineOf(const Lesson& lesson, const std::vector<KernelSource>& sources) {
    const auto file = std::ranges::find(sources, lesson.file, &KernelSource::name);
    const size_t at = file == sources.end() ? std::string::npos : file->text.find(lesson.at);
    if (at == std::string::npos) return 1;
    return 1 + static_cast<int>(std::count(file->text.begin(), file->text.begin() + at, '\n'));
}

Result<bool> beginLesson(const Lesson& lesson, const std::string& folder) {
    std::error_code error;
    const bool there = fs::exists(folder, error) &&
                       !(fs::is_directory(folder, error) && fs::is_empty(folder, error));
    if (there) {
        const auto name = lessonIn(folder);
        if (name && *name == lesson.name) {
            // a copy that was cut off is completed
            const auto weak = weakSources(lesson);
            if (!weak) return weak.failure();
            if (const auto written = writeKernelSources(folder, *weak); !written)
                return written.failure();
            return false;
        }
        return Failure{
            fmt::format("{} is there already and is no work on {}: --to names another "
                        "folder",
                        folder, titleOf(lesson))};
    }
    const auto weak = weakSources(lesson);
    if (!weak) return weak.failure();
    const nlohmann::ordered_json marker{
        {"lesson", lesson.name}, {"title", lesson.title}, {"task", lesson.task}};
    // the marker is first: a copy that is cut off is known by it
    fs::create_directories(folder, error);
    const auto marked = writeTextFile((fs::path(folder) / kLessonFile).string(),
                                      marker.dump(2) + "\n", Existing::kept);
    if (!marked) return marked.failure();
    if (const auto written = writeKernelSources(folder, *weak); !written) return written.failure();
    return true;
}

Result<std::string> lessonIn(const std::string& folder) {
    const auto json = readJson((fs::path(folder) / kLessonFile).string(), kMaxLessonFile);
    if (!json)
        return Failure{fmt::format("{} is no folder of a lesson: {}", folder, json.reason())};
    const auto name = json->is_object() ? json->find("lesson") : json->end();
    if (name == json->end() || !name->is_string())
        return Failure{
            fmt::format("{} is no folder of a lesson: its {} names none", folder, kLessonFile)};
    return name->get<std::string>();
}

Result<void> checkFolder(const Lesson& lesson, const std::string& folder) {
    for (const std::string& name : filesOfPatch(lesson.weak)) {
        std::error_code error;
        if (!fs::is_regular_file(fs::path(folder) / name, error))
            return Failure{
                fmt::format("{} lacks {}, which {} is about", folder, name, titleOf(lesson))};
    }
    return {};
}

}  // namespace rayscope
