// Lesson files.

#include "renderer/lab/lesson.h"

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"
#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

void read(std::string_view text) {
    const auto parsed = parseJson(text, "lesson.json");
    if (!parsed) return promiseSentence(parsed.reason());
    const auto lesson = lessonFromJson(*parsed, "lesson.json");
    if (!lesson) return promiseSentence(lesson.reason());
    promise(lesson->number > 0 && lesson->goal > 1, "a lesson has a number and a goal");
    promise(lesson->work != Verdict::different, "another picture solves nothing");
    promise(!isPath(lesson->scene), "a scene is named");
    const auto scene = findScene(lesson->scene);
    promise(static_cast<bool>(scene), "the scene is there");
    if (scene->spheres.size() > 1000) return;
    const Settings settings = settingsOf(*lesson, *scene);
    promise(settings.backend == backendOf(*lesson), "a lesson is of its backend");
    unsupported(settings, *scene);
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
